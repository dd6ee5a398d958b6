"""The hooks: what this plugin does when something happens in Hermes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import notes

if TYPE_CHECKING:
    from hermes_sdk.api import InjectContext


def recall(is_first_turn: bool = False, **kwargs: Any) -> InjectContext | None:
    """Show the notes to the model, once in a session. Hermes adds new arguments over time: keep ``**kwargs``."""
    saved = notes.find() if is_first_turn else []
    if not saved:
        return None
    return {"context": "\n".join(["Notes that the user saved earlier:", *(f"- {note}" for note in saved)])}
