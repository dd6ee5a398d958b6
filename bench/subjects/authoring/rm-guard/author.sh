#!/bin/sh
set -eu
hermes-sdk new plugin --no-input --bare --name "RM Guard"
cd rm-guard
hermes-sdk contract show hook pre_tool_call
hermes-sdk add hook pre_tool_call

cat > rm_guard/__init__.py <<'END'
"""RM Guard, a plugin for Hermes Agent. Hermes calls `register`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Unpack

if TYPE_CHECKING:
    from hermes_sdk.api import PluginContext, PreToolCallArguments, PreToolCallResult

_REMOVAL = re.compile(r"\brm\b(?P<options>(\s+-\S+)+)")


def pre_tool_call(**kwargs: Unpack[PreToolCallArguments]) -> PreToolCallResult | None:
    """Ask the user before a command with `rm -rf` runs."""
    command = kwargs["args"].get("command") if kwargs["tool_name"] == "terminal" else None
    for found in _REMOVAL.finditer(command) if isinstance(command, str) else ():
        options = found["options"].lower()
        if ("r" in options) and ("f" in options):
            return {"action": "approve", "message": f"This deletes files without a question: {command}"}
    return None


def register(ctx: PluginContext) -> None:
    """Register the hook. Hermes calls it once, when it loads the plugin."""
    ctx.register_hook("pre_tool_call", pre_tool_call)
END
sed -i '/on_session_start/d' rm_guard/plugin.yaml
cat > tests/test_hooks.py <<'END'
"""The hooks, in the host of hermes-sdk."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from hermes_sdk.testing import Host


@pytest.mark.parametrize("command", ["rm -rf build", "cd src && rm -r -f ."])
def test_a_removal_asks(hermes: Host, command: str) -> None:
    (answer,) = hermes.fire("pre_tool_call", tool_name="terminal", args={"command": command})

    assert answer["action"] == "approve"


@pytest.mark.parametrize("command", ["rm file", "ls -rf", ""])
def test_other_commands_run(hermes: Host, command: str) -> None:
    assert hermes.fire("pre_tool_call", tool_name="terminal", args={"command": command}) == []
END
hermes-sdk verify
