"""Recording of requests to the model in the HTTP client of the host, streamed or not."""

from __future__ import annotations

import contextlib
import functools
import inspect
import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ...in_worker.recording import Recording

# Hosts request a title of the session in the background.
_TITLE_MODULE = "agent.title_generator"

_MESSAGE_FIELDS = ("content", "reasoning_content", "reasoning")


class Request:
    """A request to the model, which is in `waiting` until it is answered or abandoned."""

    def __init__(self, complete: Callable[..., None], waiting: list[Request]) -> None:
        self.chunks: list[bytes] = []
        self._complete = complete
        self._waiting = waiting
        waiting.append(self)

    def end(self, **outcome: Any) -> None:
        """Record the outcome, unless the request was abandoned."""
        with contextlib.suppress(ValueError):
            self._waiting.remove(self)
            self._complete(**outcome)

    def give_up(self) -> None:
        """Record the partial answer of a request that the user stopped; some hosts leave its connection open."""
        self.end(returned=_read_stream(self.chunks))


def attach(recording: Recording, httpx: Any, is_of_plugin: Callable[[], bool], waiting: list[Request]) -> None:
    """Record the requests for completions of `httpx` clients, except those of plugins."""
    send, send_async = httpx.Client.send, httpx.AsyncClient.send

    @functools.wraps(send)
    def send_recorded(client: Any, request: Any, **options: Any) -> Any:
        recorded_request = None if is_of_plugin() else _begin(recording, request, waiting)
        if recorded_request is None:
            return send(client, request, **options)
        with _record_failure(recorded_request):
            response = send(client, request, **options)
        if _is_stream(response):
            response.iter_bytes = _tee(response.iter_bytes, recorded_request)
        else:
            with contextlib.suppress(Exception):
                response.read()
            recorded_request.end(returned=_read_response(response.status_code, response))
        return response

    @functools.wraps(send_async)
    async def send_recorded_async(client: Any, request: Any, **options: Any) -> Any:
        recorded_request = None if is_of_plugin() else _begin(recording, request, waiting)
        if recorded_request is None:
            return await send_async(client, request, **options)
        with _record_failure(recorded_request):
            response = await send_async(client, request, **options)
        if _is_stream(response):
            response.aiter_bytes = _tee_async(response.aiter_bytes, recorded_request)
        else:
            with contextlib.suppress(Exception):
                await response.aread()
            recorded_request.end(returned=_read_response(response.status_code, response))
        return response

    httpx.Client.send, httpx.AsyncClient.send = send_recorded, send_recorded_async


def _begin(recording: Recording, request: Any, waiting: list[Request]) -> Request | None:
    """Record a request for a completion; return None for other requests."""
    with contextlib.suppress(Exception):
        if request.method != "POST" or not request.url.path.endswith("/chat/completions"):
            return None
        if _is_inside(_TITLE_MODULE):
            return None
        body = json.loads(request.content)
        lane = "main" if body.get("stream") or body.get("tools") else "aux"
        complete = recording.begin("llm_request", lane, thread="", arguments=body)
        return Request(complete, waiting if lane == "main" else [])
    return None


def _is_inside(module: str) -> bool:
    """Return whether a function of a module is on the call stack."""
    frame = inspect.currentframe()
    while frame and frame.f_globals.get("__name__") != module:
        frame = frame.f_back
    return frame is not None


@contextlib.contextmanager
def _record_failure(recorded_request: Request) -> Any:
    """Record that a request failed within the context: the user stopped the agent, or the connection failed."""
    try:
        yield
    except BaseException as error:
        recorded_request.end(raised=type(error).__name__, returned=_make_answer(interrupts=True))
        raise


def _is_stream(response: Any) -> bool:
    return response.status_code < 400 and "event-stream" in response.headers.get("content-type", "")


def _tee(iterate: Callable[..., Any], recorded_request: Request) -> Callable[..., Any]:
    def chunks(*args: Any, **kwargs: Any) -> Any:
        try:
            for chunk in iterate(*args, **kwargs):
                recorded_request.chunks.append(chunk)
                yield chunk
        finally:
            recorded_request.end(returned=_read_stream(recorded_request.chunks))

    return chunks


def _tee_async(iterate: Callable[..., Any], recorded_request: Request) -> Callable[..., Any]:
    async def chunks(*args: Any, **kwargs: Any) -> Any:
        try:
            async for chunk in iterate(*args, **kwargs):
                recorded_request.chunks.append(chunk)
                yield chunk
        finally:
            recorded_request.end(returned=_read_stream(recorded_request.chunks))

    return chunks


def _make_answer(**given: Any) -> dict[str, Any]:
    """Return an answer with the fields of a scripted answer."""
    empty: dict[str, Any] = {"text": None, "tool_calls": [], "reasoning": None, "usage": None, "finish_reason": None}
    return {"__type__": "Answer", **empty, "status": None, "error": None, "interrupts": False, **given}


def _read_response(status: int, response: Any) -> dict[str, Any]:
    """Return the answer in a response that was not streamed."""
    value: Any = None
    with contextlib.suppress(Exception):
        value = json.loads(response.content)
    if status >= 400:
        error = value.get("error", value) if isinstance(value, dict) else value
        message = error.get("message") if isinstance(error, dict) else error
        return _make_answer(status=status, error=str(message or response.text)[:2000])
    with contextlib.suppress(Exception):
        choice = value["choices"][0]
        return _convert_message(choice["message"], choice.get("finish_reason"), value.get("usage"))
    return _make_answer(text="")


def _read_stream(chunks: Iterable[bytes]) -> dict[str, Any]:
    """Return the answer in a stream; the partial answer of an incomplete stream is marked as interrupted."""
    message: dict[str, Any] = {}
    calls: dict[int, dict[str, Any]] = {}
    finish, usage = None, None
    for line in b"".join(chunks).decode("utf-8", "replace").splitlines():
        with contextlib.suppress(ValueError, LookupError, TypeError, AttributeError):
            data = json.loads(line.removeprefix("data:"))
            usage = data.get("usage") or usage
            choice = data["choices"][0]
            finish = choice.get("finish_reason") or finish
            delta = choice["delta"]
            for key in _MESSAGE_FIELDS:
                if delta.get(key) is not None:
                    message[key] = message.get(key, "") + delta[key]
            for part in delta.get("tool_calls") or ():
                call = calls.setdefault(part.get("index", 0), {"id": None, "function": {"name": "", "arguments": ""}})
                call["id"] = part.get("id") or call["id"]
                for key in ("name", "arguments"):
                    call["function"][key] += part.get("function", {}).get(key) or ""
    answer = _convert_message({**message, "tool_calls": [calls[number] for number in sorted(calls)]}, finish, usage)
    return answer if finish else {**answer, "interrupts": True}


def _convert_message(message: dict[str, Any], finish: str | None, usage: Any) -> dict[str, Any]:
    calls = [
        {"__type__": "ToolCall", **{key: one["function"][key] for key in ("name", "arguments")}, "id": one.get("id")}
        for one in message.get("tool_calls") or ()
    ]
    return _make_answer(
        text=message.get("content") or (None if calls or finish is None else ""),
        tool_calls=calls,
        reasoning=message.get("reasoning_content") or message.get("reasoning"),
        usage=dict(_list_counts(usage or {})) or None,
        finish_reason=finish,
    )


def _list_counts(usage: dict[str, Any], within: str = "") -> Iterator[tuple[str, int]]:
    """Yield the names and numbers of tokens; details are named ``<name>.<detail>``."""
    for key, value in usage.items():
        if isinstance(value, dict) and not within:
            yield from _list_counts(value, f"{key}.")
        elif isinstance(value, int) and value >= 0:
            yield f"{within}{key}", value
