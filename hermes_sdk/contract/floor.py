"""The oldest release that has everything a plugin uses: the true floor of its `requires_hermes`."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from hermes_sdk.contract.loader import load, releases
from hermes_sdk.contract.model import Contract


class Uses(NamedTuple):
    """What a plugin takes from its host, by name.

    Attributes:
        context: Members of ``ctx``, such as ``register_middleware``.
        hooks: Hooks.
        middleware: Kinds of middleware.
        modules: Dotted names of host modules that it cannot do without.
    """

    context: Collection[str] = ()
    hooks: Collection[str] = ()
    middleware: Collection[str] = ()
    modules: Collection[str] = ()


class Floor(NamedTuple):
    """Where the range of releases that a plugin works on begins.

    Attributes:
        release: The oldest release that has everything, as all later ones do.
        missing: What the release before it lacks, sorted; empty when `release` is the oldest that is known.
    """

    release: str
    missing: tuple[str, ...]


def floor_of(uses: Uses) -> Floor:
    """Find the floor of what a plugin uses.

    Args:
        uses: What it uses. What the newest known release lacks says nothing: it may come later, or be a mistake.
    """
    newest, *older = [load(release) for release in reversed(releases())]
    unknown = set(_missing(newest, uses))
    if set(_missing(older[-1], uses)) <= unknown:
        return Floor(older[-1].release, ())  # As for most plugins, and the others need not be read.
    floor = newest
    for contract in older:
        missing = set(_missing(contract, uses)) - unknown
        if missing:
            return Floor(floor.release, tuple(sorted(missing)))
        floor = contract
    return Floor(floor.release, ())


def _missing(contract: Contract, uses: Uses) -> Iterator[str]:
    yield from (f"ctx.{name}" for name in uses.context if name not in contract.context)
    yield from (f"the hook {name}" for name in uses.hooks if name not in contract.hooks)
    yield from (f"the middleware {name}" for name in uses.middleware if name not in contract.middleware_kinds)
    if uses.modules:
        yield from (f"the module {name}" for name in uses.modules if name not in contract.host_modules)
