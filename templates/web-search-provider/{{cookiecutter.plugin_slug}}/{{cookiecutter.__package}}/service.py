"""The requests to the search service. Nothing here knows Hermes."""

from __future__ import annotations

import json
import urllib.request
from typing import Any
from urllib.parse import urlencode

TIMEOUT = 10.0


class Failed(Exception):
    """The service did not answer, or not as it should."""


def search(address: str, query: str, limit: int) -> list[dict[str, Any]]:
    """Ask the service.

    Args:
        address: Where it is.
        query: What to look for.
        limit: The most results to return.

    Returns:
        Mappings with `title`, `url`, `description` and `position`, the best first.

    Raises:
        Failed: The service did not answer, or not as it should.
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
        raise Failed(f"The search service answers something else than results: {error!r}") from error


def _result(one: dict[str, Any], position: int) -> dict[str, Any]:
    return {
        "title": one["title"],
        "url": one["url"],
        "description": one.get("content") or "",
        "position": position,
    }
