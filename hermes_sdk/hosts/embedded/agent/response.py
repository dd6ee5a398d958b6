"""Responses of the model in the forms that the host uses.

``llm_execution`` middleware receives the provider's form, ``post_api_request`` the normalised form, and the history
stores messages.
"""

from __future__ import annotations

import json
import re
import uuid
from collections import Counter
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from hermes_sdk.contract import Behaviour
from hermes_sdk.hosts.embedded.agent.surrogates import replace_surrogates
from hermes_sdk.hosts.embedded.agent.tool_call_repair import repair_arguments
from hermes_sdk.hosts.embedded.hook_payload import summarise_tokens
from hermes_sdk.llm import Answer, Request, wire

NAMELESS = "invalid_tool_call"
"""Tool name for calls without one."""
_THINKING = re.compile(r"<think>(.*?)</think>", re.DOTALL)
_CALLS = re.compile(
    r"<(tool_call|tool_calls|tool_result|function_call|function_calls)\b[^>]*>.*?</\1>", re.DOTALL | re.IGNORECASE
)
"""Matches tool calls that a model wrote as text."""
_UNCLOSED_CALL = re.compile(
    r"(?:^|\n)[ \t]*<(?:tool_calls?|tool_result|function_calls?)\b[^>]*>.*$", re.DOTALL | re.IGNORECASE
)
"""Matches an unclosed call at the beginning of a line, up to the end of the text."""
_OTHER_TAGS = re.compile(
    r"</?(think|thinking|reasoning|thought|reasoning_scratchpad|思考|反思|推理|推敲)\b[^>]*>"
    r"|</(tool_calls?|tool_result|function_calls?|function)\b|<function\b"
    r"|</?[\w.-]+:(tool_calls?|tool_result|function_calls?|function)\b|</?arg_(key|value)\b",
    re.IGNORECASE,
)
"""Matches other tags for reasoning and calls, and unmatched tags."""
_WINDOW = 60
_MAX_REPEATS = 5
_TYPES = "openai.types"


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
        """The call itself, for plugins that expect the provider's form."""
        return self


@dataclass
class Usage:
    """Token counts in the host's normalised form."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    total_tokens: int = 0
    cached_tokens: int = 0


@dataclass
class NormalizedResponse:
    """A response in the host's normalised form."""

    content: str | None
    tool_calls: list[ToolCall] | None
    finish_reason: str
    reasoning: str | None = None
    usage: Usage | None = None
    provider_data: dict[str, Any] | None = field(default=None, repr=False)

    @property
    def reasoning_content(self) -> str | None:
        """The reasoning, if the provider sends it under this name."""
        return (self.provider_data or {}).get("reasoning_content")


# Plugins see these as classes of the module that defines them in the host.
for _class in (ToolCall, Usage, NormalizedResponse):
    _class.__module__ = "agent.transports.types"


def explain_invalid(response: Any) -> str | None:
    """Return an error message if a response of a provider or middleware is invalid, or None."""
    if response is None:
        return "response is None"
    if not hasattr(response, "choices"):
        return "response has no 'choices' attribute"
    if response.choices is None:
        return "response.choices is None"
    return None if response.choices else "response.choices is empty"


def normalise(response: Any) -> NormalizedResponse:
    """Convert a valid response of a provider or middleware to the normalised form."""
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


def summarise_usage(response: Any, behaviour: Behaviour) -> dict[str, int] | None:
    """Summarise token counts for hooks; later releases accept more field names, and mappings."""
    usage = getattr(response, "usage", None)
    if not usage:
        return None
    widely = behaviour.usage_read_widely

    def get(holder: Any, name: str) -> Any:
        return holder.get(name) if widely and isinstance(holder, dict) else getattr(holder, name, None)

    def count(*names: str, later: str = "") -> int:
        """Return the first non-zero count; names of nested fields are dotted paths."""
        for path in [*names, later] if widely and later else names:
            holder, _, name = path.rpartition(".")
            try:
                value = int(get(get(usage, holder) if holder else usage, name) or 0)
            except (TypeError, ValueError):
                continue
            if value > 0 or (value and not widely):
                return value
        return 0

    read = count(
        "prompt_tokens_details.cached_tokens",
        "cache_read_input_tokens",
        "prompt_cache_hit_tokens",
        later="cached_tokens",
    )
    created = ("prompt_tokens_details.cache_creation_input_tokens",) if widely else ()
    written = count(
        "prompt_tokens_details.cache_write_tokens", *created, "cache_creation_input_tokens", later="cache_write_tokens"
    )
    new = max(0, count("prompt_tokens", later="input_tokens") - read - written)
    return summarise_tokens(
        new + read + written,
        count("completion_tokens", later="output_tokens"),
        read=read,
        written=written,
        reasoning=count("output_tokens_details.reasoning_tokens", "completion_tokens_details.reasoning_tokens"),
    )


def make_history_message(answer: NormalizedResponse, finish_reason: str, behaviour: Behaviour) -> dict[str, Any]:
    """Build the history message for a response."""
    text = answer.content or ""
    reasoning = answer.reasoning or answer.reasoning_content
    if not reasoning:
        reasoning = extract_thoughts(text)
    reasoning = replace_surrogates(reasoning)
    message: dict[str, Any] = {
        "role": "assistant",
        "content": replace_surrogates(strip_thinking(text, behaviour)),
        "reasoning": reasoning,
        "finish_reason": finish_reason,
    }
    if reasoning:
        message["reasoning_content"] = reasoning
    if answer.tool_calls:
        message["tool_calls"] = [_make_history_call(one) for one in answer.tool_calls]
    return message


def fill_in_names(message: dict[str, Any]) -> None:
    """Set missing tool names in the calls of a message, in place."""
    for call in message["tool_calls"]:
        if not call["function"]["name"].strip():
            call["function"]["name"] = NAMELESS


def _make_history_call(call: ToolCall) -> dict[str, Any]:
    call_id = call.id or ""
    return {
        "id": call_id,
        "call_id": call_id,
        "response_item_id": f"fc_{call_id.removeprefix('call_')}",
        "type": "function",
        "function": {"name": call.name, "arguments": call.arguments},
    }


def extract_thoughts(text: str) -> str | None:
    """Return the content of the ``<think>`` tags in a text, or None."""
    thoughts = [one.strip() for one in _THINKING.findall(text)]
    return "\n\n".join(one for one in thoughts if one) or None


def strip_thinking(text: str, behaviour: Behaviour) -> str:
    """Remove reasoning and written tool calls from a text."""
    text = _CALLS.sub("", _THINKING.sub("", text))
    if behaviour.begun_calls_removed:
        text = _UNCLOSED_CALL.sub("", text)
    return text.strip()


def has_other_tags(text: str) -> bool:
    """Return whether a text has reasoning or call tags that the host removes and `strip_thinking` does not."""
    return bool(_OTHER_TAGS.search(_CALLS.sub("", _THINKING.sub("", text))))


def is_repetitive(text: str) -> bool:
    """Return whether a text is so repetitive that the host may treat it as a loop of the model."""
    lines = Counter(line.strip() for line in text.splitlines() if line.strip())
    if any(count >= _MAX_REPEATS and count * len(line) * 2 >= len(text) for line, count in lines.items()):
        return True
    pieces = Counter(text[start : start + _WINDOW] for start in range(len(text) - _WINDOW + 1))
    return any(count >= _MAX_REPEATS - 1 for count in pieces.values())


def _read_text(content: Any) -> str | None:
    """Return the text of message content, which middleware may have replaced with a mapping or a list of parts."""
    if content is None or isinstance(content, str):
        return content
    if isinstance(content, dict):
        return content.get("text", "") or content.get("content", "") or json.dumps(content)
    if isinstance(content, list):
        parts = (part.get("text") if isinstance(part, dict) else part for part in content)
        return "\n".join(str(part) for part in parts if part is not None)
    return str(content)


class _Model(SimpleNamespace):
    """Base of the provider client's response objects."""

    def model_dump(self) -> dict[str, Any]:
        """Return the attributes as a mapping, including those of nested objects."""
        return {name: _dump(value) for name, value in vars(self).items()}


def _dump(value: Any) -> Any:
    if isinstance(value, list):
        return [_dump(item) for item in value]
    return value.model_dump() if isinstance(value, _Model) else value


class CompletionUsage(_Model):
    """Token counts of a response."""


class CompletionTokensDetails(_Model):
    """Details of the completion tokens."""

    def __init__(self) -> None:
        names = ("accepted_prediction_tokens", "audio_tokens", "reasoning_tokens", "rejected_prediction_tokens")
        super().__init__(**dict.fromkeys(names))


class PromptTokensDetails(_Model):
    """Details of the prompt tokens."""

    def __init__(self) -> None:
        super().__init__(audio_tokens=None, cached_tokens=None)


class ChatCompletion(_Model):
    """A response that was not streamed."""


class Choice(_Model):
    """The only choice in a response."""


class ChatCompletionMessage(_Model):
    """The message of a choice."""


class ChatCompletionMessageFunctionToolCall(_Model):
    """A tool call in a message."""


class Function(_Model):
    """The name and arguments of a tool call."""


# Plugins see these as classes of the modules that define them in the provider's client.
CompletionUsage.__module__ = f"{_TYPES}.completion_usage"
CompletionTokensDetails.__module__ = PromptTokensDetails.__module__ = CompletionUsage.__module__
ChatCompletion.__module__ = Choice.__module__ = f"{_TYPES}.chat.chat_completion"
ChatCompletionMessage.__module__ = f"{_TYPES}.chat.chat_completion_message"
ChatCompletionMessageFunctionToolCall.__module__ = f"{_TYPES}.chat.chat_completion_message_function_tool_call"
Function.__module__ = ChatCompletionMessageFunctionToolCall.__module__

_DETAILS = {
    "completion_tokens_details": CompletionTokensDetails,
    "prompt_tokens_details": PromptTokensDetails,
}


def make_streamed_response(answer: Answer, request: Request, behaviour: Behaviour) -> SimpleNamespace:
    """Assemble a response from a stream, as the host does; irreparable arguments count as truncated."""
    arguments = [
        repair_arguments(one.arguments, in_order=behaviour.brackets_closed_in_order) for one in answer.tool_calls
    ]
    calls = [
        SimpleNamespace(
            id=one.id,
            type="function",
            extra_content=None,
            function=_make_function(one.name, one.arguments, repaired, behaviour),
        )
        for one, repaired in zip(answer.tool_calls, arguments, strict=True)
    ]
    message = SimpleNamespace(
        role="assistant",
        content=answer.text or None,
        tool_calls=calls or None,
        reasoning_content=answer.reasoning,
    )
    if behaviour.thoughts_told and not answer.reasoning:
        message.reasoning_content = extract_thoughts(answer.text or "")
    if behaviour.refusals_streamed:
        message.refusal = None
    finish_reason = "length" if None in arguments else answer.finish_reason
    whole = wire.completion(answer, request)
    response = SimpleNamespace(
        id=whole["id"] if behaviour.streams_identified else f"stream-{uuid.uuid4()}",
        model=whole["model"],
        choices=[SimpleNamespace(index=0, message=message, finish_reason=finish_reason)],
        usage=_make_usage(answer),
    )
    if behaviour.streams_identified:
        response.provider = None
    return response


def _make_function(name: str, arguments: str, repaired: str | None, behaviour: Behaviour) -> SimpleNamespace:
    function = SimpleNamespace(name=name, arguments=arguments if repaired is None else repaired)
    if behaviour.repairs_told:
        function.args_repaired = function.arguments != arguments
        function.thought_signature = None
    return function


def make_whole_response(answer: Answer, request: Request) -> ChatCompletion:
    """Build a response without streaming, as the provider's client does."""
    whole = wire.completion(answer, request)
    calls = [
        ChatCompletionMessageFunctionToolCall(
            id=one.id, function=Function(arguments=one.arguments, name=one.name), type="function"
        )
        for one in answer.tool_calls
    ]
    message = ChatCompletionMessage(
        content=answer.text,
        refusal=None,
        role="assistant",
        annotations=None,
        audio=None,
        function_call=None,
        tool_calls=calls or None,
    )
    if answer.reasoning:
        message.reasoning_content = answer.reasoning
    return ChatCompletion(
        id=whole["id"],
        choices=[Choice(finish_reason=answer.finish_reason, index=0, logprobs=None, message=message)],
        created=whole["created"],
        model=whole["model"],
        object=whole["object"],
        service_tier=None,
        system_fingerprint=None,
        usage=_make_usage(answer),
    )


def _make_usage(answer: Answer) -> CompletionUsage:
    """Build the token counts of a response; dotted names set details."""
    counts: dict[str, Any] = dict.fromkeys(("completion_tokens", "prompt_tokens", "total_tokens"), 0)
    counts |= dict.fromkeys(_DETAILS)
    for name, count in (answer.usage or {}).items():
        group, _, detail = name.rpartition(".")
        if group in _DETAILS:
            counts[group] = counts[group] or _DETAILS[group]()
            setattr(counts[group], detail, count)
        else:
            counts[name] = count
    return CompletionUsage(**counts)
