"""HS2xx: the plugin loads, and the host could read all of it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hermes_sdk.check.load import Load
from hermes_sdk.check.model import Finding, Severity
from hermes_sdk.check.plugin import MAX_FILES, Plugin
from hermes_sdk.check.rules.base import LoadRule, PluginRule, example
from hermes_sdk.check.rules.loading_code import lacking_members
from hermes_sdk.check.rules.loading_imports import misdirected
from hermes_sdk.check.source import MAX_BYTES


class DoesNotLoad(LoadRule):
    """The host's import of the plugin, or its ``register``, raised (statements A34, A35)."""

    code = "HS201"
    title = "plugin does not load"
    why = (
        "The host logs a warning and goes on without the plugin; what it registered before the error stays half alive."
    )
    fix = "Repair the error; `hermes-sdk show` repeats the load."
    bad = example("def register():\n    pass\n")
    good = example()
    references = ("A34", "A35", "A38")

    def check(self, load: Load) -> Iterator[Finding]:
        """Repeat the host's own error, unless another rule says at its place what is wrong there."""
        if load.inspection is None or load.report["status"] != "failed":
            return
        error = load.report["error"]
        place = load.inspection["error_place"]
        where = load.place(place["file"], place["line"]) if place else (load.plugin.entry, 1)
        if where not in set(_explained(load)):
            yield self.finding(f"the plugin does not load: {error}", *where)


class BreaksTheHost(LoadRule):
    """Loading the plugin ended or blocked the process (statement A37)."""

    code = "HS202"
    title = "loading ends or blocks the host"
    why = "The host catches ordinary exceptions only: an exit or a wait at load takes the whole host along."
    fix = "Raise an exception instead of exiting, and move slow work from import and `register` into the handlers."
    bad = example("import sys\n\n\ndef register(ctx):\n    sys.exit(3)\n")
    good = example()
    references = ("A37",)

    def check(self, load: Load) -> Iterator[Finding]:
        """Report a child process that did not survive."""
        if load.error is not None:
            yield self.finding(load.error.message, load.plugin.entry, fix=load.error.fix or None)


class InvalidPython(PluginRule):
    """A source cannot be parsed."""

    code = "HS203"
    title = "source is not valid Python"
    why = "The module cannot be imported; the plugin does not load, or fails when it first needs the module."
    fix = "Repair the file; `python -m py_compile` shows the place too."
    bad = example("def register(ctx)\n    pass\n")
    good = example()

    def check(self, plugin: Plugin) -> Iterator[Finding]:
        """Report every source without a tree; files outside the plugin's packages may be templates: a warning."""
        for source in plugin.sources:
            if source.error:
                line, column, reason = _syntax_place(source.error)
                severity: Severity = "error" if source.importable else "warning"
                yield self.finding(f"not valid Python: {reason}", source.path, line, column, severity=severity)


class AsyncRegister(PluginRule):
    """``async def register`` at the top of ``__init__.py`` (statement A36)."""

    code = "HS204"
    title = "register is async"
    why = "The host calls `register` and never awaits it: the plugin counts as loaded, and nothing is registered."
    fix = "Write `def register(ctx)`."
    bad = example("async def register(ctx):\n    pass\n")
    good = example()

    def check(self, plugin: Plugin) -> Iterator[Finding]:
        """Look at the functions that the plugin's own module defines."""
        for source in plugin.sources:
            if source.path == plugin.entry and source.tree:
                for node in source.tree.body:
                    if isinstance(node, ast.AsyncFunctionDef) and node.name == "register":
                        yield self.finding("`register` is a coroutine function.", *source.place(node))


class NotRead(PluginRule):
    """A file, or the number of files, is beyond what a check reads."""

    code = "HS207"
    title = "not read because of its size"
    severity = "warning"
    why = "No rule looked at it: it may hold anything."
    fix = "Keep data out of Python files, and what is no part of the plugin out of its directory."
    bad = example(files={"data.py": f"DATA = '{'x' * MAX_BYTES}'\n"})
    good = example()

    def check(self, plugin: Plugin) -> Iterator[Finding]:
        """Report what was left out."""
        for source in plugin.sources:
            if source.too_large:
                yield self.finding(f"the file is larger than {MAX_BYTES:,} bytes", source.path)
        if len(plugin.files) == MAX_FILES:
            yield self.finding(f"the plugin has more than {MAX_FILES:,} files: the others were not read", plugin.entry)


def _explained(load: Load) -> Iterator[tuple[str, int]]:
    """The lines at which a static rule finds what ends the load: HS203, HS208, HS209 and HS214."""
    for source in load.plugin.sources:
        if source.error:
            yield source.path, _syntax_place(source.error)[0]
    for found in misdirected(load.plugin, load.contract):
        yield found.source.place(found.one.node)[:2]
    for source, node in lacking_members(load.plugin, load.contract):
        yield source.place(node)[:2]


def _syntax_place(error: Exception) -> tuple[int, int, str]:
    if isinstance(error, SyntaxError):
        return max(error.lineno or 1, 1), max(error.offset or 1, 1), error.msg
    return 1, 1, str(error) or type(error).__name__


RULES = (
    DoesNotLoad(),
    BreaksTheHost(),
    InvalidPython(),
    AsyncRegister(),
    NotRead(),
)
