"""Hooks for a model's answer while it comes in (statements N47 to N49)."""

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
_MEMORY = "stream hooks"
_SECONDS = 1.0


class StreamHooks:
    """Fires the hooks of one streamed answer; `values` are what all of them get.

    Like the host, it has a thread for each callback. It waits for that, at most a second, so that what a test sees does
    not depend on chance.
    """

    def __init__(self, state: HostState, hooks: Hooks, values: dict[str, Any]) -> None:
        self._state = state
        self._hooks = hooks
        self._values = values

    def start(self) -> None:
        """Fire ``on_stream_start``."""
        self._fire("on_stream_start")

    def pass_on(self, answer: Answer, request: Request | None, *, new_paragraph: bool) -> bool:
        """Fire ``on_stream_delta`` for the pieces of an answer, and tell whether there was text among them.

        With `new_paragraph`, the first text begins one. Without a request, the answer did not come in pieces.
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
        """Fire ``on_interim_message`` for what the model says before it calls tools."""
        self._fire("on_interim_message", text=text, already_streamed=False)

    def _fire(self, name: str, **values: Any) -> None:
        for call in self._hooks.prepare(name, **self._values, **values):
            worker = self._find_worker(name, call.callback)
            # Before, the threads of the host knew nothing of the context of the turn.
            has_context = self._state.behaviour.chat_variables_widened
            started = worker.submit(call.make) if has_context else Context().run(worker.submit, call.make)
            done, _ = wait([started], _SECONDS)
            # Any other exception only ends the thread of the host, which starts another one.
            if done and isinstance(error := started.exception(), HermesSdkError):
                raise error

    def _find_worker(self, name: str, callback: Callable[..., Any]) -> Workers:
        workers: dict[tuple[str, int], Workers] = self._state.memory.setdefault(_MEMORY, {})
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
                yield "text", visible.take(delta["content"])


class _VisibleText:
    """Filter that removes thinking from streamed text.

    What may begin a tag waits for the next piece; the host does not pass it on if there is none.
    """

    def __init__(self) -> None:
        self._held = ""
        self._is_thinking = False
        self._begins_line = True

    def take(self, piece: str) -> str:
        """Return what is visible of a piece and of what was held before."""
        rest, shown, self._held = self._held + piece, "", ""
        while rest:
            if self._is_thinking:
                _, end, after = rest.partition(_CLOSE)
                if not end:
                    self._hold(rest)
                    break
                rest, self._is_thinking = after, False
                continue
            begins_line = shown.endswith("\n") if shown else self._begins_line
            found = re.search(_ANYWHERE if not begins_line else rf"{_ANYWHERE}|\A\s*(?P<tail>{_OPEN})", rest, re.DOTALL)
            if found is None:
                shown += self._show(self._hold(rest))
                break
            shown += self._show(rest[: found.start(found.lastgroup or 0)])
            rest, self._is_thinking = rest[found.end() :], found.lastgroup is not None
        return shown

    def _hold(self, text: str) -> str:
        """Hold the end of a text that may be the beginning of a tag, and return the text before it."""
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
