"""Rules of suites, and their outcomes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class Broken(Exception):
    """The plugin breaks the rule; the message says how.

    Attributes:
        trace: The traceback of what the host swallowed, or empty.
    """

    def __init__(self, message: str, trace: str = "") -> None:
        super().__init__(message)
        self.trace = trace


class NotApplicable(Exception):
    """The rule says nothing about this plugin; the message says why."""


class Blocked(Exception):
    """A step before the rule failed, which is the subject of another rule.

    Attributes:
        trace: The traceback of what failed, or empty.
    """

    def __init__(self, code: str, message: str, trace: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.trace = trace


class SuiteRule(NamedTuple):
    """One thing that a plugin has to do.

    Attributes:
        code: Never used again for another rule.
        name: What holds, as the name of a test.
        host: What the host does when it does not.
        check: Raises `Broken`, `NotApplicable` or `Blocked`; any other exception is one of the plugin, and breaks the
            rule.
        outside: Whether it drives the host from a test, instead of the provider from within the host.
        waits: Whether it waits for the host's time limits.
    """

    code: str
    name: str
    why: str
    host: str
    check: Callable[[Any], None]
    outside: bool
    waits: bool

    @property
    def title(self) -> str:
        """Return what holds, in words."""
        return self.name.replace("_", " ")


class SuiteRules(list[SuiteRule]):
    """The rules of a suite, in their order."""

    def rule(
        self, code: str, host: str, *, outside: bool = False, waits: bool = False
    ) -> Callable[[Callable[[Any], None]], Callable[[Any], None]]:
        """Make a function a rule: its name says what holds, its docstring why.

        Args:
            host: What the host does when the rule is broken.
            outside: Whether it drives the host from a test.
            waits: Whether it waits for the host's time limits.
        """

        def add(check: Callable[[Any], None]) -> Callable[[Any], None]:
            why = " ".join((check.__doc__ or "").split())
            self.append(SuiteRule(code, check.__name__, why, host, check, outside, waits))
            return check

        return add


def demand(holds: object, message: str) -> None:
    """Break the rule unless something holds."""
    if not holds:
        raise Broken(message)


def demand_nothing_swallowed(host: Any, doing: str = "") -> None:
    """Break the rule when the host swallowed an exception.

    Args:
        doing: What was done, for the message.
    """
    hidden = host.swallowed
    told = "; ".join(f"{one.where}: {one.error}" for one in hidden[:3])
    if hidden:
        raise Broken(f"{doing}{told}", hidden[0].traceback)
