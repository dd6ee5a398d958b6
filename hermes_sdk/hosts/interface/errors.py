"""Errors that only hosts raise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hermes_sdk.errors import HermesSdkError

if TYPE_CHECKING:
    from hermes_sdk.hosts.interface.report import HostKind

REFUSAL = "The embedded host does not "
"""The beginning of each text about something that the embedded host does not model."""


class HostExited(HermesSdkError):
    """Raised if plugin code ends the host, for example with ``sys.exit``: the host does not catch SystemExit.

    Args:
        who: The code that was running, such as ``plugin 'notes'``.
        status: The argument of ``sys.exit``, or the exit status of the process.
        printed: The last lines of its output, if known.
    """

    def __init__(self, who: str, status: object, printed: str = "") -> None:
        super().__init__(
            f"{who} ended the host with exit status {status!r}." + (f" It had printed:\n{printed}" if printed else ""),
            fix="Raise an exception instead: the host reports it and continues.",
        )
        self.status = status


class TimeLimitExceeded(HermesSdkError):
    """Raised if an operation of a host exceeded its time limit and was stopped.

    Args:
        doing: The operation and the line that was running, such as ``tool calculate at plugins/sums/__init__.py:12``.
        ending: The rest of the message, which says how the operation ended.
        fix: How the user can fix it; empty if unknown.
    """

    def __init__(self, doing: str, ending: str, *, fix: str = "") -> None:
        super().__init__(f"{doing} {ending}", fix=fix)
        self.doing = doing


class NotSupported(HermesSdkError):
    """Raised if a host does not support an operation.

    Args:
        action: The operation as a verb phrase, such as ``support an interrupted turn``.
        kind: ``embedded`` or ``real``.
        fix: What to do. Default: run it on the other host.
    """

    def __init__(self, action: str, kind: HostKind, fix: str = "") -> None:
        other = "real" if kind == "embedded" else "embedded"
        refusal = REFUSAL if kind == "embedded" else "The real host does not "
        super().__init__(f"{refusal}{action}.", fix=fix or f"Run this on the {other} host.")
        self.action = action
        self.kind: HostKind = kind
