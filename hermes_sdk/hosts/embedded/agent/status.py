"""What the host tells the user of a chat while a turn runs, beside the reply."""

from __future__ import annotations

from hermes_sdk.hosts.embedded.agent.origin import Origin


class StatusChannel:
    """Tells the user of a session's chat what happens; outside of a gateway nobody reads it."""

    def __init__(self, origin: Origin | None) -> None:
        self._origin = origin
        self._held: list[str] = []

    def tell(self, text: str) -> None:
        """Tell the user something now."""
        if self._origin:
            self._origin.tell(text)

    def hold(self, text: str) -> None:
        """Hold a text about another attempt, which the user gets only if the turn fails."""
        self._held.append(text)

    def release(self) -> None:
        """Tell what was held, since the turn fails."""
        held, self._held = self._held, []
        for text in held:
            self.tell(text)

    def drop(self) -> None:
        """Forget what was held, since the model answered."""
        self._held.clear()
