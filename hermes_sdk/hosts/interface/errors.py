"""Errors of hosts, besides those of every layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hermes_sdk.errors import HermesSdkError

if TYPE_CHECKING:
    from hermes_sdk.hosts.interface.report import HostKind

REFUSAL = "The embedded host does not "
"""The beginning of each text about something that the embedded host does not model."""


class HostExited(HermesSdkError):
    """Plugin code ended the host, as ``sys.exit`` does: the host catches no SystemExit.

    Args:
        who: What was running, such as ``plugin 'notes'``.
        status: What was given to ``sys.exit``, or the status that the process ended with.
        printed: The end of what it had printed, where that is known.
    """

    def __init__(self, who: str, status: object, printed: str = "") -> None:
        super().__init__(
            f"{who} ended the host with exit status {status!r}." + (f" It had printed:\n{printed}" if printed else ""),
            fix="Raise an exception instead: the host reports it and continues.",
        )
        self.status = status


class TimeLimitExceeded(HermesSdkError):
    """An operation of a host took too long, and was stopped.

    Args:
        doing: The operation and where its code stands, such as ``tool calculate at plugins/sums/__init__.py:12``.
        ending: The rest of the message: what became of it.
        fix: What the user can do about it; empty for nothing.
    """

    def __init__(self, doing: str, ending: str, *, fix: str = "") -> None:
        super().__init__(f"{doing} {ending}", fix=fix)
        self.doing = doing


class NotSupported(HermesSdkError):
    """A host cannot do what was asked of it.

    Args:
        action: What that is, such as ``support an interrupted turn``.
        kind: ``embedded`` or ``real``.
        fix: What to do; default: run it on the other host.
    """

    def __init__(self, action: str, kind: HostKind, fix: str = "") -> None:
        other = "real" if kind == "embedded" else "embedded"
        refusal = REFUSAL if kind == "embedded" else "The real host does not "
        super().__init__(f"{refusal}{action}.", fix=fix or f"Run this on the {other} host.")
        self.action = action
        self.kind: HostKind = kind
