"""Toolsets: the tools that they offer to a session, and the requirements of built-in tools."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Container, Iterable, Mapping
from pathlib import Path
from typing import Any

from hermes_sdk.hosts.embedded.process.environment import is_word_on
from hermes_sdk.hosts.embedded.state import HostState
from hermes_sdk.hosts.embedded.tools.definitions import BUILTIN
from hermes_sdk.hosts.embedded.tools.registry import ToolRegistry

Answer = bool | None
"""Whether a tool is offered; None if unknown."""
_CHROMIUM = ("google-chrome", "chromium", "chromium-browser", "chrome")
_BROWSER_VARIABLES = ("AGENT_BROWSER_", "BH_", "BROWSERBASE_", "BROWSER_", "CAMOFOX_", "PLAYWRIGHT_", "TERMUX_")
_ALL = frozenset({"all", "*"})
_BUNDLE = "hermes-"


def is_offered(state: HostState, tool: str, toolset: str) -> Answer:
    """Return whether the host offers a built-in tool that depends on the machine."""
    check = _CHECKS[toolset]
    answer = check(state)
    if answer and tool == "browser_vision":
        return _sees_images(state)
    if tool == "browser_vault" and state.behaviour.browser_harness:
        return _drives_browser(state)
    return answer


def is_conditional(toolset: str) -> bool:
    """Return whether the built-in tools of a toolset depend on the machine."""
    return toolset in _CHECKS


def _has_browser(state: HostState) -> Answer:
    """Return whether a local browser and its driver are installed."""
    if state.behaviour.browser_harness:
        driven = _drives_browser(state)
        return None if driven is None else not driven
    if not state.behaviour.browser_by_npx or _is_browser_set_up(state):
        return None
    if "browser_exec" in state.contract.tools and _has_browser_use(state):
        return None
    if not any(map(shutil.which, _CHROMIUM)):
        downloaded = Path("~/.cache/ms-playwright").expanduser()
        return None if downloaded.exists() or sys.platform != "linux" else False
    return True if shutil.which("agent-browser") or shutil.which("npx") else None


def _drives_browser(state: HostState) -> Answer:
    """Return whether ``browser_exec`` replaces the browser tools; its package is part of the host."""
    return None if not state.behaviour.browser_harness or _is_browser_set_up(state) else True


def _has_browser_use(state: HostState) -> bool:
    """Return whether the program that replaces the browser tools, or its installer, is available."""
    folders = (None, f"{state.home.path}/bin", str(Path("~/.local/bin").expanduser()))
    return any(shutil.which(program, path=folder) for program in ("browser-use", "uvx") for folder in folders)


def _executes_in_browser(state: HostState) -> Answer:
    if state.behaviour.browser_harness:
        return _drives_browser(state)
    return False if _has_browser(state) is not None else None


def _debugs_browser(state: HostState) -> Answer:
    """Return whether the tools for the DevTools protocol are offered, which require a URL in the settings."""
    return None if _is_browser_set_up(state) else False


def _is_browser_set_up(state: HostState) -> bool:
    """Return whether settings, variables or an account may select a browser other than the local one."""
    return bool(
        state.config.read().get("browser")
        or any(name.startswith(_BROWSER_VARIABLES) for name in os.environ)
        or (state.home.path / "auth.json").exists()
    )


def _sees_images(state: HostState) -> Answer:
    """Return whether a model can describe images; any model of a custom provider counts."""
    config = state.config.read()
    model, auxiliary = (config.get(section) for section in ("model", "auxiliary"))
    if not isinstance(model, Mapping) or not isinstance(auxiliary or {}, Mapping):
        return None
    if model.get("provider") != "custom" or "supports_vision" in model:
        return None
    chosen: Mapping[str, Any] = auxiliary or {}
    return None if "vision" in chosen else True


def _has_computer_driver(state: HostState) -> Answer:
    program = "cua-driver"
    if sys.platform != "linux" or "HERMES_CUA_DRIVER_CMD" in os.environ or state.config.read().get("computer_use"):
        return None
    own = Path("~/.local/bin", program).expanduser()
    return None if shutil.which(program) or own.exists() else False


def _connects_services(state: HostState) -> Answer:
    """Return whether services can be connected: yes, by a guest account; None if there may be an account."""
    config = state.config.read()
    tools = config.get("tools")
    set_up = isinstance(tools, Mapping) and "connectors" in tools
    set_up = set_up or bool(config.get("nous")) or any(name.startswith("NOUS_") for name in os.environ)
    return None if set_up or (state.home.path / "auth.json").exists() else True


def _schedules_jobs(state: HostState) -> Answer:
    """Return whether jobs can be scheduled, which depends on variables; a gateway sets one of them."""
    if state.behaviour.browser_harness and "HERMES_CRON_SESSION" in os.environ:
        return None
    set_to = [os.environ.get(f"HERMES_{name}", "") for name in ("INTERACTIVE", "GATEWAY_SESSION", "EXEC_ASK")]
    return True if any(map(is_word_on, set_to)) else None if any(set_to) else False


def _sends_messages(state: HostState) -> Answer:  # noqa: ARG001
    """Return whether messages can be sent, which requires a gateway."""
    return None if is_word_on(os.environ.get("HERMES_EXEC_ASK", "")) else False


_CHECKS: Mapping[str, Callable[[HostState], Answer]] = {
    "browser": _has_browser,
    "browser-cdp": _debugs_browser,
    "browser-use": _executes_in_browser,
    "computer_use": _has_computer_driver,
    "connections": _connects_services,
    "cronjob": _schedules_jobs,
    "messaging": _sends_messages,
    "vision": _sees_images,
}
"""Toolset -> the check of its tools."""


class Toolsets:
    """The toolsets of a host; toolsets of Hermes can include each other, and plugin tools.

    `platforms` are the platforms of plugins, each of which has a bundle of tools.
    """

    def __init__(self, state: HostState, registry: ToolRegistry, platforms: Container[str]) -> None:
        self._state = state
        self._registry = registry
        self._platforms = platforms
        self._composed = state.contract.composed_toolsets
        self._core = state.contract.core_tools

    def list_tools(self, chosen: Iterable[str], disabled: Iterable[str]) -> list[str]:
        """Return the tools of the selected toolsets without the tools of the disabled toolsets (C10 to C12).

        Raises:
            NotSupported: It is unknown whether the host offers a built-in tool of a selected toolset.
        """
        removed = {tool for toolset in disabled for tool in self._find_removed(toolset)}
        offered: set[str] = set()
        for toolset in chosen:
            tools = self._resolve(toolset) - removed
            for tool in sorted(tools):
                self._require_known(tool, toolset)
            offered |= tools
        if "terminal" not in offered:
            offered.discard("browser_exec")
        return sorted(offered)

    def _require_known(self, tool: str, toolset: str) -> None:
        """Require that it is known whether the host offers a tool of a selected toolset."""
        entry = self._registry.entries.get(tool)
        if entry is None or entry.owner != BUILTIN or not is_conditional(entry.toolset):
            return
        if is_offered(self._state, tool, entry.toolset) is None or tool not in self._state.contract.tool_parameters:
            raise self._state.unsupported(
                f"offer the toolset {toolset!r}, which contains the built-in tool {tool!r}",
                fix="Run this test on the real host (--hermes-host=real), or disable the tool's toolset"
                f" {entry.toolset!r} in `agent.disabled_toolsets`.",
            )

    def _find_removed(self, toolset: str) -> set[str]:
        """Return the tools that a disabled toolset removes; mere bundles of toolsets leave the core tools."""
        tools = self._resolve(toolset)
        bundles = toolset.startswith(_BUNDLE) or self._composed.get(toolset, {}).get("posture")
        return tools - self._core if bundles else tools

    def _resolve(self, toolset: str) -> set[str]:
        """Return the tools of a toolset; empty if it does not exist."""
        if toolset in _ALL:
            names = {one.toolset for one in self._registry.entries.values()}
            return {tool for name in names for tool in self._resolve(name)}
        tools = {name for name, entry in self._registry.entries.items() if entry.toolset == toolset}
        parts: Mapping[str, Any] = self._composed.get(toolset, {})
        if target := self._registry.aliases.get(toolset):
            if parts or toolset in self._state.contract.toolsets:
                raise self._state.unsupported(f"offer the toolset {toolset!r}, whose name is also an alias")
            return tools or {name for name, entry in self._registry.entries.items() if entry.toolset == target}
        if not (tools or parts) and toolset.startswith(_BUNDLE) and toolset[len(_BUNDLE) :] in self._platforms:
            return self._resolve(toolset[len(_BUNDLE) :]) | self._core
        if tools and parts.get("former"):
            return tools
        if parts.get("core"):
            tools |= self._core
        tools.update(parts.get("tools", ()))
        return tools.union(*(self._resolve(included) for included in parts.get("includes", ())))
