"""APIs that a plugin uses and a release lacks."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from hermes_sdk.check.rules.imports import find_host_imports, find_missing_import
from hermes_sdk.check.rules.uses import collect_uses
from hermes_sdk.contract.floor import missing_keywords

if TYPE_CHECKING:
    from hermes_sdk.check.plugin import Plugin
    from hermes_sdk.contract import Contract

_NOTHING: Mapping[str, Collection[str]] = MappingProxyType({})


def missing_apis(
    plugin: Plugin, contract: Contract, registered: Mapping[str, Collection[str]] = _NOTHING, kind: object = None
) -> tuple[str, ...]:
    """Return the APIs that a plugin uses and a release lacks.

    APIs that the plugin probes for first, with ``hasattr`` or in a ``try``, are excluded.

    Args:
        plugin: The plugin's files.
        contract: The release.
        registered: Names that it registers, by kind, including names that its source does not spell out.
        kind: The kind that the host determines for the plugin; None if unknown.
    """
    if plugin.located.portable and not contract.behaviour.portable_plugins:
        return ("portable plugins",)
    uses = collect_uses(plugin)
    hooks = {*uses.hooks, *registered.get("hooks", ())}
    # A release without middleware lacks the method of ctx, which is reported instead.
    kinds = {*uses.middleware, *registered.get("middleware", ())} if contract.middleware_kinds else set[str]()
    imports = (find_missing_import(one, contract) for _, one in find_host_imports(plugin))
    found = {
        *(f"ctx.{name}" for name in uses.context if name not in _list_members(contract, kind)),
        *missing_keywords(contract, uses.keywords),
        *(f"hook {name}" for name in hooks if name not in contract.hooks),
        *(f"middleware {name}" for name in kinds if name not in contract.middleware_kinds),
        *filter(None, imports),
    }
    return tuple(sorted(found))


def _list_members(contract: Contract, kind: object) -> frozenset[str]:
    """Return the members of the plugin's ``ctx``, which for the kind ``exclusive`` comes from another loader."""
    if kind not in (None, "exclusive"):
        return frozenset(contract.context)
    return frozenset(contract.context).union(*contract.section("loader_contexts").values())
