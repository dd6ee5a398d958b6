"""HS2xx: the plugin loads, all its files can be read, and it registers what its manifest declares."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hermes_sdk.check.load import Load
from hermes_sdk.check.model import Severity
from hermes_sdk.check.plugin import MAX_FILES, Plugin
from hermes_sdk.check.repair import set_in_manifest
from hermes_sdk.check.rule import MANIFEST, NOTHING, Example, Problem, Rules, example
from hermes_sdk.check.rules.loading_code import find_missing_members
from hermes_sdk.check.rules.loading_imports import find_misdirected_imports
from hermes_sdk.check.rules.platforms import find_unknown_platforms
from hermes_sdk.check.rules.security import patches_host
from hermes_sdk.check.source import MAX_BYTES
from hermes_sdk.contract.suggestions import find_close

if TYPE_CHECKING:
    from hermes_sdk.check.source import Source
    from hermes_sdk.hosts.interface import Registration
    from hermes_sdk.manifest import Parsed


RULES = Rules()
rule = RULES.rule


@rule(
    "HS201",
    statuses=("loaded", "failed"),
    references=("A34", "A35", "A38"),
    bad=example("def register():\n    pass\n"),
    good=example(),
)
def does_not_load(load: Load) -> Iterator[Problem]:
    """plugin does not load

    The host logs a warning and continues without the plugin. Before 0.20.1 it keeps what the plugin had registered.

    Fix: Fix the error; `hermes-sdk show` repeats the load. `hermes-sdk docs troubleshooting#plugin-not-loading`
    lists causes.
    """
    # HS781 and HS787 explain why a portable plugin does not load.
    if load.inspection is None or load.report["status"] != "failed" or load.plugin.portable:
        return
    error, where = load.failure
    failure = load.inspection["failure"]
    if where not in set(_find_reported_lines(load)):
        message = f"the plugin does not load: {error}{_explain_kind(load, error)}"
        yield Problem(message, *where, fix=failure["fix"] if failure else None)


def _explain_kind(load: Load, error: str) -> str:
    """Explain an error that the kind of the plugin causes; return an empty string for other errors."""
    manifest = load.plugin.manifest
    if manifest is None or "has no attribute 'register_memory_provider'" not in error:
        return ""
    place = f"{load.plugin.relative(manifest.path)}:{manifest.position('kind')[0]}"
    return f". On this release, only plugins of the kind 'exclusive' have it; {place} says '{load.plugin.kind}'"


_PROJECT = '[tool.poetry.plugins."hermes_agent.plugins"]\nexample = "example"\n'


def _ship(imports: str) -> Example:
    """Return a project that is shipped as a directory and as a package, and imports one of its own modules."""
    files = {"plugin.yaml": MANIFEST, "__init__.py": f"{imports}\n{NOTHING}", "words.py": "WORD = 1\n"}
    return {"pyproject.toml": _PROJECT, **{f"example/{name}": text for name, text in files.items()}}


@rule(
    "HS218",
    severity="warning",
    references=("A34",),
    bad=_ship("from example.words import WORD"),
    good=_ship("from .words import WORD"),
)
def form_does_not_load(load: Load, other: Load) -> Iterator[Problem]:
    """one form of the plugin does not load

    `hermes plugins install` installs the directory, and pip the package: one of the two does not work.

    Fix: Fix the error, or ship only the form that works: remove the manifest, or the entry point.
    """
    error, where = load.failure
    forms = (one.plugin.located.form for one in (other, load))
    yield Problem("the plugin loads as a {}, but not as a {}: {}".format(*forms, error), *where, fix=_fix_import(load))


def _fix_import(load: Load) -> str | None:
    """Advise relative imports if the plugin imports itself, since Hermes loads a directory under another name."""
    package = load.plugin.located.entry_point
    top = package.module.partition(".")[0] if package else ""
    lacks_itself = load.inspection is not None and top in load.report["missing_imports"]
    return f"Write relative imports: `from . import …` instead of `from {top} import …`." if lacks_itself else None


@rule(
    "HS202",
    statuses=("loaded", "failed"),
    references=("A37",),
    bad=example("import os\n\n\ndef register(ctx):\n    os._exit(3)\n"),
    good=example(),
)
def breaks_the_host(load: Load) -> Iterator[Problem]:
    """loading ends or blocks the host

    An exit or a wait during loading stops the whole host. Since 0.21.5 the host survives `sys.exit` and stops waiting.

    Fix: Raise an exception instead of exiting, and move slow work from import and `register` into the handlers.
    """
    if load.error is not None:
        yield Problem(load.error.message, load.plugin.entry, fix=load.error.fix or None)


@rule("HS203", bad=example("def register(ctx)\n    pass\n"), good=example())
def invalid_python(plugin: Plugin) -> Iterator[Problem]:
    """source is not valid Python

    The module cannot be imported: the plugin does not load, or fails when it first needs the module.

    Fix: Fix the syntax; `python -m py_compile` also shows the place.
    """
    # Files outside the plugin's packages may be templates.
    for source in plugin.sources:
        if source.error:
            line, column, reason = _syntax_place(source.error)
            severity: Severity = "error" if source.importable else "warning"
            yield Problem(f"not valid Python: {reason}", source.path, line, column, severity=severity)


@rule("HS204", references=("A36",), bad=example("async def register(ctx):\n    pass\n"), good=example())
def async_register(plugin: Plugin) -> Iterator[Problem]:
    """register is async

    The host never awaits `register`: the plugin counts as loaded but registers nothing.

    Fix: Write `def register(ctx)`.
    """
    for source in plugin.sources:
        if source.path == plugin.entry and source.tree:
            for node in source.tree.body:
                if isinstance(node, ast.AsyncFunctionDef) and node.name == "register":
                    yield Problem("`register` is a coroutine function.", *source.place(node))


# A large file of zeros, which takes no memory until it is read.
@rule("HS207", severity="warning", bad=example(files={"data.py": bytes(MAX_BYTES + 1)}), good=example())
def file_not_read(plugin: Plugin) -> Iterator[Problem]:
    """file not read

    No rule checked this file, whatever it contains: it is too large, or a link that leads out of the project.

    Fix: Keep data out of Python files, and unrelated files out of the plugin's directory. Replace the link by a file.
    """
    for file in {*plugin.outside_links} - {plugin.located.manifest}:
        yield Problem("the file is a link that leads out of the project", plugin.relative(file))
    for source in plugin.sources:
        if source.too_large:
            yield Problem(f"the file is larger than {MAX_BYTES:,} bytes", source.path)
    if len(plugin.files) == MAX_FILES:
        yield Problem(f"the plugin has more than {MAX_FILES:,} files: the others were not read", plugin.entry)


def _find_reported_lines(load: Load) -> Iterator[tuple[str, int]]:
    """Find the lines where HS203, HS208, HS209, HS214 or HS524 reports the reason of a failed load."""
    for source in load.plugin.sources:
        if source.error:
            yield source.path, _syntax_place(source.error)[0]
    for found in find_misdirected_imports(load.plugin, load.contract):
        yield found.source.place(found.imported.node)[:2]
    for source, node in find_missing_members(load.plugin, load.contract):
        yield source.place(node)[:2]
    for source, platform, _ in find_unknown_platforms(load.plugin, load.contract):
        yield source.place(platform)[:2]


def _syntax_place(error: Exception) -> tuple[int, int, str]:
    if isinstance(error, SyntaxError):
        return max(error.lineno or 1, 1), max(error.offset or 1, 1), error.msg
    return 1, 1, str(error) or type(error).__name__


DECLARATIONS = {"provides_tools": "register_tool", "provides_hooks": "register_hook"}
"""Lists of registrations in the manifest, and the methods of ``ctx`` that make them."""

_NOT_LOADED = ("exclusive", "model-provider")
_SURFACES = ("dashboard", "desktop", "locales")


def _plugin(*declared: str, options: str = "", manifest: str = MANIFEST) -> Example:
    """Return a plugin that registers the tool ``roll`` and declares some tools."""
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
    """declared but not registered

    Users and catalogs read the manifest; missing features look like a broken installation.

    Fix: Register it or remove it from the manifest, unless it depends on a variable or package of the user.
    """
    for manifest, key, declared, calls in _compare_declarations(load):
        # HS401 reports misspelt names of hooks.
        registered = {call["name"] for call in calls}.union(*(_find_similar_hooks(call, load) for call in calls))
        for index, name in enumerate(declared):
            if isinstance(name, str) and name not in registered:
                message = f"{key} lists '{name}', and the plugin did not register it in an empty environment"
                yield Problem(message, load.plugin.relative(manifest.path), *manifest.position(key, index))


@rule("HS206", severity="warning", bad=_plugin(), good=_plugin("roll"))
def registered_not_declared(load: Load) -> Iterator[Problem]:
    """registered but not declared

    Users, catalogs and the host's tool switches rely on the manifest and cannot show what it omits.

    Fix: Add the missing names to the list in plugin.yaml.
    """
    # Report one finding for each list, since one edit of the manifest adds all missing names.
    for _, key, declared, calls in _compare_declarations(load):
        missing = [call for call in calls if call["name"] not in declared and not _is_unknown_hook(call, load)]
        if missing:
            names = list(dict.fromkeys(call["name"] for call in missing))
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
        patches = next(patches_host(load.plugin), None)
        if patches:
            message = "the plugin registers nothing: it changes Hermes itself"
            yield Problem(message, patches.path, patches.line, patches.column, severity="warning")
        else:
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
    # Report one finding, since one edit of the manifest adds all variables.
    declared = plugin.fields.get("requires_env", [])
    optional = plugin.fields.get("optional_env", [])
    if plugin.manifest is None or not isinstance(declared, list) or not isinstance(optional, list):
        return
    known = {str(one.get("name")) if isinstance(one, dict) else str(one) for one in [*declared, *optional]}
    wanted = [found for source in plugin.sources for found in _find_variables(source) if found[0] not in known]
    if wanted:
        names = sorted({name for name, _, _ in wanted})
        _, source, node = wanted[0]
        # Unsafe: releases that skip plugins without their required variables would no longer load this plugin.
        repair = set_in_manifest(plugin, ["requires_env"], [*declared, *names], safe=False)
        message = f"requires_env of the manifest does not list {', '.join(names)}"
        yield Problem(message, *source.place(node), repair=repair)


def _compare_declarations(load: Load) -> Iterator[tuple[Parsed, str, list[object], list[Registration]]]:
    """Yield the manifest, each key of `DECLARATIONS`, the names in its list, and the calls that register such names."""
    manifest = load.plugin.manifest
    if manifest is None:
        return
    for key, call in DECLARATIONS.items():
        names = manifest.value.get(key)
        yield manifest, key, names if isinstance(names, list) else [], load.registrations(call)


def _is_unknown_hook(registration: Registration, load: Load) -> bool:
    """Return whether HS401 reports the hook, so that the manifest need not list it."""
    return registration["call"] == "register_hook" and registration["name"] not in load.contract.hooks


def _find_similar_hooks(registration: Registration, load: Load) -> list[str]:
    """Find the hooks whose names are similar to an unknown name."""
    return find_close(registration["name"], load.contract.hooks) if _is_unknown_hook(registration, load) else []


def _has_surface(plugin: Plugin) -> bool:
    """Return whether the plugin has a dashboard, a desktop surface or locales, which no call registers."""
    top = {file.relative_to(plugin.located.directory).parts[0] for file in plugin.files}
    return not top.isdisjoint(_SURFACES) or bool(plugin.fields.get("provides_locales"))


def _find_registrations(source: Source) -> Iterator[tuple[str, int, int]]:
    """Find the places of ``register_*`` calls on any object."""
    for node in source.nodes(ast.Call):
        if source.dotted_name(node.func).rpartition(".")[2].startswith("register_"):
            yield source.place(node)


def _has_async_register(plugin: Plugin) -> bool:
    """Return whether `register` is async, which HS204 reports."""
    trees = (source.tree for source in plugin.sources if source.path == plugin.entry and source.tree)
    return any(isinstance(one, ast.AsyncFunctionDef) and one.name == "register" for tree in trees for one in tree.body)


def _find_variables(source: Source) -> Iterator[tuple[str, Source, ast.AST]]:
    """Find the required variables in literal arguments of ``ctx.register_*`` calls."""
    for call in source.calls(".register_tool", ".register_platform"):
        for argument in call.keywords:
            if argument.arg in ("requires_env", "required_env") and isinstance(argument.value, ast.List | ast.Tuple):
                for item in argument.value.elts:
                    if isinstance(item, ast.Constant) and isinstance(item.value, str):
                        yield item.value, source, item
