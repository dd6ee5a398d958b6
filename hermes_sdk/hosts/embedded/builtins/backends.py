"""Functions for tools that call backends of plugins."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from hermes_sdk.hosts.embedded.builtins.tool import ToolContext


def choose_backend(context: ToolContext, category: str, choose: Callable[[Mapping[str, Any]], Any]) -> Any:
    """Choose among the backends of a category; if there is no match, discover plugins again and retry once."""
    backends = context.registrations.backends[category]
    backend = choose(backends.by_name)
    if backend is None:
        context.plugins.rescan()
        backend = choose(backends.by_name)
    return backend


def find_backend(category: str, name: str, context: ToolContext) -> Any:
    """Return the backend with a name, or None."""
    return choose_backend(context, category, lambda known: known.get(name))


def is_available(backend: Any) -> bool:
    """Return whether a backend reports that it is available; False if it raises."""
    try:
        return bool(backend.is_available())
    except Exception:
        return False


def fail_media(medium: str, message: str, error_type: str, **context: Any) -> str:
    """Build the result of a failed request for an image or video."""
    return json.dumps({"success": False, medium: None, "error": message, "error_type": error_type, **context})
