"""Calls that the hook blocks or allows in Hermes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from hermes_sdk.testing import Host


@pytest.mark.parametrize(
    "command", ["git push --force", "git push origin main -f", "rm -rf /", "rm -r -f ~/", "sudo rm -fr $HOME"]
)
def test_what_cannot_be_taken_back_is_blocked(host: Host, command: str) -> None:
    (answer,) = host.fire("pre_tool_call", tool_name="terminal", args={"command": command})

    assert answer["action"] == "block"


@pytest.mark.parametrize("command", ["git push", "git push --tags", "rm -r build", "rm -rf /tmp/x", "echo 'rm'", ""])
def test_other_commands_run(host: Host, command: str) -> None:
    assert host.fire("pre_tool_call", tool_name="terminal", args={"command": command}) == []


def test_other_tools_are_not_asked_about(host: Host) -> None:
    assert host.fire("pre_tool_call", tool_name="write_file", args={"command": "rm -rf /"}) == []
