"""Registrations that the host keeps for parts of it that run elsewhere: platforms, providers, engines, tasks."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hermes_sdk.contract import Contract

logger = logging.getLogger("hermes_cli.plugins")

AUXILIARY_DEFAULTS: dict[str, Any] = {
    "provider": "auto",
    "model": "",
    "base_url": "",
    "api_key": "",
    "timeout": 60,
    "extra_body": {},
}


@dataclass
class Recorded:
    """What plugins registered for later, with the arguments of each.

    Attributes:
        platforms: The key of a plugin, and the platform that it registered; a name may come more than once (H3).
        auxiliary_tasks: The tasks by key.
        slack_action_handlers: The action, its callback, and the name of the plugin.
    """

    platforms: list[tuple[Any, dict[str, Any]]] = field(default_factory=list)
    auxiliary_tasks: dict[str, dict[str, Any]] = field(default_factory=dict)
    slack_action_handlers: list[tuple[Any, Any, Any]] = field(default_factory=list)

    def add_platform(self, owner: Any, contract: Contract, arguments: Mapping[str, Any]) -> None:
        """Keep a gateway platform (H1).

        Raises:
            TypeError: A keyword is no field of the release's ``PlatformEntry``, or is one that the host fills in.
        """
        if "source" in arguments:
            entry = "gateway.platform_registry.PlatformEntry()"
            raise TypeError(f"{entry} got multiple values for keyword argument 'source'")
        known = {entry["name"] for entry in contract.section("dataclasses")["PlatformEntry"]["fields"]}
        for keyword in arguments:
            if keyword not in known:
                raise TypeError(f"PlatformEntry.__init__() got an unexpected keyword argument '{keyword}'")
        self.platforms.append((owner, dict(arguments)))

    def add_auxiliary_task(
        self,
        plugin: Any,
        builtin: frozenset[str],
        key: Any,
        display_name: str,
        description: str,
        defaults: Mapping[str, Any] | None,
    ) -> None:
        """Keep an auxiliary task (F18).

        Raises:
            ValueError: The key is empty, holds other characters than letters, digits and underscores, or is taken.
            AttributeError: The defaults are no mapping.
        """
        if not key or not isinstance(key, str):
            raise ValueError(f"Plugin '{plugin}' tried to register auxiliary task with invalid key {key!r}")
        if not all(character.isalnum() or character == "_" for character in key):
            rule = "must contain only alphanumeric characters and underscores"
            raise ValueError(f"Plugin '{plugin}' auxiliary task key {key!r} {rule}")
        taken = f"Plugin '{plugin}' cannot register auxiliary task {key!r} — "
        if key in builtin:
            advice = f"Pick a plugin-namespaced key (e.g. '{plugin}_{key}')."
            raise ValueError(f"{taken}that key is reserved for a built-in task. {advice}")
        owner = self.auxiliary_tasks.get(key, {}).get("plugin", plugin)
        if owner != plugin:
            raise ValueError(f"{taken}already registered by plugin '{owner}'")
        merged = dict(AUXILIARY_DEFAULTS)
        # Asked for its items, as in the host: what is no mapping raises AttributeError.
        merged.update((defaults or {}).items())
        self.auxiliary_tasks[key] = {
            "display_name": display_name,
            "description": description,
            "defaults": merged,
            "plugin": plugin,
        }

    def add_slack_action_handler(self, plugin: Any, action_id: Any, callback: Any) -> None:
        """Keep a handler for a Slack action.

        Raises:
            ValueError: The callback cannot be called, or the action is empty.
        """
        opening = f"Plugin '{plugin}' tried to register a Slack action handler with "
        if not callable(callback):
            raise ValueError(f"{opening}a non-callable callback.")
        if action_id is None or (isinstance(action_id, str) and not action_id.strip()):
            raise ValueError(f"{opening}an empty action_id.")
        self.slack_action_handlers.append((action_id, callback, plugin))
