"""Choices that a plugin may override: ``plugins.entries.<key>.llm`` of the configuration (E3 to E5)."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, NamedTuple

from hermes_sdk.hosts.embedded.host_classes import of_module
from hermes_sdk.hosts.embedded.providers.auxiliary_tasks import AuxiliaryTasks
from hermes_sdk.hosts.embedded.state import HostState

logger = logging.getLogger("agent.plugin_llm")


@of_module("agent.plugin_llm")
class PluginLlmTrustError(PermissionError):
    """Raised if a plugin overrides a choice without permission in the configuration."""


class Overrides(NamedTuple):
    """Choices of a plugin; None keeps the user's choice."""

    provider: str | None
    model: str | None
    agent_id: str | None
    profile: str | None
    task: str | None = None


class TrustGate:
    """Checks the choices of one plugin, given by its key, against the current configuration."""

    def __init__(self, plugin_id: Any, state: HostState, tasks: AuxiliaryTasks) -> None:
        self._plugin_id = plugin_id
        self._state = state
        self._tasks = tasks

    def check(self, provider: str | None, model: str | None, agent_id: str | None, profile: str | None) -> Overrides:
        """Return the choices; empty text counts as no choice.

        Raises:
            PluginLlmTrustError: The configuration does not allow a choice.
        """
        settings = self._read_settings()
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
        return Overrides(_strip(provider), _strip(model), agent_id or None, _strip(profile))

    def check_task(self, task: str | None) -> str | None:
        """Return the auxiliary task whose model to use, or None for the model of the conversation.

        Raises:
            PluginLlmTrustError: The task is not the plugin's own, and the configuration does not allow it.
        """
        key = _strip(task)
        if not key or key.lower() == "auto":
            return None
        if self._tasks.owner(key) == self._plugin_id:
            return key
        plugin, flag = self._plugin_id, f"plugins.entries.{self._plugin_id}.llm.allow_task_override"
        denied = f"plugin_llm task routing denied: plugin {plugin!r} requested"
        if key not in self._state.contract.auxiliary_tasks:
            logger.warning("%s auxiliary task %r it did not register", denied, key)
            raise PluginLlmTrustError(
                f"Plugin {plugin!r} cannot route through auxiliary task {key!r} — a plugin may only pass a task key it"
                f" registered itself via ctx.register_auxiliary_task() (or a built-in key when {flag} is true)."
            )
        if not self._read_settings().get("allow_task_override"):
            logger.warning("%s built-in auxiliary task %r without %s", denied, key, flag)
            raise PluginLlmTrustError(
                f"Plugin {plugin!r} cannot route through the built-in auxiliary task {key!r} (set {flag} to true to"
                " allow)."
            )
        return key

    def _read_settings(self) -> Mapping[str, Any]:
        found: Any = self._state.config.read()
        for key in ("plugins", "entries", self._plugin_id, "llm"):
            found = found.get(key) if isinstance(found, dict) else None
        return found if isinstance(found, dict) else {}

    def _check(self, settings: Mapping[str, Any], what: str, doing: str) -> None:
        if not settings.get(f"allow_{what}_override"):
            key = f"plugins.entries.{self._plugin_id}.llm.allow_{what}_override"
            raise PluginLlmTrustError(f"Plugin {self._plugin_id!r} cannot {doing} (set {key} to true to allow).")

    def _check_list(self, settings: Mapping[str, Any], what: str, wanted: str) -> None:
        listed = settings.get(f"allowed_{what}s")
        if not isinstance(listed, list):
            return
        names = {name.strip().lower() for name in listed if isinstance(name, str)}
        if "*" not in names and wanted.strip().lower() not in names:
            raise PluginLlmTrustError(
                f"Plugin {self._plugin_id!r} {what} override {wanted!r} is not in plugins.entries."
                f"{self._plugin_id}.llm.allowed_{what}s."
            )


def _strip(text: str | None) -> str | None:
    return text.strip() if text else None
