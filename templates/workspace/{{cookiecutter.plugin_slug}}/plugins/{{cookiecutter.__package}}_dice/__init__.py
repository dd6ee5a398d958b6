"""Rolls dice for the model, a plugin for Hermes Agent. Hermes calls `register`."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hermes_sdk.api import PluginContext, ToolSchema

MOST = 100

ROLL: ToolSchema = {
    "name": "{{ cookiecutter.__package }}_roll",
    "description": "Roll dice, and get what each of them shows.",
    "parameters": {
        "type": "object",
        "properties": {"count": {"type": "integer", "minimum": 1, "maximum": MOST, "description": "How many dice."}},
        "required": ["count"],
    },
}


def roll(args: dict[str, Any], **kwargs: Any) -> str:
    """Roll dice. Like every handler, it answers with JSON text, even for errors."""
    count = args.get("count")
    if not isinstance(count, int) or not 1 <= count <= MOST:
        return json.dumps({"error": f"count is a whole number from 1 to {MOST}."})
    return json.dumps({"shown": random.choices(range(1, 7), k=count)})


def register(ctx: PluginContext) -> None:
    """Register the tool. Hermes calls it once, when it loads the plugin."""
    ctx.register_tool(
        name="{{ cookiecutter.__package }}_roll",
        toolset="{{ cookiecutter.plugin_slug }}-dice",
        schema=ROLL,
        handler=roll,
    )
