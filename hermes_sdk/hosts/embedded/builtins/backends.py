"""What the tools that call backends of plugins have in common."""

from __future__ import annotations

import json
from typing import Any

from hermes_sdk.hosts.embedded.builtins.tool import Turnside


def find_backend(category: str, name: str, side: Turnside) -> Any:
    """Return the backend of a name, or None; an unknown name makes the host discover plugins again."""
    return side.backends.chosen(category, lambda known: known.get(name))


def is_available(backend: Any) -> bool:
    """Tell whether a backend says that it can be used; one that raises cannot."""
    try:
        return bool(backend.is_available())
    except Exception:
        return False


def fail_media(medium: str, message: str, error_type: str, **context: Any) -> str:
    """Write a result without the image or video that was requested."""
    return json.dumps({"success": False, medium: None, "error": message, "error_type": error_type, **context})
