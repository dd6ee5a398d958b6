"""Base of the labs, in which the rules of all suites work."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
import traceback
from collections.abc import Callable, Collection, Generator, Mapping
from pathlib import Path
from typing import Any, ClassVar

from . import loading
from .base import Blocked, Broken, NotApplicable, demand
from .time_limit import TimeUp


class Lab:
    """A plugin under test within a host.

    Args:
        ctx: The context of the plugin that holds the rules.
        settings: ``plugin`` (its directory in the home's ``plugins``), ``directory`` (where its files are),
            ``entry_point`` (what that of a package names; else empty), ``key``, ``home``, ``seed``, ``scale``,
            ``network``, ``secrets``, ``core_tools``, ``memory_registers_all``, ``hooks``, ``elsewhere``, ``failed``
            (code of a step that fails -> why) and what the author set for the suite.

    Attributes:
        step: The code of the rule about the step that is under way; empty when there is none.
        call: The call of a tool that is under way, for the message when it hangs; empty when there is none.
    """

    registration: ClassVar[str] = ""
    """The code of the rule about loading and registering."""

    ending: ClassVar[str] = ""
    """The code of the rule about what ends each rule; empty when there is none."""

    def __init__(self, ctx: Any, settings: Mapping[str, Any]) -> None:
        self.ctx = ctx
        self.settings = settings
        self.home = Path(settings["home"])
        self.directory = Path(settings["directory"])
        self.step = self.call = ""
        self._endings: list[Callable[[], Any]] = []

    def close(self, hung: Collection[str] = ()) -> None:
        """Give back what the rule took.

        Args:
            hung: Places where the plugin hung before; that it hangs there again is not the matter of this rule.
        """
        step, self.step = self.step, self.ending
        for ending in reversed(self._endings):
            try:
                with contextlib.suppress(Exception):
                    ending()
            except TimeUp as up:
                if up.place not in hung:
                    raise
        self.step = step

    def at_end(self, ending: Callable[[], Any]) -> None:
        """Do something at the end, whatever it raises."""
        self._endings.append(ending)

    def folder(self) -> Path:
        """A new empty directory."""
        made = Path(tempfile.mkdtemp(prefix="hermes-sdk-contract-"))
        self.at_end(lambda: shutil.rmtree(made, ignore_errors=True))
        return made

    @contextlib.contextmanager
    def before_rule(self, code: str, what: str) -> Generator[None]:
        """Do a step that many rules begin with: what it raises fails one rule, and blocks the others.

        Args:
            code: The code of the rule that begins with the same step, and fails with it.
            what: What is done, such as ``initialize()``.
        """
        if code in self.settings["failed"]:
            raise Blocked(code, self.settings["failed"][code])
        self.step = code
        try:
            yield
        except (Blocked, Broken, NotApplicable):
            raise
        except Exception as error:
            raise Blocked(code, f"{what} raised {type(error).__name__}: {error}", traceback.format_exc()) from error
        self.step = ""

    def registered(self, method: str, **options: Any) -> list[Any]:
        """Return what the plugin, loaded afresh, gives to a method of ``ctx``."""
        collector = self.collected(**options)
        return collector.registered(method)

    def collected(self, **options: Any) -> loading.Collector:
        """Load the plugin afresh and let it register."""
        with self.before_rule(self.registration, "importing the plugin"):
            entry_point = self.settings["entry_point"]
            module = loading.load(entry_point) if entry_point else loading.module(self.directory, **options)
        return self.register(module)

    def register(self, module: Any) -> loading.Collector:
        """Let a plugin that is loaded register."""
        collector = loading.Collector(self.ctx, ())
        with self.before_rule(self.registration, "register(ctx)"):
            getattr(module, "register", module)(collector)
        return collector

    @property
    def elsewhere(self) -> list[Path]:
        """Return where a plugin has nothing to write: the user's home, the working directory, beside its files."""
        return [Path(one) for one in self.settings["elsewhere"]]


def overridden(provider: Any, method: str, base: str) -> bool:
    """Return whether a method is the plugin's own, and not the one of the host's class of that name."""
    owner = next(one for one in type(provider).__mro__ if method in vars(one))
    return owner.__name__ != base


def format_place(defined: Any) -> str:
    """Format where a class or function is defined, such as `` at notes/__init__.py:12``; empty when nobody knows."""
    import inspect

    defined = getattr(defined, "fget", defined)
    try:
        return f" at {inspect.getsourcefile(defined)}:{inspect.getsourcelines(defined)[1]}"
    except (OSError, TypeError):
        return ""


def demand_takes_more(method: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
    """Break the rule when a method cannot be called with an argument that its release does not know."""
    import inspect

    try:
        inspect.signature(method).bind(*args, **kwargs, from_a_later_release=True)
    except TypeError as error:
        told = f"{getattr(method, '__name__', 'it')}{inspect.signature(method)}{format_place(method)}"
        raise Broken(f"{told} does not accept other keyword arguments: {error}; add **kwargs") from None


def demand_text(value: Any, what: str) -> str:
    """Break the rule unless a value is text."""
    demand(isinstance(value, str), f"{what} returned {value!r}, which is {type(value).__name__}, not text")
    return str(value)
