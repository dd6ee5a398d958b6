"""Whether the user stopped the turn of a tool."""

from __future__ import annotations

from hermes_sdk.hosts.embedded.approval.prompts import asker
from hermes_sdk.hosts.embedded.state import HostState


class Interrupts:
    """The interrupts of threads, none of which lasts: a stopped turn is refused to the tools that ask for it."""

    def __init__(self, state: HostState) -> None:
        self._state = state

    def is_interrupted(self) -> bool:
        """Return whether the tool of this thread has to stop.

        Raises:
            NotSupported: The user stopped the turn.
        """
        current = asker.get()
        if current is not None and current.interrupted():
            raise self._state.unsupported("tell a tool that its turn was stopped")
        return False

    def clear(self) -> None:
        """Let the tool of this thread go on."""
