#!/bin/sh
set -eu
hermes-sdk new plugin --no-input --bare --name "Dice"
cd dice
hermes-sdk contract show member register_tool
hermes-sdk add tool dice_roll

cat > dice/__init__.py <<'END'
"""Dice, a plugin for Hermes Agent. Hermes calls `register`."""

from __future__ import annotations

import json
import random
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hermes_sdk.api import PluginContext, ToolSchema

DICE_ROLL: ToolSchema = {
    "name": "dice_roll",
    "description": "Roll dice. Use it whenever a random number is needed.",
    "parameters": {
        "type": "object",
        "properties": {
            "notation": {"type": "string", "description": "Number of dice and of their sides, such as 2d6."},
        },
        "required": ["notation"],
    },
}


def dice_roll(args: dict[str, Any], **kwargs: Any) -> str:
    """Roll dice, and answer with the rolls and their total."""
    found = re.fullmatch(r"\s*(\d{1,3})d(\d{1,6})\s*", str(args.get("notation")))
    count, sides = map(int, found.groups()) if found else (0, 0)
    if not (1 <= count <= 100 and sides):
        return json.dumps({"error": "notation must be like 2d6, with at most 100 dice."})
    rolls = [random.randint(1, sides) for _ in range(count)]
    return json.dumps({"rolls": rolls, "total": sum(rolls)})


def register(ctx: PluginContext) -> None:
    """Register the tool. Hermes calls it once, when it loads the plugin."""
    ctx.register_tool(name="dice_roll", toolset="dice", schema=DICE_ROLL, handler=dice_roll)
END
sed -i '/provides_hooks/d; /on_session_start/d' dice/plugin.yaml
cat > tests/test_tools.py <<'END'
"""The tool, in the host of hermes-sdk."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from hermes_sdk.testing import Host


def test_dice_are_rolled(hermes: Host) -> None:
    answer = hermes.call_tool("dice_roll", notation="3d6").json

    assert len(answer["rolls"]) == 3
    assert answer["total"] == sum(answer["rolls"])


@pytest.mark.parametrize("notation", ["", "six", "0d6", "2d0", "101d6"])
def test_nonsense_is_an_error(hermes: Host, notation: str) -> None:
    assert hermes.call_tool("dice_roll", notation=notation).error
END
hermes-sdk verify
