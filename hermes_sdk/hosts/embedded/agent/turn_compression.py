"""When a turn has its history compressed: by a plugin's context engine, or by the host itself (G15)."""

from __future__ import annotations

from hermes_sdk.hosts.embedded.agent.session import Session
from hermes_sdk.hosts.embedded.agent.turn_history import TurnHistory, estimate_tokens

_MOST_COMPRESSIONS = 3


class TurnCompression:
    """Asks at the places of a turn where the host does whether its history is too long."""

    def __init__(self, session: Session, history: TurnHistory) -> None:
        self._session = session
        self._history = history
        self._count = 0

    def check_start(self) -> None:
        """Ask the engine before the turn."""
        if engine := self._session.engine:
            messages = self._history.messages
            engine.require_short(messages, estimate_tokens(messages), self._estimate_request())

    def prepare_request(self) -> None:
        """Compress before a request, on releases that ask the context engine there."""
        engine = self._session.engine
        if not engine or not self._session.behaviour.engine_asked_before_requests:
            return
        while len(self._history.messages) > 1 and self._count < _MOST_COMPRESSIONS:
            tokens = self._estimate_request()
            if not engine.needs_compression_first(tokens):
                return
            self._count += 1
            self._session.compress(engine, tokens)

    def finish_calls(self) -> None:
        """Compress after calls of tools."""
        session, engine = self._session, self._session.engine
        if engine is None:
            session.compressor.compress(session)
        elif engine.needs_compression(estimate_tokens(self._history.messages) + estimate_tokens(session.tools)):
            session.compress(engine, engine.last_prompt_tokens)

    def _estimate_request(self) -> int:
        return estimate_tokens(self._history.make_request()) + estimate_tokens(self._session.tools)
