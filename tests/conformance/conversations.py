"""Comparable conversations: everything that plugins and the model see, without the host's own texts."""

from __future__ import annotations

import json
import re
from typing import Any

from hermes_sdk import contract
from hermes_sdk.hosts.interface import HookCalls, Host, Turn
from hermes_sdk.llm import Answer
from hermes_sdk.traces import Normaliser

# The system prompt of the host, and counts that depend on its length.
_OF_PROMPT = ("approx_input_tokens", "approx_tokens", "request_char_count", "system_prompt")


def converse(host: Host, *texts: str) -> list[Any]:
    """Send messages to the host and return everything comparable; script the model first."""
    normaliser = Normaliser({str(host.home): "<home>"})
    turns = [_turn(host.chat(text)) for text in texts]
    asked = [_shorten_request(request.body) for request in host.llm.requests]
    return _normalise(normaliser, [*turns, asked])


def script_summary(host: Host, call: Answer, *summaries: Answer) -> None:
    """Script a turn with a single request: an answer with a call, then the summary.

    In later releases the request for a summary offers tools, so the script for the agent loop answers it.
    """
    host.llm.script(call)
    offers_tools = contract.load(host.release).behaviour.summaries_offer_tools
    (host.llm if offers_tools else host.llm.aux).script(*summaries)


def comparable_hooks(normaliser: Normaliser, calls: HookCalls) -> Any:
    """Return calls of hooks in a comparable form."""
    return _normalise(normaliser, _hooks(calls))


def comparable_turn(normaliser: Normaliser, turn: Turn) -> Any:
    """Return the result, calls and history of a turn in a comparable form."""
    return _normalise(normaliser, _turn(turn))


def _turn(turn: Turn) -> dict[str, Any]:
    return {
        "reply": turn.reply,
        "completed": turn.completed,
        "interrupted": turn.interrupted,
        "error": turn.error,
        "calls": [[one.id, one.name, one.args, one.result.value] for one in turn.tool_calls],
        "hooks": _hooks(turn.hooks),
        "messages": turn.messages,
    }


def _hooks(calls: HookCalls) -> list[Any]:
    return [[one.name, list(one.arguments), one.returned, _comparable(one.arguments)] for one in calls]


def _comparable(arguments: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in arguments.items() if name not in _OF_PROMPT}


def _shorten_request(body: dict[str, Any]) -> dict[str, Any]:
    return {**body, "tools": [tool["function"]["name"] for tool in body.get("tools", ())]}


def _normalise(normaliser: Normaliser, value: Any) -> Any:
    text = re.sub(r"\(\d+\.\ds( elapsed)?\)", r"(<seconds>\1)", json.dumps(value, default=_represent))
    plain = json.loads(text, object_hook=_without_own_texts)
    event: Any = normaliser.event({"value": plain, "thread": "", "name": ""})
    return event["value"]


def _represent(value: Any) -> dict[str, str]:
    """Represent a value that is not serialisable as the real host does."""
    return {"__repr__": repr(value)}


def _without_own_texts(mapping: dict[str, Any]) -> Any:
    """Remove the host's own texts: its system prompt and tool descriptions."""
    if mapping.get("role") == "system":
        return {"role": "system"}
    if mapping.keys() >= {"type", "function"} and "parameters" in mapping["function"]:
        return f"<tool {mapping['function']['name']}>"
    return mapping
