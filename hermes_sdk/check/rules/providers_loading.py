"""HS51x: providers that the host loads in another way than plugins: memory providers and model providers."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hermes_sdk.check.load import Load
from hermes_sdk.check.model import Finding
from hermes_sdk.check.plugin import Plugin
from hermes_sdk.check.rules.base import ContractRule, LoadRule, PluginRule, example
from hermes_sdk.check.rules.providers import memory
from hermes_sdk.check.source import Source
from hermes_sdk.manifest import guessed_kind

if TYPE_CHECKING:
    from hermes_sdk.contract import Contract

_MODEL_MANIFEST = "name: example\nkind: model-provider\nversion: '1.0.0'\ndescription: An example.\n"
_MODEL_SOURCE = (
    "from providers import register_provider\nfrom providers.base import ProviderProfile\n\n"
    "register_provider(ProviderProfile(name='example'))\n"
)


def kind_of(plugin: Plugin) -> str:
    """The kind that the host takes a plugin for: what its manifest says, else what its text looks like."""
    if "kind" in plugin.fields:
        return str(plugin.fields["kind"])
    return guessed_kind(plugin.located.directory)


def registrations(plugin: Plugin) -> Iterator[tuple[Source, ast.Call, str]]:
    """The calls ``x.register_…(…)`` where ``x`` is a parameter of the function around, unless something guards them."""
    for source in plugin.sources:
        if not source.tree or ".register_" not in source.text:
            continue
        for call in source.nodes(ast.Call):
            head, _, method = source.dotted(call.func).rpartition(".")
            if method.startswith("register_") and head and _is_parameter(source, call, head):
                guards = (ast.Try, ast.If, ast.IfExp, ast.With)
                if not any(isinstance(around, guards) for around in source.ancestors(call)):
                    yield source, call, method


def _is_parameter(source: Source, node: ast.AST, name: str) -> bool:
    function = source.function(node)
    return function is not None and name in {one.arg for one in function.args.args}


class DroppedByMemoryLoader(ContractRule):
    """A memory plugin that registers something besides its provider (statement G4)."""

    code = "HS511"
    title = "registration that the memory loader does not take"
    why = (
        "A memory plugin is loaded for its provider alone: tools, hooks and CLI commands are dropped without a word, "
        "and anything else is an AttributeError that nobody sees."
    )
    fix = "Offer tools through get_tool_schemas, a CLI through cli.py; move the rest to a plugin of kind standalone."
    bad = memory(calls="    ctx.register_command('notes', lambda line: 'none')\n")
    good = memory()
    references = ("G4", "G10")

    def check(self, plugin: Plugin, contract: Contract) -> Iterator[Finding]:
        """Hold each call against what the loader's stand-in for ``ctx`` has."""
        found = list(registrations(plugin)) if kind_of(plugin) == "exclusive" else []
        if not any(method == "register_memory_provider" for _, _, method in found):
            return
        taken = contract.section("loader_contexts")["plugins.memory"]
        for source, call, method in found:
            if method in taken and method != "register_memory_provider":
                message = f"the memory loader drops what {method} registers"
                yield self.finding(message, *source.place(call), severity="warning")
            elif method not in taken and method in contract.context:
                yield self.finding(f"the memory loader has no {method}: register ends here", *source.place(call))


class MemoryProviderNotFound(PluginRule):
    """A memory plugin whose first 8192 characters do not look like one (statement G1)."""

    code = "HS512"
    title = "memory provider is not found"
    why = "The loader reads the first 8192 characters of __init__.py and passes over a plugin that names neither word."
    fix = "Mention MemoryProvider or register_memory_provider near the top of __init__.py; an import is enough."
    bad = memory(
        files={
            "__init__.py": "from . import notes\n\n\ndef register(ctx):\n    notes.offer(ctx)\n",
            "notes.py": str(memory()["__init__.py"]).replace("def register(", "def offer("),
        }
    )
    good = memory()
    references = ("G1",)

    def check(self, plugin: Plugin) -> Iterator[Finding]:
        """Scan the text as the host does, if there is such a provider anywhere."""
        init = plugin.located.directory / "__init__.py"
        declared = plugin.fields.get("kind") == "exclusive" and init.is_file()
        if not declared or guessed_kind(init.parent) == "exclusive":
            return
        if any("MemoryProvider" in source.text for source in plugin.sources):
            message = "the first 8192 characters mention neither MemoryProvider nor register_memory_provider"
            yield self.finding(message, plugin.relative(init))


class RunAsModule(PluginRule):
    """A file beside ``__init__.py`` of a memory plugin that is no module of it (statement G3)."""

    code = "HS513"
    title = "memory loader runs this file"
    severity = "warning"
    why = "The loader runs every .py file beside __init__.py before the plugin itself, in every process of Hermes."
    fix = "Move it to a directory of its own, such as tests/."
    bad = memory(files={"conftest.py": "import sys\n\nsys.dont_write_bytecode = True\n"})
    good = memory()
    references = ("G3",)

    def check(self, plugin: Plugin) -> Iterator[Finding]:
        """Look for the names of tests and of build scripts."""
        if kind_of(plugin) != "exclusive":
            return
        for source in plugin.sources:
            name = source.file.name
            known = name in ("conftest.py", "setup.py", "__main__.py") or name.startswith("test_")
            if known and source.file.parent == plugin.located.directory:
                yield self.finding(f"the memory loader runs {name} at every start", source.path)


class RegisterIsNeverCalled(PluginRule):
    """A model provider that registers something through ``ctx`` (statements B7 and G20)."""

    code = "HS514"
    title = "register of a model provider is never called"
    why = "The host imports model providers and calls nothing of them: what `register` does never happens."
    fix = "Call providers.register_provider at the top level of __init__.py; move the rest to another plugin."
    bad = example(
        f"{_MODEL_SOURCE}\n\ndef register(ctx):\n    ctx.register_command('models-of-mine', lambda line: 'none')\n",
        manifest=_MODEL_MANIFEST,
    )
    good = example(_MODEL_SOURCE, manifest=_MODEL_MANIFEST)
    references = ("A31", "G20")

    def check(self, plugin: Plugin) -> Iterator[Finding]:
        """Look for calls of ``ctx.register_…`` in the plugin."""
        if plugin.located.entry_point is None and kind_of(plugin) == "model-provider":
            for source, call, method in registrations(plugin):
                if method != "register_provider":
                    message = f"the host never calls the register of a model provider: {method} is not reached"
                    yield self.finding(message, *source.place(call))


class MemoryProviderDoesNotLoad(LoadRule):
    """A memory plugin from which the loader gets no provider (statements G2 to G4)."""

    code = "HS515"
    title = "memory provider does not load"
    why = "The loader hides every error of a memory plugin: Hermes says that there is no such provider."
    fix = "Repair the import or `register`; run the module with Python to see the error."
    bad = memory(imports="import no_such_package\n")
    good = example()
    references = ("G2", "G3", "G4", "https://github.com/NousResearch/hermes-agent/issues/98920")
    statuses = ("loaded", "failed", "skipped")

    def check(self, load: Load) -> Iterator[Finding]:
        """Ask what the loader got, of a plugin that it finds."""
        skipped = load.inspection is not None and load.report["status"] == "skipped"
        found = kind_of(load.plugin) == guessed_kind(load.plugin.located.directory) == "exclusive"
        if skipped and found and load.report["memory_provider"] is None:
            missing = load.report["missing_imports"]
            hint = f"; it imports {', '.join(missing)}, which is not there" if missing else ""
            yield self.finding(f"the memory loader gets no provider from the plugin{hint}", load.plugin.entry)


RULES = (
    MemoryProviderDoesNotLoad(),
    DroppedByMemoryLoader(),
    MemoryProviderNotFound(),
    RunAsModule(),
    RegisterIsNeverCalled(),
)
