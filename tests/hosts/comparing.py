"""Holding the report of the embedded host on somebody else's plugin against that of the real one."""

from __future__ import annotations

from collections.abc import Callable

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
    ours, theirs = dict(embedded), dict(real())
    fields = [name for name in theirs if name != "host" and ours[name] != theirs[name]]
    return "; ".join(f"{name}: {ours[name]!r} is really {theirs[name]!r}" for name in fields) or "equal"
