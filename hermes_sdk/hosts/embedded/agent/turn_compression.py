"""Compression of the history in a turn, by a plugin's context engine or by the host itself (G15)."""

from __future__ import annotations

from hermes_sdk.hosts.embedded.agent.context_engine import Engine
from hermes_sdk.hosts.embedded.agent.session import Session
from hermes_sdk.hosts.embedded.agent.token_estimate import estimate_messages, estimate_tools
from hermes_sdk.hosts.embedded.agent.turn_history import Message, TurnHistory

_LARGEST_REST = 0.95
"""A compression that leaves more than this share of a request that is still too long is the last one of its turn."""


class TurnCompression:
    """Asks at the places of a turn where the host does whether its history is too long."""

    def __init__(self, session: Session, history: TurnHistory) -> None:
        self._session = session
        self._history = history
        self._behaviour = session.behaviour
        self._is_enabled = session.settings.compresses
        self._most = session.settings.max_compressions
        self._count = 0
        self._tokens_before: int | None = None
        self._is_useless = False

    def check_start(self) -> None:
        """Ask the engine before the turn."""
        engine = self._session.engine
        if engine and self._is_enabled:
            messages = self._history.messages
            tokens, counted = self._estimate_request()
            engine.require_short(messages, estimate_messages(messages, self._behaviour), tokens, counted=counted)

    def prepare_request(self) -> None:
        """Compress before a request."""
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
            self._judge_last(engine, tokens)
            may_compress = len(self._history.messages) > 1 and self._count < self._most
            if not may_compress or not self._is_too_long(engine, tokens, counted=counted):
                return
            self._count += 1
            self._tokens_before = tokens
            self._tell_before_request(engine, tokens)
            self._compress(engine, tokens)

    def _judge_last(self, engine: Engine, tokens: int) -> None:
        """Note whether the last compression before a request was useless, given the tokens that are left."""
        before, self._tokens_before = self._tokens_before, None
        if before is not None and self._behaviour.compressions_counted_together and tokens >= engine.threshold:
            self._is_useless |= tokens >= before * _LARGEST_REST

    def _is_too_long(self, engine: Engine, tokens: int, *, counted: bool) -> bool:
        if self._is_useless or (not counted and engine.waits_for_usage(tokens)) or not engine.needs_compression(tokens):
            if self._behaviour.engine_consulted and not counted:
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
            max_attempts=self._most,
        )
        if told:
            session.status.tell(told)

    def finish_calls(self) -> None:
        """Compress after calls of tools."""
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
        used_up = counts and self._count == self._most
        if not used_up and not is_awaiting and engine.needs_compression(tokens):
            self._compress(engine, tokens if counts else engine.last_prompt_tokens)
            self._count += counts
        else:
            self._decline(engine, tokens)

    def _decline(self, engine: Engine, tokens: int) -> None:
        if not self._behaviour.engine_consulted:
            return
        reason = engine.ask_why_not(tokens, self._count)
        if reason and engine.blocked != (kind := reason.partition(":")[0]):
            engine.blocked = kind
            told = {"tokens": f"{tokens:,}", "threshold": f"{engine.threshold:,}", "reason": reason}
            self._session.status.tell(self._session.runtime.state.wording("status.blocked", **told))
        engine.require_unpruned(self._history.messages, tokens)

    def _count_tokens(self, engine: Engine) -> int:
        """Return the tokens of the last request, estimated if neither provider nor engine counted them."""
        counted = self._session.anchor.estimate(self._history.messages)
        if counted is not None:
            return counted
        if (told := engine.last_prompt_tokens) > 0:
            return told
        return 0 if told == -1 else self._estimate(self._history.messages)

    def _compress(self, engine: Engine, tokens: int) -> None:
        if self._session.compress(engine, tokens):
            engine.await_usage(self._estimate(self._history.make_request()))
        self._history.find_user()

    def _check_length(self) -> None:
        """Refuse what the host says, on some releases, of a long request that may not be compressed.

        Raises:
            NotSupported: The request is longer than the context.
        """
        session = self._session
        if not self._behaviour.uncompressed_length_told or len(self._history.messages) < 2:
            return
        longest = session.engine.context_length if session.engine else session.settings.context_length
        if 0 < longest < self._estimate_request()[0]:
            raise session.runtime.state.unsupported("warn that a conversation is too long, and not compressed")

    def _estimate_request(self) -> tuple[int, bool]:
        """Return the tokens of the next request, and whether the provider counted most of them."""
        counted = self._session.anchor.estimate(self._history.messages)
        if counted is not None:
            return counted, True
        return self._estimate(self._history.make_request()), False

    def _estimate(self, messages: list[Message]) -> int:
        return estimate_messages(messages, self._behaviour) + estimate_tools(self._session.tools)
