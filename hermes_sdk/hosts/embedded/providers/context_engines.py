"""Loader of context engines by the name of their directory, which need not be an enabled plugin (G12)."""

from __future__ import annotations

import contextlib
import logging
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from hermes_sdk.errors import HermesSdkError
from hermes_sdk.hosts.embedded.commands import SlashCommands
from hermes_sdk.hosts.embedded.process.modules import execute, make_namespace_package
from hermes_sdk.hosts.embedded.state import HostState

_log = logging.getLogger("plugins.context_engine")

NAMESPACE = "_hermes_user_context_engine"
_READ = 8192
"""Number of characters of a file that Hermes searches for a sign of an engine."""
_SIGNS = ("register_context_engine", "ContextEngine")


class _EngineCollector:
    """``ctx`` for ``register`` that stores the engine and ignores other calls."""

    def __init__(self, state: HostState, commands: SlashCommands) -> None:
        self.engine: Any = None
        self._state = state
        self._commands = commands

    def register_context_engine(self, engine: Any) -> None:
        self.engine = engine

    def _ignore(self, *args: Any, **kwargs: Any) -> None:
        pass

    register_tool = register_hook = register_cli_command = register_memory_provider = _ignore

    def register_command(self, name: str, *args: Any, **kwargs: Any) -> None:  # noqa: ARG002
        if (name or "").lower().strip().lstrip("/").replace(" ", "-") not in self._commands.entries:
            raise self._state.unsupported(f"register the command {name!r} of a context engine that is not a plugin")


def load(name: str, state: HostState, commands: SlashCommands) -> Any:
    """Return the engine that ``plugins/<name>`` registers, otherwise an instance of its first engine class, or None."""
    directory = state.home_path() / "plugins" / name
    if not state.behaviour.engine_of_directory_first or not _looks_like_engine(directory):
        return None
    module = _load_module(directory, state)
    engine = _find_engine(module, name, _EngineCollector(state, commands), state) if module else None
    if not engine:
        _log.warning("Context engine '%s' loaded but no engine instance found", name)
        return None
    return engine


def _looks_like_engine(directory: Path) -> bool:
    try:
        text = (directory / "__init__.py").read_text(encoding="utf-8-sig", errors="replace")[:_READ]
    except OSError:
        return False
    return any(sign in text for sign in _SIGNS)


def _load_module(directory: Path, state: HostState) -> ModuleType | None:
    """Return the module of a directory; it is executed once per process, after its sibling modules."""
    name = f"{NAMESPACE}.{directory.name}"
    known = sys.modules.get(name)
    if getattr(known, "__file__", None):
        return known
    parent = sys.modules.setdefault(NAMESPACE, make_namespace_package(NAMESPACE))
    package = sys.modules[name] = make_namespace_package(name)
    package.__path__ = [str(directory)]
    for file in sorted(directory.glob("*.py")):
        sibling = f"{name}.{file.stem}"
        if file.name != "__init__.py" and sibling not in sys.modules:
            _execute(sibling, file, None, state)
    module = _execute(name, directory / "__init__.py", [str(directory)], state)
    if module:
        setattr(parent, directory.name, module)
    return module


def _execute(name: str, file: Path, search: list[str] | None, state: HostState) -> ModuleType | None:
    """Execute a file as a module, or as a package if it has a `search` path; return None if it raises."""
    try:
        return execute(name, str(file), search)
    except Exception as error:
        if search:
            state.swallow(f"context engine {file.parent.name}", error)
        _log.debug("Failed to load %s: %s", name, error)
        sys.modules.pop(name, None)
        return None


def _find_engine(module: ModuleType, name: str, collector: _EngineCollector, state: HostState) -> Any:
    if hasattr(module, "register"):
        try:
            module.register(collector)
        except HermesSdkError:
            raise
        except Exception as error:
            state.swallow(f"context engine {name}", error)
            _log.debug("register() failed for %s: %s", name, error)
        else:
            if collector.engine:
                return collector.engine
    base = state.classes.get("ContextEngine", ())
    for attribute in dir(module):
        one = getattr(module, attribute, None)
        if isinstance(one, type) and issubclass(one, base) and one is not base:
            with contextlib.suppress(Exception):
                return one()
    return None
