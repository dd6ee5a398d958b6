"""What cases about turns show of a conversation: all that plugin and model saw, but for what is the host's own."""

from __future__ import annotations

import json
import re
from typing import Any

from hermes_sdk import contract
from hermes_sdk.hosts.interface import HookCalls, Host, Turn
from hermes_sdk.llm import Answer
from hermes_sdk.traces import Normaliser

# The host's own system prompt, and what depends on its length.
_OF_PROMPT = ("approx_input_tokens", "approx_tokens", "request_char_count", "system_prompt")


def converse(host: Host, *texts: str) -> list[Any]:
    """Say these things one after another and show everything; the script of the model must be there before."""
    normaliser = Normaliser({str(host.home): "<home>"})
    turns = [_turn(host.chat(text)) for text in texts]
    asked = [_asked(request.body) for request in host.llm.requests]
    return _normalised(normaliser, [*turns, asked])


def script_summary(host: Host, call: Answer, *summaries: Answer) -> None:
    """Script a turn that may make one request: the call in its answer, and what follows as its summary.

    In later releases the request for a summary offers tools, so the script for the agent loop answers it.
    """
    host.llm.script(call)
    offers_tools = contract.load(host.release).behaviour.summaries_offer_tools
    (host.llm if offers_tools else host.llm.aux).script(*summaries)


def comparable_hooks(normaliser: Normaliser, calls: HookCalls) -> Any:
    """The calls of hooks, comparable."""
    return _normalised(normaliser, _hooks(calls))


def comparable_turn(normaliser: Normaliser, turn: Turn) -> Any:
    """How a turn ended, its calls and its history, comparable."""
    return _normalised(normaliser, _turn(turn))


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


def _asked(body: dict[str, Any]) -> dict[str, Any]:
    return {**body, "tools": [tool["function"]["name"] for tool in body.get("tools", ())]}


def _normalised(normaliser: Normaliser, value: Any) -> Any:
    text = re.sub(r"\(\d+\.\ds( elapsed)?\)", r"(<seconds>\1)", json.dumps(value, default=_represent))
    plain = json.loads(text, object_hook=_without_own_texts)
    event: Any = normaliser.event({"value": plain, "thread": "", "name": ""})
    return event["value"]


def _represent(value: Any) -> dict[str, str]:
    """Write a value that JSON does not have as the real host does."""
    return {"__repr__": repr(value)}


def _without_own_texts(mapping: dict[str, Any]) -> Any:
    """Leave out what the host words for the model: its system prompt, and what its tools are for."""
    if mapping.get("role") == "system":
        return {"role": "system"}
    if mapping.keys() >= {"type", "function"} and "parameters" in mapping["function"]:
        return f"<tool {mapping['function']['name']}>"
    return mapping
