"""HS2xx: what the manifest declares is what the plugin registers, and that is something."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hermes_sdk.check.load import Load
from hermes_sdk.check.plugin import Plugin
from hermes_sdk.check.repair import set_in_manifest
from hermes_sdk.check.rule import MANIFEST, Example, Problem, Rules, example
from hermes_sdk.contract.suggestions import find_close

if TYPE_CHECKING:
    from hermes_sdk.check.source import Source
    from hermes_sdk.hosts.interface import Registration
    from hermes_sdk.manifest import Parsed

RULES = Rules()
rule = RULES.rule

DECLARATIONS = {"provides_tools": "register_tool", "provides_hooks": "register_hook"}
"""The lists of the manifest that say what a plugin registers, and the call that does it."""

_NOT_LOADED = ("exclusive", "model-provider")
_SURFACES = ("dashboard", "desktop", "locales")


def _plugin(*declared: str, options: str = "", manifest: str = MANIFEST) -> Example:
    """A plugin that registers the tool ``roll`` and declares some tools."""
    schema = '{"name": "roll", "description": "Roll a die.", "parameters": {"type": "object", "properties": {}}}'
    source = f"""\
SCHEMA = {schema}


def handle(args, **kwargs):
    return "4"


def register(ctx):
    ctx.register_tool(name="roll", toolset="example", schema=SCHEMA, handler=handle{options})
"""
    return example(source, manifest=f"{manifest}provides_tools: [{', '.join(declared)}]\n")


@rule("HS205", severity="warning", bad=_plugin("roll", "flip"), good=_plugin("roll"))
def declared_not_registered(load: Load) -> Iterator[Problem]:
    """declared and not registered

    Users and catalogs read the manifest; missing features look like a broken installation.

    Fix: Register it or remove it from the manifest, unless it depends on a variable or package of the user.
    """
    for manifest, key, declared, calls in _compare_declarations(load):
        # HS401 explains the misspelt name of a hook that the manifest lists.
        registered = {made["name"] for made in calls}.union(*(_find_meant(made, load) for made in calls))
        for index, name in enumerate(declared):
            if isinstance(name, str) and name not in registered:
                message = f"{key} lists '{name}', and the plugin did not register it in an empty environment"
                yield Problem(message, load.plugin.relative(manifest.path), *manifest.position(key, index))


@rule("HS206", severity="warning", bad=_plugin(), good=_plugin("roll"))
def registered_not_declared(load: Load) -> Iterator[Problem]:
    """registered and not declared

    Users, catalogs and the host's tool switches rely on the manifest and cannot show what it omits.

    Fix: Add the missing names to the list in plugin.yaml.
    """
    # One finding for each list: one edit of the manifest repairs all.
    for _, key, declared, calls in _compare_declarations(load):
        missing = [made for made in calls if made["name"] not in declared and not _is_unknown_hook(made, load)]
        if missing:
            names = list(dict.fromkeys(made["name"] for made in missing))
            message = f"{key} of the manifest does not list {', '.join(map(repr, names))}"
            repair = set_in_manifest(load.plugin, [key], [*declared, *names])
            yield Problem(message, *load.call_place(missing[0]), repair=repair)


@rule(
    "HS216",
    references=("A36", "A39"),
    bad=example("TOOLS = ['roll']\n\n\ndef register(ctx):\n    TOOLS.append('flip')\n"),
    good=example(),
)
def registers_nothing(load: Load) -> Iterator[Problem]:
    """plugin registers nothing

    The host counts it as loaded and enabled, but the user gets neither a tool nor an error.

    Fix: Call ctx.register_tool or a similar method in `register`, or ship a dashboard, a desktop surface or locales.
    """
    report = load.report
    kind = report["plugin"]["kind"]
    given = (report["memory_provider"], report["model_providers"], report["gateway_hooks"], load.registrations())
    if any(given) or kind in _NOT_LOADED or load.plugin.portable or _has_surface(load.plugin):
        return
    calls = [place for source in load.plugin.sources for place in _find_registrations(source)]
    if calls:
        message = "the plugin registers nothing in an empty environment: every registration depends on something"
        yield Problem(message, *calls[0], severity="warning")
    elif not _has_async_register(load.plugin):
        yield Problem("the plugin loads, and registers nothing", load.plugin.entry)


@rule(
    "HS217",
    severity="warning",
    bad=_plugin("roll", options=", requires_env=['ROLL_KEY']"),
    good=_plugin("roll", options=", requires_env=['ROLL_KEY']", manifest=f"{MANIFEST}requires_env: [ROLL_KEY]\n"),
)
def variable_not_declared(plugin: Plugin) -> Iterator[Problem]:
    """required variable is not declared

    `hermes plugins install` asks only for variables in the manifest, so this one stays unset.

    Fix: Add it to requires_env in plugin.yaml.
    """
    # One finding: one edit of the manifest repairs all.
    declared = plugin.fields.get("requires_env", [])
    optional = plugin.fields.get("optional_env", [])
    if plugin.manifest is None or not isinstance(declared, list) or not isinstance(optional, list):
        return
    known = {str(one.get("name")) if isinstance(one, dict) else str(one) for one in [*declared, *optional]}
    wanted = [found for source in plugin.sources for found in _find_variables(source) if found[0] not in known]
    if wanted:
        names = sorted({name for name, _, _ in wanted})
        _, source, node = wanted[0]
        # A host that loads no plugin without its variables would leave out the rest of it, too.
        repair = set_in_manifest(plugin, ["requires_env"], [*declared, *names], safe=False)
        message = f"requires_env of the manifest does not list {', '.join(names)}"
        yield Problem(message, *source.place(node), repair=repair)


def _compare_declarations(load: Load) -> Iterator[tuple[Parsed, str, list[object], list[Registration]]]:
    """Yield the manifest, a key of it, the names that it lists there, and the calls that register such names."""
    manifest = load.plugin.manifest
    if manifest is None:
        return
    for key, call in DECLARATIONS.items():
        names = manifest.value.get(key)
        yield manifest, key, names if isinstance(names, list) else [], load.registrations(call)


def _is_unknown_hook(made: Registration, load: Load) -> bool:
    """Whether HS401 finds it, so that it has no place in a manifest."""
    return made["call"] == "register_hook" and made["name"] not in load.contract.hooks


def _find_meant(made: Registration, load: Load) -> list[str]:
    """Find the hooks that the name of an unknown one may stand for."""
    return find_close(made["name"], load.contract.hooks) if _is_unknown_hook(made, load) else []


def _has_surface(plugin: Plugin) -> bool:
    """Whether the plugin brings something that no call registers."""
    top = {file.relative_to(plugin.located.directory).parts[0] for file in plugin.files}
    return not top.isdisjoint(_SURFACES) or bool(plugin.fields.get("provides_locales"))


def _find_registrations(source: Source) -> Iterator[tuple[str, int, int]]:
    """Find the calls that register, whatever they are made on."""
    for node in source.nodes(ast.Call):
        if source.dotted(node.func).rpartition(".")[2].startswith("register_"):
            yield source.place(node)


def _has_async_register(plugin: Plugin) -> bool:
    """Whether HS204 explains it."""
    trees = (source.tree for source in plugin.sources if source.path == plugin.entry and source.tree)
    return any(isinstance(one, ast.AsyncFunctionDef) and one.name == "register" for tree in trees for one in tree.body)


def _find_variables(source: Source) -> Iterator[tuple[str, Source, ast.AST]]:
    """Find the variables that calls of ``ctx.register_*`` ask for, where they are written out."""
    for call in source.calls(".register_tool", ".register_platform"):
        for argument in call.keywords:
            if argument.arg in ("requires_env", "required_env") and isinstance(argument.value, ast.List | ast.Tuple):
                for item in argument.value.elts:
                    if isinstance(item, ast.Constant) and isinstance(item.value, str):
                        yield item.value, source, item
