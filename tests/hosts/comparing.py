"""Holding the report of the embedded host on somebody else's plugin against that of the real one."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from hermes_sdk.hosts.interface import Report


def verdict(embedded: Report, real: Callable[[], Report]) -> str:
    """``equal``, ``unsupported``, or each field in which the hosts differ with its two values.

    Args:
        embedded: The report of the embedded host.
        real: Makes that of the real host; not called for a plugin that the embedded host leaves to it.
    """
    if embedded["status"] == "unsupported":
        # The author can only decide what to do when the module is named.
        assert any(words in str(embedded["error"]) for words in ("does not model: ", "missing here: "))
        return "unsupported"
    ours, theirs = _without_places(dict(embedded)), _without_places(dict(real()))
    fields = [name for name in theirs if name != "host" and ours[name] != theirs[name]]
    return "; ".join(f"{name}: {ours[name]!r} is really {theirs[name]!r}" for name in fields) or "equal"


def _without_places(value: Any) -> Any:
    """Leave out where a module of the host is, which Python adds to "cannot import name …"."""
    if isinstance(value, dict):
        return {key: _without_places(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_without_places(one) for one in value]
    return re.sub(r"(cannot import name .* from .*) \(/.*?\)", r"\1", value) if isinstance(value, str) else value
