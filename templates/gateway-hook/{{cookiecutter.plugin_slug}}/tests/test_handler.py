"""Events of the gateway, as the hook handles them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hermes_sdk.api import GatewayEventHandler, SessionStartContext

Diary = Callable[[Path], list[dict[str, Any]]]

STARTED: SessionStartContext = {"platform": "irc", "user_id": "ada", "session_id": "s1", "session_key": "irc:dm:ada"}


def test_a_session_is_recorded(handle: GatewayEventHandler, diary: Diary, tmp_path: Path) -> None:
    handle("session:start", STARTED)

    assert diary(tmp_path) == [{"event": "session:start", "platform": "irc", "user_id": "ada", "session_id": "s1"}]


def test_events_are_recorded_in_order(handle: GatewayEventHandler, diary: Diary, tmp_path: Path) -> None:
    handle("session:start", STARTED)
    handle("command:help", {"platform": "irc", "user_id": None, "command": "help"})

    assert [entry["event"] for entry in diary(tmp_path)] == ["session:start", "command:help"]


def test_a_command_is_not_blocked(handle: GatewayEventHandler) -> None:
    assert handle("command:help", {"platform": "irc", "user_id": "ada", "command": "help"}) is None
