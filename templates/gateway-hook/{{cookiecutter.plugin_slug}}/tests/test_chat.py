"""The hook in a gateway, when somebody writes to the agent."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from hermes_sdk.testing import Gateway, say


def test_a_chat_is_recorded(hermes_gateway: Gateway, diary: Callable[[Path], list[dict[str, Any]]]) -> None:
    hermes_gateway.llm.script(say("Good morning!"))
    chat = hermes_gateway.dm(user="ada")

    chat.receives("Good morning")
    chat.receives("/whoami")

    entries = diary(hermes_gateway.host.home)
    assert [entry["event"] for entry in entries] == ["session:start", "command:whoami"]
    assert {entry["user_id"] for entry in entries} == {"ada"}
