"""HS2xx: the plugin loads, and the host could read all of it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hermes_sdk.check.load import Load
from hermes_sdk.check.model import Severity
from hermes_sdk.check.plugin import MAX_FILES, Plugin
from hermes_sdk.check.rule import Problem, Rules, example
from hermes_sdk.check.rules.loading_code import find_lacking_members
from hermes_sdk.check.rules.loading_imports import find_misdirected
from hermes_sdk.check.rules.platforms import find_unknown_platforms
from hermes_sdk.check.source import MAX_BYTES

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

    Fix: Fix the error; `hermes-sdk show` repeats the load.
    """
    # HS781 and HS787 say why a portable plugin does not load.
    if load.inspection is None or load.report["status"] != "failed" or load.plugin.portable:
        return
    failure = load.inspection["failure"]
    error = failure["error"] if failure else load.report["error"]
    place = failure["place"] if failure else None
    where = load.place(place["file"], place["line"]) if place else (load.plugin.entry, 1)
    if where not in set(_find_explained(load)):
        yield Problem(f"the plugin does not load: {error}", *where, fix=failure["fix"] if failure else None)


@rule(
    "HS202",
    statuses=("loaded", "failed"),
    references=("A37",),
    bad=example("import os\n\n\ndef register(ctx):\n    os._exit(3)\n"),
    good=example(),
)
def breaks_the_host(load: Load) -> Iterator[Problem]:
    """loading ends or blocks the host

    An exit or a wait during loading stops the whole host. Since 0.22.2 the host survives `sys.exit` and stops waiting.

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


# Zeros, which take no memory until somebody reads them.
@rule("HS207", severity="warning", bad=example(files={"data.py": bytes(MAX_BYTES + 1)}), good=example())
def not_read(plugin: Plugin) -> Iterator[Problem]:
    """not read because of its size

    No rule checked this file, whatever it contains.

    Fix: Keep data out of Python files, and unrelated files out of the plugin's directory.
    """
    for source in plugin.sources:
        if source.too_large:
            yield Problem(f"the file is larger than {MAX_BYTES:,} bytes", source.path)
    if len(plugin.files) == MAX_FILES:
        yield Problem(f"the plugin has more than {MAX_FILES:,} files: the others were not read", plugin.entry)


def _find_explained(load: Load) -> Iterator[tuple[str, int]]:
    """Find the lines at which a static rule finds what ends the load: HS203, HS208, HS209, HS214 and HS524."""
    for source in load.plugin.sources:
        if source.error:
            yield source.path, _syntax_place(source.error)[0]
    for found in find_misdirected(load.plugin, load.contract):
        yield found.source.place(found.one.node)[:2]
    for source, node in find_lacking_members(load.plugin, load.contract):
        yield source.place(node)[:2]
    for source, platform, _ in find_unknown_platforms(load.plugin, load.contract):
        yield source.place(platform)[:2]


def _syntax_place(error: Exception) -> tuple[int, int, str]:
    if isinstance(error, SyntaxError):
        return max(error.lineno or 1, 1), max(error.offset or 1, 1), error.msg
    return 1, 1, str(error) or type(error).__name__
