"""Compression of the history during a turn, by a plugin's context engine or the host (G15)."""

from __future__ import annotations

from hermes_sdk.hosts.embedded.agent.context_engine import Engine
from hermes_sdk.hosts.embedded.agent.session import Session
from hermes_sdk.hosts.embedded.agent.token_estimate import estimate_messages, estimate_tools
from hermes_sdk.hosts.embedded.agent.turn_history import Message, TurnHistory

_USELESS_SHARE = 0.95
"""Share of remaining tokens from which a compression counts as useless and is the last one of its turn."""


class TurnCompression:
    """Checks the length of the history at the same points of a turn as the host."""

    def __init__(self, session: Session, history: TurnHistory) -> None:
        self._session = session
        self._history = history
        self._behaviour = session.behaviour
        self._is_enabled = session.settings.compresses
        self._max_count = session.settings.max_compressions
        self._count = 0
        self._tokens_before: int | None = None
        self._is_useless = False

    def check_start(self) -> None:
        """Check the history before the first request."""
        engine = self._session.engine
        if engine and self._is_enabled:
            messages = self._history.messages
            tokens, counted = self._estimate_request()
            engine.require_short(messages, estimate_messages(messages, self._behaviour), tokens, counted=counted)

    def prepare_request(self) -> None:
        """Compress the history before a request, as often as the engine requests and the limit allows."""
        if not self._is_enabled:
            self._check_length()
            return
        engine = self._session.engine
        if not engine:
            tokens, counted = self._estimate_request()
            self._session.compressor.require_short(tokens, self._session.runtime.state, counted=counted)
            return
        while True:
            tokens, counted = self._estimate_request()
            self._check_last_compression(engine, tokens)
            may_compress = len(self._history.messages) > 1 and self._count < self._max_count
            if not may_compress or not self._is_too_long(engine, tokens, counted=counted):
                return
            self._count += 1
            self._tokens_before = tokens
            self._announce_compression(engine, tokens)
            self._compress(engine, tokens)

    def _check_last_compression(self, engine: Engine, tokens: int) -> None:
        """Record whether the last compression was useless, from the tokens that remain."""
        before, self._tokens_before = self._tokens_before, None
        if before is not None and self._behaviour.compressions_counted_together and tokens >= engine.threshold:
            self._is_useless |= tokens >= before * _USELESS_SHARE

    def _is_too_long(self, engine: Engine, tokens: int, *, counted: bool) -> bool:
        if self._is_useless or (not counted and engine.waits_for_usage(tokens)) or not engine.needs_compression(tokens):
            if self._behaviour.engine_consulted and not counted:
                engine.waits_for_usage(tokens)
            return False
        return True

    def _announce_compression(self, engine: Engine, tokens: int) -> None:
        session = self._session
        status = engine.format_status(
            "pre_api",
            session.runtime.state.wording("status.compressed_first", tokens=f"{tokens:,}"),
            tokens,
            threshold_tokens=engine.threshold,
            context_length=engine.context_length,
            model=session.settings.model,
            attempt=self._count,
            max_attempts=self._max_count,
        )
        if status:
            session.status.tell(status)

    def finish_calls(self) -> None:
        """Compress the history after tool calls."""
        session, engine = self._session, self._session.engine
        if engine is None:
            session.compressor.compress(session.history, session.memory, session.runtime.state)
            return
        if not self._is_enabled:
            return
        is_awaiting = self._behaviour.compressions_await_usage and engine.is_awaiting_usage
        if is_awaiting and self._behaviour.awaited_usage_silences:
            return
        counts = self._behaviour.compressions_counted_together
        tokens = self._count_tokens(engine)
        used_up = counts and self._count == self._max_count
        if not used_up and not is_awaiting and engine.needs_compression(tokens):
            self._compress(engine, tokens if counts else engine.last_prompt_tokens)
            self._count += counts
        else:
            self._report_skip(engine, tokens)

    def _report_skip(self, engine: Engine, tokens: int) -> None:
        if not self._behaviour.engine_consulted:
            return
        reason = engine.explain_skip(tokens, self._count)
        if reason and engine.last_skip_reason != (kind := reason.partition(":")[0]):
            engine.last_skip_reason = kind
            values = {"tokens": f"{tokens:,}", "threshold": f"{engine.threshold:,}", "reason": reason}
            self._session.status.tell(self._session.runtime.state.wording("status.blocked", **values))
        engine.require_unpruned(self._history.messages, tokens)

    def _count_tokens(self, engine: Engine) -> int:
        """Return the tokens of the history, estimated if neither the provider nor the engine counted them."""
        counted = self._session.anchor.estimate(self._history.messages)
        if counted is not None:
            return counted
        if (tokens := engine.last_prompt_tokens) > 0:
            return tokens
        return 0 if tokens == -1 else self._estimate(self._history.messages)

    def _compress(self, engine: Engine, tokens: int) -> None:
        if self._session.compress(engine, tokens):
            engine.await_usage(self._estimate(self._history.make_request()))
        self._history.find_user()

    def _check_length(self) -> None:
        """Require that a request fits into the context when compression is disabled.

        Raises:
            NotSupported: The request is longer than the context, and the release warns about it.
        """
        session = self._session
        if not self._behaviour.uncompressed_length_told or len(self._history.messages) < 2:
            return
        longest = session.engine.context_length if session.engine else session.settings.context_length
        if 0 < longest < self._estimate_request()[0]:
            raise session.runtime.state.unsupported("warn that a conversation is too long, and not compressed")

    def _estimate_request(self) -> tuple[int, bool]:
        """Return the tokens of the next request, and whether they are based on a count of the provider."""
        counted = self._session.anchor.estimate(self._history.messages)
        if counted is not None:
            return counted, True
        return self._estimate(self._history.make_request()), False

    def _estimate(self, messages: list[Message]) -> int:
        return estimate_messages(messages, self._behaviour) + estimate_tools(self._session.tools)
