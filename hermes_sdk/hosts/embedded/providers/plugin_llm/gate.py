"""What a plugin may choose instead of the user: ``plugins.entries.<key>.llm`` of the configuration (E3 to E5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from hermes_sdk.hosts.embedded.host_classes import of_module
from hermes_sdk.hosts.embedded.state import HostState


@of_module("agent.plugin_llm")
class PluginLlmTrustError(PermissionError):
    """A plugin asks for something that the configuration does not let it choose."""


class Overrides(NamedTuple):
    """What a plugin chose and may choose; None where it leaves the choice to the user."""

    provider: str | None
    model: str | None
    agent_id: str | None
    profile: str | None


class TrustGate:
    """Checks the choices of one plugin, given by its key, against the configuration at that moment."""

    def __init__(self, plugin_id: Any, state: HostState) -> None:
        self._plugin_id = plugin_id
        self._state = state
        self._is_literal = state.behaviour.llm_gate_literal

    def check(self, provider: str | None, model: str | None, agent_id: str | None, profile: str | None) -> Overrides:
        """Return the choices; an empty text makes none.

        Raises:
            PluginLlmTrustError: The configuration does not let the plugin choose that.
            NotSupported: Documents promise an effect of it that no release has (Δ31).
        """
        settings = self._settings()
        if provider:
            self._check(settings, "provider", "override the provider")
            self._check_list(settings, "provider", provider)
        if model:
            self._check(settings, "model", "override the model")
            self._check_list(settings, "model", model)
        if agent_id:
            self._check(settings, "agent_id", "run completions against a non-default agent id")
        if profile:
            self._check(settings, "profile", "override the auth profile")
        if self._state.behaviour.llm_identity_applied and (agent_id or profile):
            raise self._state.unsupported(
                "use the model and the credentials of another agent or profile, as the documents promise",
                fix="Leave agent_id and profile out, or run this on a real release, where they have no effect.",
            )
        return Overrides(_strip(provider), _strip(model), agent_id or None, _strip(profile))

    def _settings(self) -> Mapping[str, Any]:
        found: Any = self._state.config.read()
        for key in ("plugins", "entries", self._plugin_id, "llm"):
            found = found.get(key) if isinstance(found, dict) else None
        return found if isinstance(found, dict) else {}

    def _check(self, settings: Mapping[str, Any], what: str, doing: str) -> None:
        flag = settings.get(f"allow_{what}_override", False)
        if flag is not True and (self._is_literal or not flag):
            key = f"plugins.entries.{self._plugin_id}.llm.allow_{what}_override"
            raise PluginLlmTrustError(f"Plugin {self._plugin_id!r} cannot {doing} (set {key} to true to allow).")

    def _check_list(self, settings: Mapping[str, Any], what: str, wanted: str) -> None:
        listed = settings.get(f"allowed_{what}s")
        if not isinstance(listed, list):
            return
        names = {self._fold(name) for name in listed if isinstance(name, str)}
        if "*" not in names and self._fold(wanted) not in names:
            raise PluginLlmTrustError(
                f"Plugin {self._plugin_id!r} {what} override {wanted!r} is not in plugins.entries."
                f"{self._plugin_id}.llm.allowed_{what}s."
            )

    def _fold(self, name: str) -> str:
        return name if self._is_literal else name.strip().lower()


def _strip(text: str | None) -> str | None:
    return text.strip() if text else None
