"""Answers of the model in the provider's form, which ``llm_execution`` middleware gets."""

from __future__ import annotations

import uuid
from types import SimpleNamespace
from typing import Any

from hermes_sdk.contract import Behaviour
from hermes_sdk.hosts.embedded.agent.response import find_thoughts
from hermes_sdk.hosts.embedded.agent.tool_call_repair import repair_arguments
from hermes_sdk.llm import Answer, Request, wire

_TYPES = "openai.types"


class _Model(SimpleNamespace):
    """An object of the provider's client."""

    def model_dump(self) -> dict[str, Any]:
        """The attributes as a mapping, with those of the objects in them."""
        return {name: _dump(value) for name, value in vars(self).items()}


def _dump(value: Any) -> Any:
    if isinstance(value, list):
        return [_dump(item) for item in value]
    return value.model_dump() if isinstance(value, _Model) else value


class CompletionUsage(_Model):
    """Counts of tokens."""


class ChatCompletion(_Model):
    """An answer that came as a whole."""


class Choice(_Model):
    """What the provider answered; there is only one."""


class ChatCompletionMessage(_Model):
    """The message of the answer."""


class ChatCompletionMessageFunctionToolCall(_Model):
    """A call of a tool."""


class Function(_Model):
    """The name of a tool, and what it is called with."""


# Plugins see these as classes of the modules that define them in the provider's client.
CompletionUsage.__module__ = f"{_TYPES}.completion_usage"
ChatCompletion.__module__ = Choice.__module__ = f"{_TYPES}.chat.chat_completion"
ChatCompletionMessage.__module__ = f"{_TYPES}.chat.chat_completion_message"
for _class in (ChatCompletionMessageFunctionToolCall, Function):
    _class.__module__ = f"{_TYPES}.chat.chat_completion_message_function_tool_call"


def make_streamed_response(answer: Answer, request: Request, behaviour: Behaviour) -> SimpleNamespace:
    """Assemble a response as the host does from a stream; unreadable arguments count as cut off."""
    arguments = [
        repair_arguments(one.arguments, in_order=behaviour.brackets_closed_in_order) for one in answer.tool_calls
    ]
    calls = [
        SimpleNamespace(
            id=one.id,
            type="function",
            extra_content=None,
            function=_make_function(one.name, one.arguments, given, behaviour),
        )
        for one, given in zip(answer.tool_calls, arguments, strict=True)
    ]
    message = SimpleNamespace(
        role="assistant",
        content=answer.text or None,
        tool_calls=calls or None,
        reasoning_content=answer.reasoning,
    )
    if behaviour.thoughts_told and not answer.reasoning:
        message.reasoning_content = find_thoughts(answer.text or "")
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
    """Build a response as the provider's client does of an answer that is not a stream."""
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
    usage = answer.usage or {}
    return CompletionUsage(
        completion_tokens=usage.get("completion_tokens", 0),
        prompt_tokens=usage.get("prompt_tokens", 0),
        total_tokens=usage.get("total_tokens", 0),
        completion_tokens_details=None,
        prompt_tokens_details=None,
    )
