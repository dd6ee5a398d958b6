"""HS2xx: the plugin loads, and what its manifest declares is what it registers."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hermes_sdk.check.load import Load
from hermes_sdk.check.model import Finding, Severity
from hermes_sdk.check.plugin import MAX_FILES, Plugin
from hermes_sdk.check.repair import set_in_manifest
from hermes_sdk.check.rules.base import MANIFEST, Example, LoadRule, PluginRule, RuntimeRule, example
from hermes_sdk.check.source import MAX_BYTES

if TYPE_CHECKING:
    from hermes_sdk.hosts.show import Registration
    from hermes_sdk.manifest import Parsed

DECLARATIONS = {"provides_tools": "register_tool", "provides_hooks": "register_hook"}
"""The lists of the manifest that say what a plugin registers, and the call that does it."""


def _rolling(*declared: str) -> Example:
    """A plugin that registers the tool ``roll`` and declares some tools."""
    schema = '{"name": "roll", "description": "Roll a die.", "parameters": {"type": "object", "properties": {}}}'
    source = f"""\
SCHEMA = {schema}


def handle(args, **kwargs):
    return "4"


def register(ctx):
    ctx.register_tool(name="roll", toolset="example", schema=SCHEMA, handler=handle)
"""
    return example(source, manifest=f"{MANIFEST}provides_tools: [{', '.join(declared)}]\n")


class DoesNotLoad(LoadRule):
    """The host's import of the plugin, or its ``register``, raised (statements A34, A35)."""

    code = "HS201"
    title = "plugin does not load"
    why = (
        "The host logs a warning and goes on without the plugin; what it registered before the error stays half alive."
    )
    fix = "Repair the error; `hermes-sdk show` repeats the load."
    bad = example("def register(ctx):\n    ctx.register_gadget('roll')\n")
    good = example()

    def check(self, load: Load) -> Iterator[Finding]:
        """Repeat the host's own error, unless it is a syntax error that HS203 reports at its place."""
        if load.inspection is None or load.report["status"] != "failed":
            return
        error = load.report["error"]
        if not any(str(source.error) == error for source in load.plugin.sources if source.error):
            place = load.inspection["error_place"]
            where = load.place(place["file"], place["line"]) if place else (load.plugin.entry, 1)
            yield self.finding(f"the plugin does not load: {error}", *where)


class BreaksTheHost(LoadRule):
    """Loading the plugin ended or blocked the process (statement A37)."""

    code = "HS202"
    title = "loading ends or blocks the host"
    why = "The host catches ordinary exceptions only: an exit or a wait at load takes the whole host along."
    fix = "Raise an exception instead of exiting, and move slow work from import and `register` into the handlers."
    bad = example("import sys\n\n\ndef register(ctx):\n    sys.exit(3)\n")
    good = example()

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


class DeclaredNotRegistered(RuntimeRule):
    """``provides_tools`` or ``provides_hooks`` names something that loading did not register."""

    code = "HS205"
    title = "declared and not registered"
    severity = "warning"
    why = "Users and catalogs read the manifest; what it promises and the plugin lacks looks like a broken install."
    fix = "Register it or remove it from the manifest; leave it when it depends on a variable or a package of the user."
    bad = _rolling("roll", "flip")
    good = _rolling("roll")

    def check(self, load: Load) -> Iterator[Finding]:
        """Compare each list of the manifest with the calls."""
        for manifest, key, declared, calls in _declarations(load):
            registered = {made["name"] for made in calls}
            for index, name in enumerate(declared):
                if isinstance(name, str) and name not in registered:
                    message = f"{key} lists '{name}', and the plugin did not register it in an empty environment"
                    yield self.finding(message, load.plugin.relative(manifest.path), *manifest.position(key, index))


class RegisteredNotDeclared(RuntimeRule):
    """The plugin registers a tool or a hook that its manifest does not list."""

    code = "HS206"
    title = "registered and not declared"
    severity = "warning"
    why = "Users, catalogs and the host's own tool switches read the manifest: what it leaves out, they cannot show."
    fix = "Add what is missing to the list in plugin.yaml."
    bad = _rolling()
    good = _rolling("roll")

    def check(self, load: Load) -> Iterator[Finding]:
        """Report one finding for each list, at the first call that it lacks: one edit of the manifest repairs all."""
        for _, key, declared, calls in _declarations(load):
            missing = [made for made in calls if made["name"] not in declared]
            if missing:
                names = list(dict.fromkeys(made["name"] for made in missing))
                message = f"{key} of the manifest does not list {', '.join(map(repr, names))}"
                repair = set_in_manifest(load.plugin, [key], [*declared, *names])
                yield self.finding(message, *load.call_place(missing[0]), repair=repair)


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


def _declarations(load: Load) -> Iterator[tuple[Parsed, str, list[object], list[Registration]]]:
    """The manifest, a key of it, the names that it lists there, and the calls that register such names."""
    manifest = load.plugin.manifest
    if manifest is None:
        return
    for key, call in DECLARATIONS.items():
        names = manifest.value.get(key)
        yield manifest, key, names if isinstance(names, list) else [], load.registrations(call)


def _syntax_place(error: Exception) -> tuple[int, int, str]:
    if isinstance(error, SyntaxError):
        return max(error.lineno or 1, 1), max(error.offset or 1, 1), error.msg
    return 1, 1, str(error) or type(error).__name__


RULES = (
    DoesNotLoad(),
    BreaksTheHost(),
    InvalidPython(),
    AsyncRegister(),
    DeclaredNotRegistered(),
    RegisteredNotDeclared(),
    NotRead(),
)
