"""Conversion of a recorded gateway to a scenario, and obstacles to a replay."""

import json
from collections.abc import Mapping
from dataclasses import replace as change
from pathlib import Path
from typing import Any

import pytest
from conformance.gateway_cases import platform

from hermes_sdk.errors import UsageError
from hermes_sdk.traces import Trace, play, read_recording, replay, write_recording
from hermes_sdk.traces.observed_gateway import Access, Messages, choose_settings, convert_events, find_foreign_platforms
from hermes_sdk.traces.replay import forget_notices, forget_session

PLUGIN = platform("ctx.register_hook('pre_llm_call', lambda **more: {'context': 'Be short.'})")
ASKED = "Reply `/approve` to execute"
REMOVES = {"tool_calls": [{"name": "terminal", "args": {"command": "rm -rf ./nothing-here"}}]}


def _message(t: int, text: str = "hi", *, chat: str = "c1", **more: Any) -> dict[str, Any]:
    arguments = {"platform": "lines", "chat_id": chat, "message_id": f"x{t}", "text": text, "beyond": []}
    state = {"key": chat, "busy": [], "continued": False, "paired": False}
    given = {key: more.pop(key) for key in [*more] if key in state}
    return {
        **{"t": t, "kind": "message", "name": "lines", "thread": "", **state, **given},
        "arguments": {**arguments, **more},
    }


def _turn(t: int, end: int) -> dict[str, Any]:
    return {"t": t, "end": end, "kind": "turn", "name": "chat", "thread": "hermes-gateway_0", "arguments": {"text": ""}}


def _send(t: int, content: str, chat: str = "c1", **more: Any) -> dict[str, Any]:
    arguments = {"chat_id": chat, "content": content, **more}
    return {"t": t, "end": t, "kind": "adapter", "name": "send", "thread": "MainThread", "arguments": arguments}


def _request(t: int, *, roles: tuple[str, ...] = ("user",), **more: Any) -> dict[str, Any]:
    messages = [{"role": role, "content": "x"} for role in roles]
    asked = {"kind": "llm_request", "name": "main", "thread": "", "arguments": {"messages": messages}}
    return {"t": t, **asked, **more}


REGISTERED = {
    **{"t": 0, "kind": "register", "name": "register_platform", "thread": "MainThread"},
    "arguments": {"name": "lines", "allowed_users_env": "LINES_USERS", "cron_deliver_env_var": "LINES_HOME"},
}


def test_chat_that_waits_for_approval_does_not_block_others() -> None:
    events = [
        *(_message(1, "remove it"), _turn(2, 20), _send(3, ASKED)),
        *(_message(5, "and me", chat="c2", busy=["c1"]), _turn(6, 8), _send(7, "Meanwhile.", "c2")),
        _message(10, "/approve", busy=["c1"]),
    ]
    found = Messages(events)
    assert found.obstacles == []
    assert [one.get("wait_send") for one in found.scenario] == ["/approve", None, None]


def test_approval_prompt_is_recognized_in_other_languages() -> None:
    asked = _send(3, "Freigabe?", metadata={"is_approval_prompt": True})
    found = Messages([_message(1), _turn(2, 20), asked, _message(5, "/approve", busy=["c1"])])
    assert (found.scenario[0]["wait_send"], found.obstacles) == ("/approve", [])


@pytest.mark.parametrize(
    ("events", "problem"),
    [
        ([_message(1), _turn(2, 9), _message(5, busy=["c1"])], "message 2 arrived while the agent was working."),
        (
            [_message(1), _turn(2, 9), _message(5, chat="c2", busy=["c1"])],
            "message 2 arrived while the agent was working.",
        ),
        ([_message(1, beyond=["media_urls", "reply_to_text"])], "message 1 has `media_urls`, `reply_to_text`."),
        ([_message(1, message_id="")], "message 1 has no id. Let the adapter pass a `message_id`."),
        ([_message(1, "")], "message 1 has no text."),
        (
            [{**_send(1, ""), "name": "send_exec_approval"}],
            "the adapter asked with buttons (`send_exec_approval`), which a replay cannot press.",
        ),
        ([_message(1), _request(2, roles=("user", "assistant", "user"))], "message 1 belongs to an earlier session."),
        ([_message(1, "/new", continued=True)], "message 1 belongs to an earlier session."),
    ],
)
def test_obstacles_are_reported(events: list[Mapping[str, Any]], problem: str) -> None:
    obstacles = Messages(events).obstacles
    assert len(obstacles) == 1
    assert obstacles[0].startswith(problem)


def test_message_during_end_of_stopped_turn_is_reported() -> None:
    stopped = [_message(1), _turn(2, 9), _request(3), _message(5, "/stop", busy=["c1"])]
    assert Messages([*stopped, _message(10)]).obstacles == []
    (told,) = Messages([*stopped, _message(7)]).obstacles
    assert told.startswith("message 3 arrived while the agent was working.")


def test_unfinished_request_counts_as_interrupted_by_next_message() -> None:
    events = [_message(1), _turn(2, 30), _request(3), _message(5, "/stop", busy=["c1"])]
    assert Messages(events).obstacles == []
    kinds = [(event["kind"], event.get("returned", {}).get("interrupts")) for event in convert_events(events)]
    assert kinds == [("message", None), ("message", None), ("llm_request", True)]


def test_builtin_platform_is_reported() -> None:
    assert list(find_foreign_platforms([REGISTERED, _message(1)])) == []
    (told,) = find_foreign_platforms([_message(1)])
    assert told.startswith("the platform lines belongs to Hermes, but a replay supports only platforms of plugins.")


def test_access_contains_variables_of_platforms() -> None:
    variables = {"LINES_USERS": "u1", "LINES_HOME": "c1", "OTHER": "x"}
    assert Access([REGISTERED, _message(1)], variables).variables == {"LINES_USERS": "u1", "LINES_HOME": "c1"}
    assert Access([REGISTERED, _message(1)], {}).variables == {"GATEWAY_ALLOW_ALL_USERS": "false"}
    paired = Access([REGISTERED, _message(1, paired=True)], {})
    assert (paired.variables, list(paired.find_obstacles())) == ({}, [])
    (told,) = Access([_message(1, paired=True), _message(2)], {}).find_obstacles()
    assert told.startswith("the user of message 1 was admitted by pairing, which a replay does not support")


def test_settings_of_other_platforms_are_omitted() -> None:
    config = {
        "model": {"default": "x"},
        "display": {"tool_progress": "all", "language": "de"},
        "platforms": {"lines": {"enabled": True}, "telegram": {"enabled": True}},
    }
    assert choose_settings(config, [_message(1)]) == {
        "display": {"language": "de"},
        "platforms": {"lines": {"enabled": True}},
    }


def _trace(*events: Mapping[str, Any]) -> Trace:
    return Trace.of(list(events), host="real", release="0.19.0", scenario="x")


def test_texts_of_gateway_are_ignored_and_texts_of_agent_are_compared() -> None:
    answer = _request(1, returned={"text": "There is tea.", "interrupts": False})
    contents = [
        event["arguments"]["content"]
        for event in forget_notices(_trace(answer, _send(2, "📬 No home channel"), _send(3, "There is tea."))).events
        if event["kind"] == "adapter"
    ]
    assert contents == ["<notice>", "There is tea."]


def test_note_about_first_message_is_ignored() -> None:
    noted = _request(1)
    text = "hi\n\n[System note: This is the user's very first message ever. Say hello.]"
    noted["arguments"]["messages"][0]["content"] = text
    (event,) = forget_session(_trace(noted)).events
    assert event["arguments"]["messages"][0]["content"] == "hi"


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    (tmp_path / "p").mkdir()
    for name, text in PLUGIN.items():
        (tmp_path / "p" / name).write_text(text)
    content = {
        "mode": "gateway",
        "plugins": ["p"],
        "toolsets": ["terminal"],
        "config": {"approvals": {"mode": "manual"}},
        "script": {"main": [REMOVES, {"text": "Meanwhile."}, {"text": "removed"}]},
        "messages": [
            {"text": "remove it", "wait_send": "/approve"},
            {"text": "and me", "user_id": "u2"},
            {"text": "/approve"},
        ],
    }
    path = tmp_path / "s.yaml"
    path.write_text(json.dumps(content))
    return path


def test_approval_prompt_is_replayed(scenario: Path) -> None:
    recorded = play(scenario, release="0.19.0", record=True)
    assert recorded.problems == ()
    sends = [event["arguments"] for event in recorded.events if (event["kind"], event["name"]) == ("adapter", "send")]
    texts = [(one["chat_id"], one["content"].partition(" ")[0]) for one in sends]
    assert [one for one in texts if one[1] != "📬"] == [
        ("u1", "⚠️"),
        ("u2", "Meanwhile."),
        ("u1", "✅"),
        ("u1", "removed"),
    ]
    trace = scenario.with_name("s.trace")
    write_recording(recorded, trace)
    again = replay(read_recording(trace), trace)
    assert again.is_equal, again.reason

    plugin = scenario.parent / "p" / "__init__.py"
    plugin.write_text(PLUGIN["__init__.py"].replace("Be short.", "Be long."))
    number = next(event["order"] for event in recorded.events if event["kind"] == "hook")
    told = f'at event {number}: hook pre_llm_call returned "Be short." in context, now "Be long."'
    assert replay(read_recording(trace), trace).reason == told


def test_error_names_obstacle_to_replay(scenario: Path) -> None:
    recorded = change(
        play(scenario, release="0.19.0", record=True),
        observed=True,
        problems=("cannot be replayed: message 3 has no id.",),
    )
    with pytest.raises(UsageError, match=r"the recording cannot be replayed: message 3 has no id\."):
        replay(recorded, scenario.with_name("s.trace"))
