"""Rules of suites, and their outcomes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class Broken(Exception):
    """The plugin breaks the rule; the message says how.

    Attributes:
        trace: Traceback of an exception that the host swallowed, or empty.
    """

    def __init__(self, message: str, trace: str = "") -> None:
        super().__init__(message)
        self.trace = trace


class NotApplicable(Exception):
    """The rule does not apply to this plugin; the message says why."""


class Blocked(Exception):
    """An earlier step failed, which is the subject of another rule.

    Attributes:
        code: Code of the rule about the step.
        trace: Traceback of the failure, or empty.
    """

    def __init__(self, code: str, message: str, trace: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.trace = trace


class SuiteRule(NamedTuple):
    """A requirement of the host on plugins.

    Attributes:
        code: Unique code, which is never reused for another rule.
        name: The requirement, as the name of a test.
        why: Reason for the requirement.
        host: Behaviour of the host if the rule is broken.
        check: Raises `Broken`, `NotApplicable` or `Blocked`. Any other exception counts as raised by the plugin, and
            breaks the rule.
        outside: Whether the rule drives the host from a test, instead of the provider from within the host.
        waits: Whether the rule waits for the host's time limits.
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
        """The requirement in words."""
        return self.name.replace("_", " ")


class SuiteRules(list[SuiteRule]):
    """Rules of a suite, in order."""

    def rule(
        self, code: str, host: str, *, outside: bool = False, waits: bool = False
    ) -> Callable[[Callable[[Any], None]], Callable[[Any], None]]:
        """Return a decorator that adds a function as a rule; its name is the requirement, its docstring the reason.

        Args:
            code: Unique code of the rule.
            host: Behaviour of the host if the rule is broken.
            outside: Whether the rule drives the host from a test.
            waits: Whether the rule waits for the host's time limits.
        """

        def add(check: Callable[[Any], None]) -> Callable[[Any], None]:
            why = " ".join((check.__doc__ or "").split())
            self.append(SuiteRule(code, check.__name__, why, host, check, outside, waits))
            return check

        return add


def demand(holds: object, message: str) -> None:
    """Raise `Broken` with a message unless a condition holds."""
    if not holds:
        raise Broken(message)


def demand_nothing_swallowed(host: Any, doing: str = "") -> None:
    """Raise `Broken` if the host swallowed an exception.

    Args:
        doing: The preceding action, for the message.
    """
    hidden = host.swallowed
    errors = "; ".join(f"{one.where}: {one.error}" for one in hidden[:3])
    if hidden:
        raise Broken(f"{doing}{errors}", hidden[0].traceback)
