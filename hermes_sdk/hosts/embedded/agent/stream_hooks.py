"""Hooks of streamed responses (N47 to N49)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from concurrent.futures import wait
from contextvars import Context
from typing import Any

from hermes_sdk.contract import Behaviour
from hermes_sdk.errors import HermesSdkError
from hermes_sdk.hosts.embedded.agent.response import strip_thinking
from hermes_sdk.hosts.embedded.agent.workers import Workers
from hermes_sdk.hosts.embedded.hooks import Hooks
from hermes_sdk.hosts.embedded.state import HostState
from hermes_sdk.llm import Answer, Request, wire

_OPEN, _CLOSE = "<think>", "</think>"
_ANYWHERE = rf"{_OPEN}.*?{_CLOSE}|\n\s*(?P<line>{_OPEN})"
_NAMES = ("think", "thinking", "thought", "reasoning", "reasoning_scratchpad")
_TAGS = tuple(f"<{slash}{name}>" for name in _NAMES for slash in ("", "/"))
_WORKERS_KEY = "stream hooks"
_TIMEOUT = 1.0


class StreamHooks:
    """Fires the hooks of one streamed response; `values` are the arguments that all of them receive.

    Like the host, it runs each callback on a separate thread. It waits up to a second for the callback, so that tests
    are deterministic.
    """

    def __init__(self, state: HostState, hooks: Hooks, values: dict[str, Any]) -> None:
        self._state = state
        self._hooks = hooks
        self._values = values

    def start(self) -> None:
        """Fire ``on_stream_start``."""
        self._fire("on_stream_start")

    def report_chunks(self, answer: Answer, request: Request | None, *, new_paragraph: bool) -> bool:
        """Fire ``on_stream_delta`` for the chunks of a response, and return whether they had text.

        Args:
            answer: The response.
            request: The request of a streamed response; None for one that was not streamed.
            new_paragraph: Whether the first text starts a paragraph.
        """
        began = False
        for kind, piece in _split(answer, request, self._state.behaviour):
            if kind == "reasoning":
                plugins = self._state.config.read().get("plugins")
                if isinstance(plugins, dict) and plugins.get("stream_reasoning_deltas"):
                    self._fire("on_stream_delta", delta=piece, kind=kind)
                continue
            text = f"\n\n{piece}" if new_paragraph and not began and piece.strip() else piece.lstrip("\n")
            began = began or bool(piece.strip())
            if text:
                self._fire("on_stream_delta", delta=text, kind=kind)
        return began

    def end(self, text: str, error: Exception | None = None) -> None:
        """Fire ``on_stream_end``."""
        self._fire("on_stream_end", final_text=text, finished=error is None, error=str(error) if error else None)

    def report_interim(self, text: str) -> None:
        """Fire ``on_interim_message`` for the text of a response with tool calls."""
        self._fire("on_interim_message", text=text, already_streamed=False)

    def _fire(self, name: str, **values: Any) -> None:
        for call in self._hooks.prepare(name, **self._values, **values):
            worker = self._find_worker(name, call.callback)
            # On earlier releases, the context variables of the turn are not set on the host's threads.
            has_context = self._state.behaviour.chat_variables_widened
            started = worker.submit(call.make) if has_context else Context().run(worker.submit, call.make)
            done, _ = wait([started], _TIMEOUT)
            # Any other exception only ends the thread in Hermes, which starts another one.
            if done and isinstance(error := started.exception(), HermesSdkError):
                raise error

    def _find_worker(self, name: str, callback: Callable[..., Any]) -> Workers:
        workers: dict[tuple[str, int], Workers] = self._state.memory.setdefault(_WORKERS_KEY, {})
        return workers.setdefault((name, id(callback)), Workers(1, f"plugin-stream-hook:{name}", numbered=False))


def _split(answer: Answer, request: Request | None, behaviour: Behaviour) -> Iterator[tuple[str, str]]:
    if request is None:
        if answer.reasoning:
            yield "reasoning", answer.reasoning
        yield "text", strip_thinking(answer.text or "", behaviour)
        return
    visible = _VisibleText()
    for chunk in wire.chunks(answer, request):
        for choice in chunk["choices"]:
            delta = choice["delta"]
            if delta.get("reasoning_content"):
                yield "reasoning", delta["reasoning_content"]
            if delta.get("content"):
                yield "text", visible.filter(delta["content"])


class _VisibleText:
    """Filter that removes reasoning from streamed text.

    Text that may begin a tag is held until the next chunk; the host drops it if there is none.
    """

    def __init__(self) -> None:
        self._held = ""
        self._is_thinking = False
        self._begins_line = True

    def filter(self, piece: str) -> str:
        """Return the visible text of a chunk and of the text held before."""
        rest, shown, self._held = self._held + piece, "", ""
        while rest:
            if self._is_thinking:
                _, end, after = rest.partition(_CLOSE)
                if not end:
                    self._hold_tag(rest)
                    break
                rest, self._is_thinking = after, False
                continue
            begins_line = shown.endswith("\n") if shown else self._begins_line
            match = re.search(_ANYWHERE if not begins_line else rf"{_ANYWHERE}|\A\s*(?P<tail>{_OPEN})", rest, re.DOTALL)
            if match is None:
                shown += self._show(self._hold_tag(rest))
                break
            shown += self._show(rest[: match.start(match.lastgroup or 0)])
            rest, self._is_thinking = rest[match.end() :], match.lastgroup is not None
        return shown

    def _hold_tag(self, text: str) -> str:
        """Hold back a suffix that may begin a tag, and return the text before it."""
        start = text.rfind("<")
        last = text[start:].lower()
        if start >= 0 and any(tag.startswith(last) and tag != last for tag in _TAGS):
            self._held = text[start:]
            return text[:start]
        return text

    def _show(self, text: str) -> str:
        text = re.sub(rf"{_CLOSE}\s*", "", text)
        if text:
            self._begins_line = text.endswith("\n")
        return text
