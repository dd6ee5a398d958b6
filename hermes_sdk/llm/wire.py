"""Answers in the format of an OpenAI-compatible API: complete, streamed, and as an error."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hermes_sdk.llm.answers import Answer, ToolCall
from hermes_sdk.llm.script import MODEL, Request

_TEXT_PIECE = 12
_ARGUMENTS_PIECE = 16


def completion(answer: Answer, request: Request) -> dict[str, Any]:
    """Return an answer as a ``chat.completion``.

    Args:
        answer: The answer as `ScriptedModel.answer` returned it.
        request: The request that the answer belongs to.
    """
    message: dict[str, Any] = {"role": "assistant", "content": answer.text}
    if answer.tool_calls:
        message["tool_calls"] = [_tool_call(one, one.arguments) for one in answer.tool_calls]
    if answer.reasoning:
        message["reasoning_content"] = answer.reasoning
    choice = {"index": 0, "message": message, "finish_reason": answer.finish_reason}
    return {**_head(request, "chat.completion"), "choices": [choice], "usage": _make_usage(answer)}


def chunks(answer: Answer, request: Request) -> Iterator[dict[str, Any]]:
    """Yield an answer as ``chat.completion.chunk`` objects of a stream; the last chunk contains the usage.

    Args:
        answer: The answer as `ScriptedModel.answer` returned it.
        request: The request that the answer belongs to.
    """
    head = _head(request, "chat.completion.chunk")
    for delta in _deltas(answer):
        yield {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": answer.finish_reason}]}
    yield {**head, "choices": [], "usage": _make_usage(answer)}


def error(answer: Answer) -> dict[str, Any]:
    """Return the body of an error response."""
    return {"error": {"message": answer.error, "type": "stub_error"}}


def _head(request: Request, kind: str) -> dict[str, Any]:
    return {
        "id": f"chatcmpl-{request.lane}-{request.index}",
        "object": kind,
        "created": 1,
        "model": request.model or MODEL,
    }


def _make_usage(answer: Answer) -> dict[str, Any]:
    """Return the token counts, with details such as ``prompt_tokens_details.cached_tokens`` as nested mappings."""
    usage: dict[str, Any] = {}
    for name, count in (answer.usage or {}).items():
        group, _, detail = name.rpartition(".")
        (usage.setdefault(group, {}) if group else usage)[detail] = count
    return usage


def _tool_call(one: ToolCall, arguments: str) -> dict[str, Any]:
    return {"id": one.id, "type": "function", "function": {"name": one.name, "arguments": arguments}}


def _deltas(answer: Answer) -> Iterator[dict[str, Any]]:
    yield {"role": "assistant", "content": ""}
    if answer.reasoning:
        yield {"reasoning_content": answer.reasoning}
    for piece in _pieces(answer.text or "", _TEXT_PIECE):
        yield {"content": piece}
    for number, one in enumerate(answer.tool_calls):
        yield {"tool_calls": [{"index": number, **_tool_call(one, "")}]}
        for piece in _pieces(one.arguments, _ARGUMENTS_PIECE):
            yield {"tool_calls": [{"index": number, "function": {"arguments": piece}}]}


def _pieces(text: str, size: int) -> Iterator[str]:
    return (text[start : start + size] for start in range(0, len(text), size))
