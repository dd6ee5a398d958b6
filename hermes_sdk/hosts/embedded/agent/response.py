"""Answers of the model in the host's forms: the normalised one that ``post_api_request`` gets, and the history's.

The provider's form, which ``llm_execution`` middleware gets, is in `provider_response`.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

from hermes_sdk.hosts.embedded.hook_payload import summarise_tokens

NAMELESS = "invalid_tool_call"
"""What stands for a tool in a call without a name."""

_THINKING = re.compile(r"<think>(.*?)</think>", re.DOTALL)
_CALLS = re.compile(
    r"<(tool_call|tool_calls|tool_result|function_call|function_calls)\b[^>]*>.*?</\1>", re.DOTALL | re.IGNORECASE
)
"""Calls of tools that a model wrote as text."""


@dataclass
class ToolCall:
    """A tool call in the host's normalised form; its arguments are JSON text."""

    id: str | None
    name: str
    arguments: str
    provider_data: dict[str, Any] | None = field(default=None, repr=False)

    @property
    def type(self) -> str:
        """Always ``function``."""
        return "function"

    @property
    def function(self) -> ToolCall:
        """The call itself, for code that expects the provider's form."""
        return self


@dataclass
class Usage:
    """Counts of tokens in the host's normalised form."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    total_tokens: int = 0
    cached_tokens: int = 0


@dataclass
class NormalizedResponse:
    """An answer in the host's normalised form."""

    content: str | None
    tool_calls: list[ToolCall] | None
    finish_reason: str
    reasoning: str | None = None
    usage: Usage | None = None
    provider_data: dict[str, Any] | None = field(default=None, repr=False)

    @property
    def reasoning_content(self) -> str | None:
        """The reasoning, where the provider sends it under that name."""
        return (self.provider_data or {}).get("reasoning_content")


# Plugins see these as classes of the module that defines them in the host.
for _class in (ToolCall, Usage, NormalizedResponse):
    _class.__module__ = "agent.transports.types"


def explain_invalid(response: Any) -> str | None:
    """Return what is wrong with a response, possibly one from a middleware, or None."""
    if response is None:
        return "response is None"
    if not hasattr(response, "choices"):
        return "response has no 'choices' attribute"
    if response.choices is None:
        return "response.choices is None"
    return None if response.choices else "response.choices is empty"


def normalise(response: Any) -> NormalizedResponse:
    """Convert a valid response of a provider or a middleware into the host's form."""
    choice = response.choices[0]
    message = choice.message
    calls = [ToolCall(one.id, one.function.name, one.function.arguments) for one in message.tool_calls or ()]
    counted = getattr(response, "usage", None)
    usage = None
    if counted:
        names = ("prompt_tokens", "completion_tokens", "total_tokens")
        usage = Usage(*(getattr(counted, name, 0) or 0 for name in names))
    reasoning_content = getattr(message, "reasoning_content", None)
    return NormalizedResponse(
        content=_read_text(message.content),
        tool_calls=calls or None,
        finish_reason=choice.finish_reason or "stop",
        reasoning=getattr(message, "reasoning", None),
        usage=usage,
        provider_data=None if reasoning_content is None else {"reasoning_content": reasoning_content},
    )


def summarise_usage(response: Any) -> dict[str, int] | None:
    """Summarise the counts of tokens for hooks."""
    counted = getattr(response, "usage", None)
    if not counted:
        return None
    return summarise_tokens(*(getattr(counted, name, 0) or 0 for name in ("prompt_tokens", "completion_tokens")))


def make_history_message(answer: NormalizedResponse, finish_reason: str) -> dict[str, Any]:
    """Build the message that the history keeps of an answer."""
    text = answer.content or ""
    reasoning = answer.reasoning or answer.reasoning_content
    if not reasoning:
        reasoning = find_thoughts(text)
    message: dict[str, Any] = {
        "role": "assistant",
        "content": strip_thinking(text),
        "reasoning": reasoning,
        "finish_reason": finish_reason,
    }
    if reasoning:
        message["reasoning_content"] = reasoning
    if answer.tool_calls:
        message["tool_calls"] = [_make_history_call(one) for one in answer.tool_calls]
    return message


def name_nameless_calls(message: dict[str, Any]) -> None:
    """Fill in, in place, the missing names of the tools that a message calls."""
    for call in message["tool_calls"]:
        call["function"]["name"] = call["function"]["name"] or NAMELESS


def _make_history_call(call: ToolCall) -> dict[str, Any]:
    call_id = call.id or ""
    return {
        "id": call_id,
        "call_id": call_id,
        "response_item_id": f"fc_{call_id.removeprefix('call_')}",
        "type": "function",
        "function": {"name": call.name, "arguments": call.arguments},
    }


def find_thoughts(text: str) -> str | None:
    """Return the model's reasoning in a text, None if there is none."""
    thoughts = [one.strip() for one in _THINKING.findall(text)]
    return "\n\n".join(one for one in thoughts if one) or None


def strip_thinking(text: str) -> str:
    """Remove the model's reasoning, and calls of tools, from a text."""
    return _CALLS.sub("", _THINKING.sub("", text)).strip()


def _read_text(content: Any) -> str | None:
    """Read the text of a message whose content a middleware may have made a mapping or a list of parts."""
    if content is None or isinstance(content, str):
        return content
    if isinstance(content, dict):
        return content.get("text", "") or content.get("content", "") or json.dumps(content)
    if isinstance(content, list):
        parts = (part.get("text") if isinstance(part, dict) else part for part in content)
        return "\n".join(str(part) for part in parts if part is not None)
    return str(content)
