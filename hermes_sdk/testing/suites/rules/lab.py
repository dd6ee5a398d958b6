"""Base class of the labs, the test environments of rules."""

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
    """Test environment of a rule: the plugin under test within a host.

    Args:
        ctx: The context of the plugin that contains the rules.
        settings: ``plugin`` (its directory in the home's ``plugins``), ``directory`` (of its files), ``entry_point``
            (the value of a package's entry point, else empty), ``key``, ``home``, ``seed``, ``scale``, ``network``,
            ``secrets``, ``core_tools``, ``memory_registers_all``, ``hooks``, ``elsewhere``, ``failed`` (reasons for
            failed steps, by the code of their rule) and the author's settings of the suite.

    Attributes:
        step: Code of the rule about the current step; empty if there is none.
        call: The current call of a tool, for the message if it hangs; empty if there is none.
    """

    registration: ClassVar[str] = ""
    """Code of the rule about loading and registering."""

    ending: ClassVar[str] = ""
    """Code of the rule about the cleanup at the end of each rule; empty if there is none."""

    def __init__(self, ctx: Any, settings: Mapping[str, Any]) -> None:
        self.ctx = ctx
        self.settings = settings
        self.home = Path(settings["home"])
        self.directory = Path(settings["directory"])
        self.step = self.call = ""
        self._endings: list[Callable[[], Any]] = []

    def close(self, hung: Collection[str] = ()) -> None:
        """Run the registered cleanups.

        Args:
            hung: Places where the plugin hung before; a hang there does not break this rule.
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
        """Register a cleanup for the end of the rule; its exceptions are ignored."""
        self._endings.append(ending)

    def folder(self) -> Path:
        """Create an empty directory, which is deleted at the end."""
        made = Path(tempfile.mkdtemp(prefix="hermes-sdk-contract-"))
        self.at_end(lambda: shutil.rmtree(made, ignore_errors=True))
        return made

    @contextlib.contextmanager
    def before_rule(self, code: str, what: str) -> Generator[None]:
        """Run a step that many rules start with. An exception fails the rule about the step, and blocks all others.

        Args:
            code: Code of the rule about this step.
            what: The step, such as ``initialize()``.
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

    def find_registered(self, method: str, **options: Any) -> list[Any]:
        """Load the plugin again, and return the first arguments of its calls of a method of ``ctx``."""
        collector = self.collect(**options)
        return collector.find_registered(method)

    def collect(self, **options: Any) -> loading.Collector:
        """Load the plugin again and call its ``register``."""
        with self.before_rule(self.registration, "importing the plugin"):
            entry_point = self.settings["entry_point"]
            module = loading.load(entry_point) if entry_point else loading.module(self.directory, **options)
        return self.register(module)

    def register(self, module: Any) -> loading.Collector:
        """Call ``register`` of a loaded plugin."""
        collector = loading.Collector(self.ctx, ())
        with self.before_rule(self.registration, "register(ctx)"):
            getattr(module, "register", module)(collector)
        return collector

    @property
    def elsewhere(self) -> list[Path]:
        """Directories that a plugin must not write to: the user's home, the working directory and its own."""
        return [Path(one) for one in self.settings["elsewhere"]]


def overridden(provider: Any, method: str, base: str) -> bool:
    """Return whether a plugin overrides a method of the host's base class."""
    owner = next(one for one in type(provider).__mro__ if method in vars(one))
    return owner.__name__ != base


def format_place(defined: Any) -> str:
    """Format where a class or function is defined, such as `` at notes/__init__.py:12``; empty if unknown."""
    import inspect

    defined = getattr(defined, "fget", defined)
    try:
        return f" at {inspect.getsourcefile(defined)}:{inspect.getsourcelines(defined)[1]}"
    except (OSError, TypeError):
        return ""


def demand_takes_more(method: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
    """Raise `Broken` if a method does not accept an argument of a later release."""
    import inspect

    try:
        inspect.signature(method).bind(*args, **kwargs, from_a_later_release=True)
    except TypeError as error:
        described = f"{getattr(method, '__name__', 'it')}{inspect.signature(method)}{format_place(method)}"
        raise Broken(f"{described} does not accept other keyword arguments: {error}; add **kwargs") from None


def demand_text(value: Any, what: str) -> str:
    """Raise `Broken` unless a value is text, and return it."""
    demand(isinstance(value, str), f"{what} returned {value!r}, which is {type(value).__name__}, not text")
    return str(value)
