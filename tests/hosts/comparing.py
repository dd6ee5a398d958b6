"""Comparison of the embedded host's report about a public plugin with that of the real host."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from hermes_sdk.hosts.interface import Report


def verdict(embedded: Report, real: Callable[[], Report]) -> str:
    """Return ``equal``, ``unsupported``, or the fields in which the hosts differ with their two values.

    Args:
        embedded: The report of the embedded host.
        real: Returns the report of the real host; not called if the embedded host does not support the plugin.
    """
    if embedded["status"] == "unsupported":
        # Authors need the name of the unsupported module.
        assert any(words in str(embedded["error"]) for words in ("does not model: ", "missing here: "))
        return "unsupported"
    ours, theirs = _without_places(dict(embedded)), _without_places(dict(real()))
    fields = [name for name in theirs if name != "host" and ours[name] != theirs[name]]
    return "; ".join(f"{name}: {ours[name]!r} is really {theirs[name]!r}" for name in fields) or "equal"


def _without_places(value: Any) -> Any:
    """Remove the paths of the host's modules, which Python adds to "cannot import name …"."""
    if isinstance(value, dict):
        return {key: _without_places(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_without_places(one) for one in value]
    return re.sub(r"(cannot import name .* from .*) \(/.*?\)", r"\1", value) if isinstance(value, str) else value
