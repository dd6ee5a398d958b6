"""What callbacks of the hooks around a turn may ask for, and which of their answers do."""

from __future__ import annotations

from typing import Any


def context_of(answer: Any) -> str:
    """What a callback of ``pre_llm_call`` adds to the user's message (D27)."""
    if isinstance(answer, dict) and answer.get("context"):
        return str(answer["context"])
    return answer if isinstance(answer, str) and answer.strip() else ""


def continuation_of(answer: Any) -> str | None:
    """What a callback of ``pre_verify`` wants the model to do first."""
    if not isinstance(answer, dict) or not {answer.get("action"), answer.get("decision")} & {"continue", "block"}:
        return None
    texts = (answer.get("message"), answer.get("reason"))
    return next((text.strip() for text in texts if isinstance(text, str) and text.strip()), None)
