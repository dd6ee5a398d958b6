"""Interrupt flags of tools whose turn the user stopped."""

from __future__ import annotations

from hermes_sdk.hosts.embedded.approval.prompts import asker
from hermes_sdk.hosts.embedded.state import HostState


class Interrupts:
    """The interrupt flags of threads; a tool that sees its flag set is not supported."""

    def __init__(self, state: HostState) -> None:
        self._state = state

    def is_interrupted(self) -> bool:
        """Return whether the tool of this thread should stop.

        Raises:
            NotSupported: The user stopped the turn.
        """
        current = asker.get()
        if current is not None and current.interrupted():
            raise self._state.unsupported("tell a tool that its turn was stopped")
        return False

    def clear(self) -> None:
        """Clear the flag of this thread; it is never set, so there is nothing to do."""
