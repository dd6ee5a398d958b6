"""The minimum release of a plugin: the oldest one with all host APIs that the plugin uses."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from hermes_sdk.contract.loader import api_releases, load
from hermes_sdk.contract.model import Contract


class Uses(NamedTuple):
    """Host APIs that a plugin uses.

    Attributes:
        context: Members of ``ctx``, such as ``register_middleware``.
        middleware: Kinds of middleware.
        modules: Dotted names of host modules that it requires.
        keywords: Keyword arguments of methods of ``ctx``, as names of method and argument.
    """

    context: Collection[str] = ()
    hooks: Collection[str] = ()
    middleware: Collection[str] = ()
    modules: Collection[str] = ()
    keywords: Collection[tuple[str, str]] = ()


class Floor(NamedTuple):
    """Start of the range of releases that a plugin works on.

    Attributes:
        release: The oldest release that, like all later ones, has all the APIs.
        missing: The APIs that the previous release lacks, sorted; empty if `release` is the oldest known one.
    """

    release: str
    missing: tuple[str, ...]


def find_floor(uses: Uses) -> Floor:
    """Return the minimum release for the APIs that a plugin uses.

    Args:
        uses: The APIs. Those that the newest known release lacks are ignored: they may be added later, or be mistakes.
    """
    newest, *older = [load(release) for release in reversed(api_releases())]
    unknown = set(_list_missing(newest, uses))
    if set(_list_missing(older[-1], uses)) <= unknown:
        return Floor(older[-1].release, ())  # Most plugins work on every release, so do not load the other contracts.
    floor = newest
    for contract in older:
        missing = set(_list_missing(contract, uses)) - unknown
        if missing:
            return Floor(floor.release, tuple(sorted(missing)))
        floor = contract
    return Floor(floor.release, ())


def _list_missing(contract: Contract, uses: Uses) -> Iterator[str]:
    yield from (f"ctx.{name}" for name in uses.context if name not in contract.context)
    yield from (f"the hook {name}" for name in uses.hooks if name not in contract.hooks)
    yield from (f"the middleware {name}" for name in uses.middleware if name not in contract.middleware_kinds)
    yield from missing_keywords(contract, uses.keywords)
    if uses.modules:
        yield from (f"the module {name}" for name in uses.modules if name not in contract.host_modules)


def missing_keywords(contract: Contract, keywords: Collection[tuple[str, str]]) -> Iterator[str]:
    """Yield the arguments that a release's methods of ``ctx`` do not accept; missing methods are skipped.

    Args:
        keywords: Names of methods and their arguments.
    """
    for method, keyword in keywords:
        parameters = contract.context[method].parameters if method in contract.context else ()
        if parameters and not any(one.kind == "var_keyword" or one.name == keyword for one in parameters):
            yield f"ctx.{method}({keyword}=)"
