"""Run code of a plugin in a child process, isolated from the machine, and report what a host gets from it.

Stands on top of both hosts. For a plugin `parent` starts the process and asks, `child` opens the host and answers;
`loaded` and `loaded_child` do so for a plugin that stays loaded; `hook_runs` runs the command of a shell hook. Names
are imported when they are first used: the child needs none of them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hermes_sdk.hosts.inspection.forms import find_working_form
    from hermes_sdk.hosts.inspection.hook_runs import run_shell_hook
    from hermes_sdk.hosts.inspection.loaded import Action, LoadedPlugin, Model
    from hermes_sdk.hosts.inspection.parent import (
        TIME_LIMIT,
        inspect_on,
        inspect_plugin,
        prepare,
        show,
    )

_MODULES = {
    "TIME_LIMIT": "parent",
    "Action": "loaded",
    "LoadedPlugin": "loaded",
    "Model": "loaded",
    "find_working_form": "forms",
    "inspect_on": "parent",
    "inspect_plugin": "parent",
    "prepare": "parent",
    "run_shell_hook": "hook_runs",
    "show": "parent",
}

__all__ = [
    "TIME_LIMIT",
    "Action",
    "LoadedPlugin",
    "Model",
    "find_working_form",
    "inspect_on",
    "inspect_plugin",
    "prepare",
    "run_shell_hook",
    "show",
]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
