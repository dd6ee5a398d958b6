"""The chat of a host: one session after another, and a record of what each turn's callbacks saw."""

from __future__ import annotations

from hermes_sdk.hosts.embedded.agent.runtime import Runtime
from hermes_sdk.hosts.embedded.agent.session import Session
from hermes_sdk.hosts.in_worker.recording import Recording
from hermes_sdk.hosts.interface import HookCalls, RawTurn

_PLATFORM = "cli"


class Conversation:
    """What a user sits in front of.

    Args:
        runtime: What a session needs of its host.
        recording: Where the calls of callbacks are recorded.
    """

    def __init__(self, runtime: Runtime, recording: Recording) -> None:
        self._runtime = runtime
        self._recording = recording
        self._session: Session | None = None

    def chat(self, text: str) -> RawTurn:
        """Say something; the first time, this opens the session."""
        with self._recording.section() as section:
            self._session = self._session or Session(self._runtime.with_current_config(), _PLATFORM)
            turn = self._session.chat(text)
        return {**turn, "events": section.events}

    def renew(self) -> None:
        """Do what ``/new`` does, which is nothing before anything was said (D12)."""
        if self._session is not None:
            self._session = self._session.succeeded()

    def finish(self) -> HookCalls:
        """End the session, if one is open."""
        session, self._session = self._session, None
        if session is None:
            return HookCalls()
        with self._recording.section() as section:
            session.finish("shutdown")
        return HookCalls.among(section.events)
