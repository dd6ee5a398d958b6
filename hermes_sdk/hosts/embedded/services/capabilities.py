"""Capabilities that an operator grants to plugins (statements N10, N42 and N82)."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from hermes_sdk.hosts.embedded.state import HostState

logger = logging.getLogger("hermes_cli.plugin_capabilities")

OVERRIDE = "tools.override"
PLATFORM_ACTIONS = "gateway.platform_actions"

SETTINGS: Mapping[str, tuple[str, ...]] = {
    OVERRIDE: ("allow_tool_override",),
    "llm.provider_override": ("llm", "allow_provider_override"),
    "llm.model_override": ("llm", "allow_model_override"),
    "llm.agent_id_override": ("llm", "allow_agent_id_override"),
    "llm.profile_override": ("llm", "allow_profile_override"),
    "llm.task_override": ("llm", "allow_task_override"),
    PLATFORM_ACTIONS: ("allow_platform_actions",),
}
"""Capability -> the older setting in ``plugins.entries.<plugin>`` that also grants it."""


def is_granted(state: HostState, plugin_id: Any, capability: object) -> bool:
    """Return whether the operator has granted a capability, and log the decision."""
    path = SETTINGS.get(capability) if isinstance(capability, str) else None
    if path is None:
        return False
    entry = read_entry(state.config.view(), plugin_id)
    listed = entry.get("granted_capabilities")
    if isinstance(listed, list) and any(isinstance(one, str) and one.strip() == capability for one in listed):
        evidence = "granted_capabilities"
    elif look_up(entry, path, None):
        evidence = f"legacy key plugins.entries.{plugin_id}.{'.'.join(path)} (deprecated)"
    else:
        evidence = "not granted"
    logger.info(
        "capability_check plugin=%s capability=%s decision=%s checked_by=plugin_capability_granted evidence=%s",
        plugin_id,
        capability,
        "deny" if evidence == "not granted" else "allow",
        evidence,
    )
    return evidence != "not granted"


def read_entry(config: Mapping[str, Any], plugin_id: Any) -> Mapping[str, Any]:
    """Return ``plugins.entries.<plugin>`` of a configuration, or an empty mapping if it is not a mapping."""
    entry = look_up(config, ("plugins", "entries", plugin_id), None)
    return entry if isinstance(entry, Mapping) else {}


def look_up(values: Any, path: tuple[Any, ...], default: Any) -> Any:
    """Return a value from nested mappings."""
    for key in path:
        if not isinstance(values, Mapping) or key not in values:
            return default
        values = values[key]
    return values
