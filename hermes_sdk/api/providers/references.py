"""References in messages, such as ``@issue:17``. All names are those of ``agent.context_references``."""

from __future__ import annotations

from abc import abstractmethod
from typing import Protocol

__all__ = ["ContextCompletionItem", "ContextReferenceProvider"]


class ContextCompletionItem:
    """A completion while the user types a reference. Since 0.20.1.

    Attributes:
        text: Text to insert.
        display: Text to show; by default the inserted one.
        meta: Text to show next to it.
    """

    text: str
    display: str
    meta: str

    def __init__(self, text: str, display: str = "", meta: str = "") -> None: ...


class ContextReferenceProvider(Protocol):
    """Replaces ``@<prefix>:<target>`` in messages. Since 0.20.1.

    Attributes:
        prefix: The part between ``@`` and the colon; ``diff``, ``file``, ``folder``, ``git``, ``staged`` and ``url``
            are the host's.
        description: One-line summary.
    """

    prefix: str = ""
    description: str = ""

    @abstractmethod
    async def autocomplete(self, query: str, *, limit: int = 10) -> list[ContextCompletionItem]:
        """Return completions for a target.

        Args:
            query: The text typed so far.
            limit: Maximum number of completions.
        """
        ...

    @abstractmethod
    async def expand(self, target: str) -> str | None:
        """Return the text that replaces a reference for the model, or None to leave it unchanged.

        Args:
            target: The part after the colon.
        """
        ...
