"""The oldest release that has everything a plugin uses: the true floor of its `requires_hermes`."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from hermes_sdk.contract.loader import api_releases, load
from hermes_sdk.contract.model import Contract


class Uses(NamedTuple):
    """Names that a plugin takes from its host.

    Attributes:
        context: Members of ``ctx``, such as ``register_middleware``.
        middleware: Kinds of middleware.
        modules: Dotted names of host modules that it cannot do without.
        keywords: Keyword arguments of methods of ``ctx``: the name of the method, and that of the argument.
    """

    context: Collection[str] = ()
    hooks: Collection[str] = ()
    middleware: Collection[str] = ()
    modules: Collection[str] = ()
    keywords: Collection[tuple[str, str]] = ()


class Floor(NamedTuple):
    """Start of the range of releases that a plugin works on.

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
    newest, *older = [load(release) for release in reversed(api_releases())]
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
    yield from missing_keywords(contract, uses.keywords)
    if uses.modules:
        yield from (f"the module {name}" for name in uses.modules if name not in contract.host_modules)


def missing_keywords(contract: Contract, keywords: Collection[tuple[str, str]]) -> Iterator[str]:
    """Name the arguments that a release does not take, of those methods of ``ctx`` that it has.

    Args:
        keywords: The name of a method, and that of an argument.
    """
    for method, keyword in keywords:
        parameters = contract.context[method].parameters if method in contract.context else ()
        if parameters and not any(one.kind == "var_keyword" or one.name == keyword for one in parameters):
            yield f"ctx.{method}({keyword}=)"
