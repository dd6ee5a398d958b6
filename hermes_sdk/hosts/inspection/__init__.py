"""Run plugin code in an isolated child process, and report what the plugin registers.

Uses both hosts. `parent` starts the child process and sends requests, and `child` opens the host and answers;
`loaded_plugin` and `loaded_child` do the same for plugins that stay loaded; `hook_runs` runs commands of shell hooks.
Names are imported on first use, because the child does not need them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hermes_sdk.hosts.inspection.forms import find_working_form
    from hermes_sdk.hosts.inspection.hook_runs import run_shell_hook
    from hermes_sdk.hosts.inspection.loaded_plugin import Action, LoadedPlugin, Model
    from hermes_sdk.hosts.inspection.parent import (
        TIME_LIMIT,
        inspect_on,
        inspect_plugin,
        prepare,
        show,
    )

_MODULES = {
    "TIME_LIMIT": "parent",
    "Action": "loaded_plugin",
    "LoadedPlugin": "loaded_plugin",
    "Model": "loaded_plugin",
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
