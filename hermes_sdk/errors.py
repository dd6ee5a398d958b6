"""Every error that hermes-sdk raises on purpose.

    HermesSdkError            what happened, where, and what to do
    ├── UsageError            the call or an input file is wrong                      exit code 2
    └── UnavailableError      the environment lacks something (network, tool, right)  exit code 3

The command line prints them without a traceback.
"""

from __future__ import annotations

from collections.abc import Sequence


class HermesSdkError(Exception):
    """A problem that the user can act on.

    Args:
        message: What happened, in one sentence.
        where: The place as ``file:line:column``, or empty when there is none.
        fix: What to do about it, or empty when nothing can be done.
        options: The options with which a user who trusts an input file may run the command again.
    """

    exit_code = 1

    def __init__(self, message: str, *, where: str = "", fix: str = "", options: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.where = where
        self.fix = fix
        self.options = options

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        advice = f"\n  {self.fix}" if self.fix else ""
        return f"{place}{self.message}{advice}"


class UsageError(HermesSdkError):
    """The command line, an option or an input file is wrong."""

    exit_code = 2


class UnavailableError(HermesSdkError):
    """Something that the machine has to offer is missing, such as a network, a tool or a permission."""

    exit_code = 3
