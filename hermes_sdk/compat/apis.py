"""What a plugin uses of its host, compared with what a release has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hermes_sdk.check.rules.imports import host_imports, missing_from
from hermes_sdk.check.rules.uses import uses_of
from hermes_sdk.contract.floor import missing_keywords

if TYPE_CHECKING:
    from hermes_sdk.check.plugin import Plugin
    from hermes_sdk.contract import Contract
    from hermes_sdk.hosts.interface import Report


def missing_apis(plugin: Plugin, contract: Contract, report: Report | None) -> tuple[str, ...]:
    """Name what a plugin uses and a release lacks.

    What the plugin probes for first, with ``hasattr`` or in a ``try``, is left out.

    Args:
        plugin: Its files.
        contract: The release.
        report: What it registered there, which tells names that the text does not; None when nothing is known.
    """
    uses = uses_of(plugin)
    hooks = {*uses.hooks, *(report["hooks"] if report else ())}
    # A release without middleware lacks the member of ctx, which says it.
    kinds = {*uses.middleware, *(report["middleware"] if report else ())} if contract.middleware_kinds else set[str]()
    imports = (missing_from(one, contract) for _, one in host_imports(plugin))
    found = {
        *(f"ctx.{name}" for name in uses.context if name not in _members(contract, report)),
        *missing_keywords(contract, uses.keywords),
        *(f"hook {name}" for name in hooks if name not in contract.hooks),
        *(f"middleware {name}" for name in kinds if name not in contract.middleware_kinds),
        *filter(None, imports),
    }
    return tuple(sorted(found))


def _members(contract: Contract, report: Report | None) -> frozenset[str]:
    """The members of the ``ctx`` that the plugin gets: one of the kind ``exclusive`` gets that of another loader."""
    if report is not None and report["plugin"]["kind"] != "exclusive":
        return frozenset(contract.context)
    return frozenset(contract.context).union(*contract.section("loader_contexts").values())
