"""The tools: for each a schema, which is what the model reads, and a handler, which is what runs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from . import notes

if TYPE_CHECKING:
    from hermes_sdk.api import ToolSchema

ADD: ToolSchema = {
    "name": "{{ cookiecutter.__package }}_add",
    "description": "Save a short note. Use it when the user asks you to remember or to note something.",
    "parameters": {
        "type": "object",
        "properties": {
            "note": {"type": "string", "description": "The note, in one sentence that will make sense in a month."},
        },
        "required": ["note"],
    },
}


def add(args: dict[str, Any], **kwargs: Any) -> str:
    """Save a note. Like every handler it answers with JSON text, also when something is wrong."""
    note = args.get("note")
    if not isinstance(note, str) or not note.strip():
        return json.dumps({"error": "A note needs at least one word."})
    try:
        count = notes.add(note)
    except OSError as error:
        return json.dumps({"error": f"The note was not saved: {error}"})
    return json.dumps({"saved": note, "notes": count})
