"""The settings of a session, read from ``config.yaml`` when the session begins."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Set
from typing import Any

from hermes_sdk.hosts.embedded.agent.model_provider import ModelProvider
from hermes_sdk.hosts.embedded.builtins.tool import to_int
from hermes_sdk.hosts.embedded.config_keys import require_modelled
from hermes_sdk.hosts.embedded.state import HostState
from hermes_sdk.llm import CONTEXT_LENGTH

API_MODE = "chat_completions"
_DEFAULT_COMPRESSIONS = 3
_MAX_COMPRESSIONS = 10

_SELECTED_TOOLSETS = (("memory", "provider", "memory"), ("context", "engine", "context_engine"))
"""Section and key -> the toolset that the selected provider or engine brings."""


class Settings:
    """The settings of sessions, with the host's defaults.

    `find_profile` returns the model provider that a plugin registered under a name or an alias, or None.
    """

    def __init__(self, state: HostState, find_profile: Callable[[str], Any]) -> None:
        self.config = state.config.view()
        require_modelled(state, self.config, "turn")
        most_turns = state.contract.section("default_config")["values"]["agent"]["max_turns"] or sys.maxsize
        model = self.section("model")
        length = model.get("context_length")
        self.model = str(model.get("default", ""))
        self.api_key = str(model.get("api_key", ""))
        self.context_length = length if isinstance(length, int) else CONTEXT_LENGTH
        self.sees_images = bool(model.get("supports_vision"))
        self.provider = ModelProvider.choose(model, find_profile, state.behaviour)
        self.max_iterations = self.number("agent", "max_turns", most_turns)
        self.api_max_retries = max(1, to_int(self.section("agent").get("api_max_retries", 3), 3))
        self.auto_recovery_cycles = self.number("agent", "auto_recovery_cycles", 5, least=0)
        compression = self.section("compression")
        self.compresses = str(compression.get("enabled", True)).lower() in ("true", "1", "yes")
        configured = compression.get("max_attempts") if state.behaviour.compressions_configured else None
        self.max_compressions = _count_compressions(configured)
        self.max_verify_nudges = self.number("agent", "max_verify_nudges", 3)

    def section(self, name: str) -> Mapping[str, Any]:
        """Return a section; empty if it is missing or not a mapping."""
        section = self.config.get(name)
        return section if isinstance(section, Mapping) else {}

    def number(self, section: str, key: str, default: int, *, least: int = 1) -> int:
        """Return a number, or the default if it is missing or below `least`."""
        value = self.section(section).get(key)
        return value if isinstance(value, int) and value >= least else default

    def choose_toolsets(self, platform: str, of_plugins: Set[str]) -> set[str]:
        """Return the toolsets of a platform, including those of plugins unless the user opted out (C11, C12)."""
        chosen = self._read_names("platform_toolsets", platform) or [
            toolset for section, key, toolset in _SELECTED_TOOLSETS if self.section(section).get(key)
        ]
        opted_out = set(self._read_names("known_plugin_toolsets", platform)) - set(chosen)
        return {*chosen, *(of_plugins - opted_out)} - set(self.disabled_toolsets)

    @property
    def disabled_toolsets(self) -> list[str]:
        """The toolsets that are disabled on every platform."""
        return self._read_names("agent", "disabled_toolsets")

    def _read_names(self, section: str, key: str) -> list[str]:
        names = self.section(section).get(key)
        return [str(name) for name in names] if isinstance(names, list) else []


def _count_compressions(value: Any) -> int:
    """Return the maximum number of compressions per turn for a configured value."""
    if isinstance(value, bool) or (isinstance(value, float) and not value.is_integer()):
        return _DEFAULT_COMPRESSIONS
    count = to_int(value, _DEFAULT_COMPRESSIONS)
    return min(count, _MAX_COMPRESSIONS) if count >= 1 else _DEFAULT_COMPRESSIONS
