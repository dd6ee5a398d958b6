"""Gateways in recordings of the user's host: messages for the replay, and obstacles to a replay."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from hermes_sdk.traces.trace import Event

_SECTIONS = frozenset(
    {
        "display",
        "gateway",
        "group_sessions_per_user",
        "human_delay",
        "onboarding",
        "platforms",
        "privacy",
        "quick_commands",
        "session_reset",
        "streaming",
        "thread_sessions_per_user",
        "unauthorized_dm_behavior",
    }
)
"""The additional sections of ``config.yaml`` that the replay of a gateway uses."""

_NEVER = 1 << 63
_KINDS = frozenset({"adapter", "gateway_hook", "message"})
_THREAD = "gateway"
"""The thread in which a replay runs the event loop of the gateway."""

_CUT_OFF: Mapping[str, Any] = {
    "__type__": "Answer",
    **dict.fromkeys(("text", "reasoning", "usage", "finish_reason", "status", "error")),
    "tool_calls": [],
    "interrupts": True,
}
"""The answer to a request that never ended because the user stopped the agent."""

_BUTTONS = frozenset({"send_clarify", "send_exec_approval", "send_slash_confirm", "_send_exec_approval_prompt"})
"""Methods of adapters that show buttons to the user."""

_PROMPT = re.compile(r"(?<=`)[^\w\s`]approve(?=`)")


def is_gateway(events: Sequence[Event]) -> bool:
    """Return whether recorded events come from a gateway."""
    return any(event["kind"] in _KINDS for event in events)


def convert_events(events: Sequence[Event]) -> list[Event]:
    """Convert events to those that a replay records: messages instead of turns, and the threads of a replay."""
    began = min(event["t"] for event in events if event["kind"] in _KINDS)
    messages = [event["t"] for event in events if event["kind"] == "message"]
    converted = [_convert(event, began, messages) for event in events if event["kind"] != "turn"]
    return sorted(converted, key=lambda event: event["t"])


def _convert(event: Event, began: int, messages: Sequence[int]) -> Event:
    if event["kind"] == "message":
        kept = {key: value for key, value in event["arguments"].items() if key != "beyond"}
        return {**{key: event[key] for key in ("t", "kind", "name", "thread")}, "arguments": kept}
    if _is_cut_off(event):
        # In a replay, the scripted model sends the message that stops the agent before the request is recorded.
        ends = [t + 1 for t in messages if _spans(event, t)]
        return {**event, "t": min([*ends, event.get("end", _NEVER)]) if ends else event["t"], "returned": _CUT_OFF}
    in_loop = event["thread"] == "MainThread" and event["t"] >= began
    return {**event, "thread": _THREAD} if in_loop else event


class Messages:
    """Messages of users, and the gateway's prompts that they answer.

    Attributes:
        obstacles: The reasons why they cannot be replayed, and what to do instead; empty if they can.
    """

    def __init__(self, events: Sequence[Event]) -> None:
        self._events = events
        self._messages = [event for event in events if event["kind"] == "message"]
        self._waiting: set[str] = set()
        self.obstacles: list[str] = []
        self.scenario = [self._convert(number) for number in range(len(self._messages))]
        self.obstacles += [*self._find_buttons(), *self._find_earlier_sessions()]

    def _convert(self, number: int) -> dict[str, Any]:
        message = self._messages[number]
        arguments = {key: value for key, value in message["arguments"].items() if key != "beyond"}
        self._check(number + 1, message)
        # An answer ends the wait, unless the agent prompts again.
        self._waiting.discard(message["key"])
        prompt = self._find_prompt(number)
        if prompt:
            self._waiting.add(message["key"])
            arguments["wait_send"] = prompt
        return arguments

    def _check(self, number: int, message: Event) -> None:
        """Add the reasons why a message cannot be replayed to the obstacles."""
        arguments = message["arguments"]
        if beyond := arguments["beyond"]:
            names = ", ".join(f"`{name}`" for name in beyond)
            self.obstacles.append(f"message {number} has {names}. Record a session with plain text messages.")
        if not arguments.get("message_id"):
            self.obstacles.append(f"message {number} has no id. Let the adapter pass a `message_id`.")
        if not arguments["text"]:
            self.obstacles.append(f"message {number} has no text. Record a session with plain text messages.")
        if self._is_working(message) and not self._interrupts(message):
            self.obstacles.append(
                f"message {number} arrived while the agent was working. Record a session in which users wait for "
                "each answer before they write again, and for a moment after they stop the agent."
            )

    def _is_working(self, message: Event) -> bool:
        """Return whether a message arrives while a turn is running that does not wait for the user.

        A stopped turn may still be running when its chat is idle.
        """
        turns = [event for event in self._events if event["kind"] == "turn" and _spans(event, message["t"])]
        return len(turns) > len(self._waiting)

    def _interrupts(self, message: Event) -> bool:
        """Return whether a message interrupted the agent while it waited for the model."""
        return message["key"] in message["busy"] and any(
            _is_cut_off(event) and _spans(event, message["t"]) for event in self._events
        )

    def _find_prompt(self, number: int) -> str:
        """Return the start of the gateway's prompt after a message; empty if the chat does not wait for a reply."""
        message, following = self._messages[number], self._messages[number + 1 : number + 2]
        if not following or message["key"] not in following[0]["busy"]:
            return ""
        sends = [
            event["arguments"]
            for event in self._events
            if (event["kind"], event["name"]) == ("adapter", "send")
            and message["t"] < event["t"] < following[0]["t"]
            and str(event["arguments"].get("chat_id")) == message["arguments"].get("chat_id")
        ]
        return next((prompt for one in sends if (prompt := _parse_prompt(one))), "")

    def _find_earlier_sessions(self) -> Iterator[str]:
        """Yield obstacles: messages that continue or end a session that began before the recording."""
        known = set[str]()
        for number, message in enumerate(self._messages, 1):
            end = next((one["t"] for one in self._messages[number:]), _NEVER)
            part = [event for event in self._events if message["t"] < event["t"] < end]
            renews = message["arguments"]["text"].split(maxsplit=1)[:1] in (["/new"], ["/reset"])
            if message["key"] not in known and (continues_session(part) or (renews and message["continued"])):
                yield f"message {number} belongs to an earlier session. Write `/new` in that chat before you record."
            known.add(message["key"])

    def _find_buttons(self) -> Iterator[str]:
        names = {event["name"] for event in self._events if event["kind"] == "adapter"}
        for name in sorted(names & _BUTTONS):
            yield (
                f"the adapter asked with buttons (`{name}`), which a replay cannot press. Record a session without"
                " them."
            )


def _parse_prompt(arguments: Mapping[str, Any]) -> str:
    """Return the command that a prompt offers, such as ``/approve``; empty if the message is not a prompt."""
    if found := _PROMPT.search(str(arguments.get("content"))):
        return found[0]
    metadata = arguments.get("metadata")
    return "/approve" if isinstance(metadata, dict) and metadata.get("is_approval_prompt") else ""


def continues_session(events: Sequence[Event]) -> bool:
    """Return whether the first request already contains an answer of an earlier turn."""
    requests = [event for event in events if (event["kind"], event["name"]) == ("llm_request", "main")]
    messages = requests[0]["arguments"].get("messages", ()) if requests else ()
    return any(isinstance(one, dict) and one.get("role") == "assistant" for one in messages)


def choose_settings(config: Mapping[str, Any], events: Sequence[Event]) -> dict[str, Any]:
    """Return the settings for the replay of a gateway, without those of other platforms and of omitted events."""
    kept = {key: value for key, value in config.items() if key in _SECTIONS}
    names = {event["name"] for event in events if event["kind"] == "message"}
    if isinstance(platforms := kept.get("platforms"), dict):
        kept["platforms"] = {name: value for name, value in platforms.items() if name in names}
    if isinstance(display := kept.get("display"), dict):
        kept["display"] = {key: value for key, value in display.items() if key not in ("platforms", "tool_progress")}
    return {key: value for key, value in kept.items() if value != {}}


def make_content(events: Sequence[Event], home: Path, folder: Path) -> tuple[dict[str, Any], list[str]]:
    """Return a scenario's keys for a gateway, and the reasons why it cannot be replayed."""
    messages = Messages(events)
    hooks = sorted(file.parent for file in (home / "hooks").glob("*/HOOK.yaml"))
    listed = {"gateway_hooks": [os.path.relpath(hook, folder) for hook in hooks]} if hooks else {}
    problems = [*find_foreign_platforms(events), *messages.obstacles]
    return {"mode": "gateway", **listed, "messages": messages.scenario}, problems


def find_foreign_platforms(events: Sequence[Event]) -> Iterator[str]:
    """Yield obstacles: messages of platforms that the user's plugins do not provide."""
    registered = [event for event in events if (event["kind"], event["name"]) == ("register", "register_platform")]
    known = {str(event["arguments"].get("name")) for event in registered}
    for name in sorted({event["name"] for event in events if event["kind"] == "message"} - known):
        yield (
            f"the platform {name} belongs to Hermes, but a replay supports only platforms of plugins. Record a "
            "session on the platform of a plugin, or with `hermes chat`."
        )


class Access:
    """Access of users to the gateway.

    Attributes:
        variables: Environment variables that grant access or name home channels, with their values.
    """

    def __init__(self, events: Sequence[Event], variables: Mapping[str, str]) -> None:
        self._messages = [event for event in events if event["kind"] == "message"]
        lists, homes = ["GATEWAY_ALLOWED_USERS", "GATEWAY_ALLOW_ALL_USERS"], list[str]()
        for event in events:
            if (event["kind"], event["name"]) == ("register", "register_platform"):
                given = event["arguments"]
                lists += [str(given.get(key)) for key in ("allowed_users_env", "allow_all_env")]
                homes += [str(given.get("cron_deliver_env_var")), f"{str(given.get('name')).upper()}_HOME_CHANNEL"]
        names = sorted({*lists, *homes}) if self._messages else ()
        self.variables = {name: variables[name] for name in names if variables.get(name)}
        self._has_lists = bool(self.variables.keys() & {*lists})
        if self._messages and not self._has_lists and not any(event["paired"] for event in self._messages):
            self.variables["GATEWAY_ALLOW_ALL_USERS"] = "false"

    def find_obstacles(self) -> Iterator[str]:
        """Yield obstacles: messages that a replay would answer differently, because it has no paired users."""
        if not self._has_lists and all(event["paired"] for event in self._messages):
            return
        for number, event in enumerate(self._messages, 1):
            if event["paired"]:
                yield (
                    f"the user of message {number} was admitted by pairing, which a replay does not support if other "
                    "users were admitted in another way. Add the user to `GATEWAY_ALLOWED_USERS`, and record again."
                )


def _is_cut_off(event: Event) -> bool:
    """Return whether the user stopped the agent during a request to the model."""
    is_request = (event["kind"], event["name"]) == ("llm_request", "main")
    return is_request and bool(event.get("returned", _CUT_OFF)["interrupts"])


def _spans(event: Event, t: int) -> bool:
    return bool(event["t"] <= t <= event.get("end", _NEVER))
