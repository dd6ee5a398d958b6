"""What a host raises besides the errors of every layer."""

from __future__ import annotations

from hermes_sdk.errors import HermesSdkError
from hermes_sdk.hosts.interface.report import HostKind


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
            fix="Raise an exception instead; the host then reports the plugin and goes on.",
        )
        self.status = status


class NotSupported(HermesSdkError):
    """A host cannot do what was asked of it.

    Args:
        what: What that is, such as ``an interrupted turn``.
        kind: The kind of the host.
        why: Why not.
    """

    def __init__(self, what: str, kind: HostKind, why: str = "") -> None:
        other = "real" if kind == "embedded" else "embedded"
        super().__init__(
            f"The {kind} host does not support {what}" + (f": {why}." if why else "."),
            fix=f"Run this on the {other} host.",
        )
