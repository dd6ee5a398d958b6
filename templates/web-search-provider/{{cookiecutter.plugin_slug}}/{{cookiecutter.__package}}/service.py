"""Requests to the search service, independent of Hermes."""

from __future__ import annotations

import json
import urllib.request
from typing import Any
from urllib.parse import urlencode

TIMEOUT = 10.0


class Failed(Exception):
    """The service did not answer, or its answer is invalid."""


def search(address: str, query: str, limit: int) -> list[dict[str, Any]]:
    """Query the service.

    Args:
        address: The URL of the service.
        query: The search text.
        limit: The maximum number of results.

    Returns:
        Mappings with `title`, `url`, `description` and `position`, best match first.

    Raises:
        Failed: The service did not answer, or its answer is invalid.
    """
    if not address.startswith(("http://", "https://")):
        raise Failed(f"{address!r} is not the address of a search service")
    question = urlencode({"q": query.encode("utf-8", "replace"), "format": "json"})
    try:
        with urllib.request.urlopen(f"{address}?{question}", timeout=TIMEOUT) as answer:
            found = json.load(answer)["results"]
        return [_result(one, position) for position, one in enumerate(found[:limit], start=1)]
    except OSError as error:
        raise Failed(f"The search service does not answer: {error}") from error
    except (ValueError, LookupError, TypeError) as error:
        raise Failed(f"The search service returned an invalid answer: {error!r}") from error


def _result(one: dict[str, Any], position: int) -> dict[str, Any]:
    return {
        "title": one["title"],
        "url": one["url"],
        "description": one.get("content") or "",
        "position": position,
    }
