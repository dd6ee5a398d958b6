"""What the rules of all suites work with."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from . import loading
from .base import Broken, NotApplicable, demand


class Lab:
    """A plugin under test within a host.

    Args:
        ctx: The context of the plugin that holds the rules.
        settings: ``plugin`` (its directory in the home's ``plugins``), ``key``, ``home``, ``seed``, ``scale``,
            ``network``, ``core_tools``, ``hooks``, ``elsewhere`` and what the author set for the suite.

    Attributes:
        home: The home of the host.
        directory: The plugin.
        settings: The settings.
    """

    def __init__(self, ctx: Any, settings: Mapping[str, Any]) -> None:
        self.ctx = ctx
        self.settings = settings
        self.home = Path(settings["home"])
        self.directory = self.home / "plugins" / settings["plugin"]
        self._endings: list[Callable[[], Any]] = []

    def close(self) -> None:
        """Give back what the rule took."""
        for ending in reversed(self._endings):
            with contextlib.suppress(Exception):
                ending()

    def at_end(self, ending: Callable[[], Any]) -> None:
        """Do something at the end, whatever it raises."""
        self._endings.append(ending)

    def folder(self) -> Path:
        """A new empty directory."""
        made = Path(tempfile.mkdtemp(prefix="hermes-sdk-contract-"))
        self.at_end(lambda: shutil.rmtree(made, ignore_errors=True))
        return made

    def registered(self, method: str, **options: Any) -> list[Any]:
        """What the plugin, loaded afresh, gives to a method of ``ctx``."""
        collector = self.collected(**options)
        return collector.registered(method)

    def collected(self, **options: Any) -> loading.Collector:
        """Load the plugin afresh and let it register."""
        return self.register(loading.module(self.directory, **options))

    def register(self, module: Any) -> loading.Collector:
        """Let a plugin that is loaded register."""
        collector = loading.Collector(self.ctx, ())
        try:
            module.register(collector)
        except Exception as error:
            raise Unloadable(f"it cannot register: {type(error).__name__}: {error}") from error
        return collector

    @property
    def elsewhere(self) -> list[Path]:
        """Where a plugin has nothing to write: the user's home, the working directory, and beside its own files."""
        return [Path(one) for one in self.settings["elsewhere"]]


class Unloadable(NotApplicable):
    """There is no provider to hold the rule against; the rule that tells of it is another."""


def overridden(provider: Any, method: str, base: str) -> bool:
    """Whether a method is the plugin's own, and not the one of the host's class of that name."""
    owner = next(one for one in type(provider).__mro__ if method in vars(one))
    return owner.__name__ != base


def demand_takes_more(method: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
    """Break the rule when a method cannot be called with an argument that its release does not know."""
    import inspect

    try:
        inspect.signature(method).bind(*args, **kwargs, from_a_later_release=True)
    except TypeError as error:
        name = getattr(method, "__name__", "it")
        raise Broken(f"{name}{inspect.signature(method)} takes no further keyword: {error}; add **kwargs") from None


def demand_text(value: Any, what: str) -> str:
    """Break the rule unless a value is text."""
    demand(isinstance(value, str), f"{what} returned {value!r}, which is {type(value).__name__} and not text")
    return str(value)
