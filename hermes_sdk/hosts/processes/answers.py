"""What a child process sends back: the layers that it is behind, and its result. Neither is trusted."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from typing import Any

from hermes_sdk.errors import HermesSdkError, UnavailableError

LIMIT = 32_000_000
"""How many bytes may be sent."""


def read(sent: bytes, isolated: bool, required: Iterable[str]) -> tuple[tuple[str, ...], Any]:
    """Read what was sent until the end: a line with the layers when it is `isolated`, and a line with the result.

    Returns:
        The layers, and the result; None when the end came before it.

    Raises:
        LayersMissingError: A required layer is missing.
        HermesSdkError: Something else was sent.
    """
    if len(sent) > LIMIT:
        raise forged(f"more than {LIMIT // 1_000_000} MB")
    lines = sent.splitlines(keepends=True)
    if lines and not lines[-1].endswith(b"\n"):
        lines.pop()
    layers: tuple[str, ...] = ()
    if isolated and lines:
        # Sent before any code of a stranger runs.
        layers = tuple(_parse(lines.pop(0)))
        require_layers(required, layers)
    if len(lines) > 1:
        raise forged("more than one result")
    return layers, _parse(lines[0]) if lines else None


def _parse(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        raise forged("invalid JSON") from None


def read_line(line: bytes) -> dict[str, Any]:
    """Read one answer of a process that goes on.

    Raises:
        EOFError: The process ended before, or in the middle of it.
        HermesSdkError: Something else was sent.
    """
    if len(line) > LIMIT:
        raise forged(f"more than {LIMIT // 1_000_000} MB")
    if not line.endswith(b"\n"):
        raise EOFError
    answer = _parse(line)
    if not isinstance(answer, dict):
        raise forged("a value that is not a JSON object")
    return answer


def forged(what: str) -> HermesSdkError:
    """Make the error for something that is sent in place of an answer."""
    return HermesSdkError(
        f"the process that runs the plugin sent an invalid answer: {what}.",
        fix="The plugin writes to a file descriptor that it did not open. Remove that code.",
    )


class LayersMissingError(UnavailableError):
    """The machine lacks layers of the isolation that were required."""


def require_layers(required: Iterable[str], entered: Collection[str]) -> None:
    """Check that a child has entered the required layers of `isolation`.

    Raises:
        LayersMissingError: It lacks some.
    """
    if missing := [layer for layer in required if layer not in entered]:
        raise LayersMissingError(
            f"this machine cannot isolate the plugin fully; missing: {', '.join(missing)}.",
            fix="Run the check on Linux 5.13 or newer (x86-64 or ARM) that allows user namespaces, or without "
            "--require-isolation.",
        )
