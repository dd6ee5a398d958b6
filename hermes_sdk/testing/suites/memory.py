"""The suite for memory providers."""

from __future__ import annotations

from typing import Any, ClassVar

from hermes_sdk.hosts.interface.memory import DRAIN_LIMIT, PREFETCH_LIMIT
from hermes_sdk.testing.suites.contract import Contract


class MemoryProviderContract(Contract):
    """What the host demands of a memory provider; see `Contract` for the attributes of all suites.

    Attributes:
        turn: What a user says and the model answers, for the provider to keep.
        question: What a user says later.
        answer: What ``prefetch`` of that question then holds.
        patience: Seconds after which a turn is kept, for providers that keep it in the background.
    """

    suite = "memory"
    turn: ClassVar[tuple[str, str]] = ("My cat is called Zarathustra.", "A fine name for a cat.")
    question: ClassVar[str] = "What is my cat called?"
    answer: ClassVar[str] = "Zarathustra"
    patience: ClassVar[float] = 1.0

    @classmethod
    def selected(cls, name: str) -> dict[str, Any]:
        """Select the provider."""
        return {"memory": {"provider": name}}

    @classmethod
    def settings(cls, name: str) -> dict[str, Any]:  # noqa: ARG003
        """Tell what to keep and to recall, and how long the host waits."""
        return {
            "turn": list(cls.turn),
            "question": cls.question,
            "answer": cls.answer,
            "patience": cls.patience,
            "prefetch_limit": PREFETCH_LIMIT,
            "drain_limit": DRAIN_LIMIT,
        }
