"""When a turn has its history compressed: by a plugin's context engine, or by the host itself (G15)."""

from __future__ import annotations

from hermes_sdk.hosts.embedded.agent.context_engine import Engine
from hermes_sdk.hosts.embedded.agent.session import Session
from hermes_sdk.hosts.embedded.agent.turn_history import TurnHistory, estimate_tokens

_MOST_COMPRESSIONS = 3
_LARGEST_REST = 0.95
"""A compression that leaves more than this share of a request that is still too long is the last one of its turn."""


class TurnCompression:
    """Asks at the places of a turn where the host does whether its history is too long."""

    def __init__(self, session: Session, history: TurnHistory) -> None:
        self._session = session
        self._history = history
        self._behaviour = session.behaviour
        self._count = 0
        self._tokens_before: int | None = None
        self._is_useless = False

    def check_start(self) -> None:
        """Ask the engine before the turn."""
        if engine := self._session.engine:
            messages = self._history.messages
            counted = self._session.anchor.estimate(messages)
            tokens = self._estimate_request() if counted is None else counted
            engine.require_short(messages, estimate_tokens(messages), tokens, counted=counted is not None)

    def prepare_request(self) -> None:
        """Compress before a request, on releases that ask the context engine there."""
        engine = self._session.engine
        if not engine or not self._behaviour.engine_asked_before_requests:
            return
        while len(self._history.messages) > 1 and self._count < _MOST_COMPRESSIONS:
            counted = self._session.anchor.estimate(self._history.messages)
            tokens = self._estimate_request() if counted is None else counted
            if not self._is_too_long(engine, tokens, counted=counted is not None):
                return
            self._count += 1
            self._tokens_before = tokens
            self._tell_before_request(engine, tokens)
            self._compress(engine, tokens)

    def _is_too_long(self, engine: Engine, tokens: int, *, counted: bool) -> bool:
        before, self._tokens_before = self._tokens_before, None
        if before is not None and self._behaviour.useless_compressions_end and tokens >= engine.threshold:
            self._is_useless |= tokens >= before * _LARGEST_REST
        if self._is_useless or (not counted and engine.waits_for_usage(tokens)) or not engine.needs_compression(tokens):
            if self._behaviour.engine_asked_why_not and not counted:
                engine.waits_for_usage(tokens)
            return False
        return True

    def _tell_before_request(self, engine: Engine, tokens: int) -> None:
        session = self._session
        told = engine.word_status(
            "pre_api",
            session.runtime.state.wording("status.compressed_first", tokens=f"{tokens:,}"),
            tokens,
            threshold_tokens=engine.threshold,
            context_length=engine.context_length,
            model=session.settings.model,
            attempt=self._count,
            max_attempts=_MOST_COMPRESSIONS,
        )
        if told:
            session.status.tell(told)

    def finish_calls(self) -> None:
        """Compress after calls of tools."""
        session, engine = self._session, self._session.engine
        if engine is None:
            session.compressor.compress(session)
            return
        counts = self._behaviour.compressions_counted_together
        tokens = self._count_tokens(engine)
        used_up = counts and self._count == _MOST_COMPRESSIONS
        if not used_up and engine.needs_compression(tokens):
            self._count += counts
            self._compress(engine, tokens if counts else engine.last_prompt_tokens)
        else:
            engine.decline(self._history.messages, tokens, tried_enough=used_up)

    def _count_tokens(self, engine: Engine) -> int:
        """Return the tokens of the last request, estimated if neither provider nor engine counted them."""
        counted = self._session.anchor.estimate(self._history.messages)
        if counted is not None:
            return counted
        if (told := engine.last_prompt_tokens) > 0:
            return told
        return 0 if told == -1 else estimate_tokens(self._history.messages) + estimate_tokens(self._session.tools)

    def _compress(self, engine: Engine, tokens: int) -> None:
        self._session.compress(engine, tokens)
        self._history.find_user()

    def _estimate_request(self) -> int:
        return estimate_tokens(self._history.make_request()) + estimate_tokens(self._session.tools)
