"""HS73x: the modules and names that a plugin imports from the host exist and are public."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hermes_sdk import contract as contracts
from hermes_sdk.check.plugin import Plugin
from hermes_sdk.check.rule import Problem, Rules, example
from hermes_sdk.check.source import Import, Source

if TYPE_CHECKING:
    from hermes_sdk.contract import Contract

RULES = Rules()
rule = RULES.rule

_PACKAGES = frozenset(
    {"agent", "cron", "gateway", "hermes_cli", "plugins", "providers", "tools", "tui_gateway", "utils"}
)
_MODULES = frozenset({"cli", "hermes_constants", "hermes_logging", "hermes_state", "hermes_time", "model_tools"})
HOST = _PACKAGES | _MODULES | {"run_agent", "toolsets", "trajectory_compressor"}
"""Top-level packages and modules of the host."""

GOOD = "from hermes_constants import get_hermes_home\n\n\ndef register(ctx):\n    get_hermes_home()\n"


@rule(
    "HS731",
    references=("A33",),
    bad=example("def register(ctx):\n    from agent.memory_store import MemoryStore\n\n    MemoryStore()\n"),
    good=example(GOOD),
)
def not_in_release(plugin: Plugin, contract: Contract) -> Iterator[Problem]:
    """imported module or name does not exist in the release

    The import fails: the plugin does not load there, or fails at that line.

    Fix: Import only what all supported releases have, guard the import, or raise the floor in requires_hermes.
    """
    for source, one in find_host_imports(plugin):
        missing = find_missing_import(one, contract)
        if missing:
            having = [
                other for other in contracts.api_releases() if not find_missing_import(one, contracts.load(other))
            ]
            hint = f"; it exists from {having[0]} to {having[-1]}" if having else "; no known release has it"
            message = f"Hermes {contract.release} has no {missing}{hint}"
            yield Problem(message, *source.place(one.node))


@rule(
    "HS732",
    severity="warning",
    references=("A33",),
    catalog=(9,),
    bad=example("def register(ctx):\n    from run_agent import AIAgent\n\n    AIAgent\n"),
    good=example(GOOD),
)
def internal_import(plugin: Plugin, contract: Contract) -> Iterator[Problem]:
    """import of an internal module of Hermes

    Internal modules change without notice, and then the plugin no longer loads.

    Fix: Use the plugin interface: `ctx`, the provider base classes and hermes_constants.
    """
    from hermes_sdk.contract.host_modules import find_replacement, is_public, is_replaced
    from hermes_sdk.hosts.standins import find_standin

    for source, one in find_host_imports(plugin):
        if is_public(one.dotted_name) or find_missing_import(one, contract):
            continue
        name = one.dotted_name if one.dotted_name in contract.host_modules else one.module
        private = (one.name or "").startswith("_")
        # Modules with a stand-in count as public, because many plugins use them; top-level modules do not.
        if private or "." not in name or is_replaced(name) or not find_standin(name):
            instead = find_replacement(name)
            what = f"{one.module}.{one.name}" if private else name
            fix = f"Use {instead}." if instead else None
            yield Problem(f"{what} is internal to Hermes", *source.place(one.node), fix=fix)


def find_host_imports(plugin: Plugin) -> Iterator[tuple[Source, Import]]:
    """Find the unguarded imports of the host that are executed, without modules that the plugin itself has."""
    names = list_host_names(plugin)
    for source in plugin.sources:
        if not source.tree or not any(name in source.text for name in names):
            continue
        for one in source.imports:
            if one.module.partition(".")[0] in names and not source.is_guarded(one.node) and _is_executed(source, one):
                yield source, one


def list_host_names(plugin: Plugin) -> frozenset[str]:
    """List the top-level names of the host, without those of the plugin's own modules."""
    top = plugin.located.directory
    inside = (source.file.relative_to(top) for source in plugin.sources if top in source.file.parents)
    return HOST.difference(path.parts[0].removesuffix(".py") for path in inside)


def _is_executed(source: Source, one: Import) -> bool:
    """Return whether an import is executed, not only read by type checkers."""
    tests = (around.test for around in source.ancestors(one.node) if isinstance(around, ast.If))
    return not any("TYPE_CHECKING" in source.dotted_name(test) for test in tests)


def find_missing_import(one: Import, contract: Contract) -> str | None:
    """Return the module or the name of an import that the release lacks; None if it has both."""
    if one.module not in contract.host_modules and one.module not in contract.module_names:
        return f"module {one.module}"
    names = contract.module_names.get(one.module)
    if one.name in (None, "*") or names is None or one.dotted_name in contract.host_modules or one.name in names:
        return None
    return f"{one.name} in {one.module}"


@rule(
    "HS733",
    severity="warning",
    needs=("ctx._",),
    references=("F15", "https://github.com/msitarzewski/agency-agents/pull/803"),
    bad=example("def register(ctx):\n    if ctx._manager._cli_ref:\n        print('in the CLI')\n"),
    good=example(GOOD),
)
def private_context(source: Source) -> Iterator[Problem]:
    """private attribute of ctx is used

    Releases rename private attributes without notice, and some exist only in the interactive CLI.

    Fix: Use public methods of ctx; ctx.dispatch_tool works on all surfaces.
    """
    for node in source.nodes(ast.Attribute):
        private = node.attr.startswith("_") and not node.attr.startswith("__")
        if private and source.dotted_name(node.value) in ("ctx", "self.ctx", "self._ctx"):
            yield Problem(f"ctx.{node.attr} is private", *source.place(node))
