"""Run code of a plugin in a child process, isolated from the machine, and report what a host gets from it.

Stands on top of both hosts. For a plugin `parent` starts the process and asks, `child` opens the host and answers;
`loaded` and `loaded_child` do so for a plugin that stays loaded; `hook_runs` runs the command of a shell hook.
"""

from __future__ import annotations

from hermes_sdk.hosts.inspection.hook_runs import run_shell_hook
from hermes_sdk.hosts.inspection.loaded import Action, LoadedPlugin, Model, start_server
from hermes_sdk.hosts.inspection.parent import (
    TIME_LIMIT,
    can_inspect_on_real_host,
    inspect_on_real_host,
    inspect_plugin,
    show,
)

__all__ = [
    "TIME_LIMIT",
    "Action",
    "LoadedPlugin",
    "Model",
    "can_inspect_on_real_host",
    "inspect_on_real_host",
    "inspect_plugin",
    "run_shell_hook",
    "show",
    "start_server",
]
