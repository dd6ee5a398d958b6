"""The hooks: what this plugin does when something happens in Hermes."""

from __future__ import annotations

from typing import Any

from . import notes


def recall(is_first_turn: bool = False, **kwargs: Any) -> dict[str, str] | None:
    """Show the notes to the model, once in a session. Hermes adds new arguments over time: keep ``**kwargs``."""
    saved = notes.find() if is_first_turn else []
    if not saved:
        return None
    return {"context": "\n".join(["Notes that the user saved earlier:", *(f"- {note}" for note in saved)])}
