"""Exceptions that hermes-sdk raises deliberately.

    HermesSdkError            a problem with its place and fix
    ├── UsageError            the call or an input file is wrong                      exit code 2
    └── UnavailableError      a network, tool or permission is missing                exit code 3

The command line prints them without a traceback.
"""

from __future__ import annotations

from collections.abc import Sequence


class HermesSdkError(Exception):
    """A problem that the user can resolve.

    Args:
        message: The problem, in one sentence.
        where: The place as ``file:line:column``, or empty.
        fix: How to fix the problem, or empty.
        options: Options with which users who trust an input file may run the command again.
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
    """The machine lacks a resource, such as a network, a tool or a permission."""

    exit_code = 3
