"""References in messages, such as ``@issue:17``. All names are those of ``agent.context_references``."""

from __future__ import annotations

from abc import abstractmethod
from typing import Protocol

__all__ = ["ContextCompletionItem", "ContextReferenceProvider"]


class ContextCompletionItem:
    """A proposal while the user types a reference. Since 0.20.1.

    Attributes:
        text: What the proposal inserts.
        display: What is shown; by default the text.
        meta: Shown next to it.
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
        """Propose targets.

        Args:
            query: What was typed so far.
            limit: The most proposals.
        """
        ...

    @abstractmethod
    async def expand(self, target: str) -> str | None:
        """Return what the model reads in place of a reference, or None to leave it.

        Args:
            target: The part after the colon.
        """
        ...
