"""HS51x: memory and model providers, which the host loads differently from other plugins."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hermes_sdk.check.load import Load
from hermes_sdk.check.plugin import Plugin
from hermes_sdk.check.rule import MANIFEST, NOTHING, Problem, Rules, example
from hermes_sdk.check.rules.loading_code import is_bundled
from hermes_sdk.check.rules.providers import MEMORY_MANIFEST, memory_plugin
from hermes_sdk.check.source import Source
from hermes_sdk.manifest import ENTRY_POINT_GROUP, guessed_kind
from hermes_sdk.manifest.kinds import MEMORY

if TYPE_CHECKING:
    from hermes_sdk.contract import Contract

RULES = Rules()
rule = RULES.rule

_MODEL_MANIFEST = "name: example\nkind: model-provider\nversion: '1.0.0'\ndescription: An example.\n"
_MODEL_SOURCE = (
    "from providers import register_provider\nfrom providers.base import ProviderProfile\n\n"
    "register_provider(ProviderProfile(name='example'))\n"
)


def find_registrations(plugin: Plugin) -> Iterator[tuple[Source, ast.Call, str]]:
    """Find the unguarded calls ``x.register_…(…)`` in functions with a parameter ``x``."""
    for source in plugin.sources:
        if not source.tree or ".register_" not in source.text:
            continue
        for call in source.nodes(ast.Call):
            head, _, method = source.dotted_name(call.func).rpartition(".")
            if method.startswith("register_") and head and _is_parameter(source, call, head):
                guards = (ast.Try, ast.If, ast.IfExp, ast.With)
                if not any(isinstance(around, guards) for around in source.ancestors(call)):
                    yield source, call, method


def _is_parameter(source: Source, node: ast.AST, name: str) -> bool:
    function = source.function(node)
    return function is not None and name in {one.arg for one in function.args.args}


@rule(
    "HS511",
    behaviour="not memory_providers_register_all",
    references=("G4", "G10", "N96"),
    bad=memory_plugin(calls="    ctx.register_command('notes', lambda line: 'none')\n"),
    good=memory_plugin(),
)
def dropped_by_memory_loader(plugin: Plugin, contract: Contract) -> Iterator[Problem]:
    """memory loader does not support the registration

    On these releases, the memory loader takes only the provider: it silently drops tools, hooks and CLI commands;
    anything else raises AttributeError, which nobody sees. Later releases take everything.

    Fix: Offer tools through get_tool_schemas and a CLI through cli.py, move the rest to a plugin of kind standalone, or
    raise requires_hermes.
    """
    found = list(find_registrations(plugin)) if plugin.kind == "exclusive" else []
    if not any(method == "register_memory_provider" for _, _, method in found):
        return
    taken = contract.section("loader_contexts")["plugins.memory"]
    for source, call, method in found:
        if method in taken and method != "register_memory_provider":
            message = f"the memory loader of Hermes {contract.release} drops what {method} registers"
            yield Problem(message, *source.place(call), severity="warning")
        elif method not in taken and method in contract.context:
            message = f"the memory loader of Hermes {contract.release} has no {method}: register ends here"
            yield Problem(message, *source.place(call))


@rule(
    "HS512",
    references=("G1",),
    bad=memory_plugin(
        files={
            "__init__.py": "from .stores import notes\n\n\ndef register(ctx):\n    notes.offer(ctx)\n",
            "stores/__init__.py": "",
            "stores/notes.py": str(memory_plugin()["__init__.py"]).replace("def register(", "def offer("),
        }
    ),
    good=memory_plugin(),
)
def memory_provider_not_found(plugin: Plugin, contract: Contract) -> Iterator[Problem]:
    """memory provider is not found

    The loader searches the first 8192 characters of __init__.py for MemoryProvider or register_memory_provider, and
    since 0.22.2 the modules next to it for a provider. It skips other plugins.

    Fix: Mention one of the two names near the top of __init__.py; an import is enough.
    """
    init = plugin.located.directory / "__init__.py"
    if plugin.manifest is None or plugin.fields.get("kind") != "exclusive" or guessed_kind(init.parent) == "exclusive":
        return
    if not init.is_file():
        place = plugin.manifest.position("kind")
        fix = "Create __init__.py with the provider and register(ctx), or drop `kind: exclusive`."
        message = "the kind is exclusive, and there is no __init__.py for the memory loader to read"
        yield Problem(message, plugin.relative(plugin.manifest.path), *place, fix=fix)
    if contract.behaviour.memory_modules_parsed:
        beside = [source.text for source in plugin.sources if source.file.parent == init.parent]
        if any(word in text for word in MEMORY for text in beside):
            return
    if any("MemoryProvider" in source.text for source in plugin.sources):
        message = "the first 8192 characters mention neither MemoryProvider nor register_memory_provider"
        yield Problem(message, plugin.relative(init))


@rule(
    "HS513",
    severity="warning",
    references=("G3",),
    bad=memory_plugin(files={"conftest.py": "import sys\n\nsys.dont_write_bytecode = True\n"}),
    good=memory_plugin(),
)
def run_as_module(plugin: Plugin) -> Iterator[Problem]:
    """memory loader runs this file

    The loader runs every .py file next to __init__.py before the plugin itself, in every Hermes process.

    Fix: Move it to a subdirectory such as tests/.
    """
    if plugin.kind != "exclusive":
        return
    for source in plugin.sources:
        name = source.file.name
        known = name in ("conftest.py", "setup.py", "__main__.py") or name.startswith("test_")
        if known and source.file.parent == plugin.located.directory:
            yield Problem(f"the memory loader runs {name} at every start", source.path)


@rule(
    "HS514",
    references=("B7", "A31", "G20"),
    bad=example(f"{_MODEL_SOURCE}\n\n{NOTHING}", manifest=_MODEL_MANIFEST),
    good=example(),
)
def register_is_never_called(plugin: Plugin) -> Iterator[Problem]:
    """register of a model provider is never called

    The host only imports model providers: it never calls `register`.

    Fix: Call providers.register_provider at the top level of __init__.py; move the rest to another plugin.
    """
    if plugin.located.entry_point is None and plugin.kind == "model-provider":
        for source, call, method in find_registrations(plugin):
            if method != "register_provider":
                message = f"the host never calls the register of a model provider: {method} is not reached"
                yield Problem(message, *source.place(call))


@rule(
    "HS515",
    statuses=("loaded", "failed", "skipped"),
    references=("G2", "G3", "G4", "G20", "https://github.com/NousResearch/hermes-agent/issues/98920"),
    bad=memory_plugin(imports="import no_such_package\n"),
    good=example(),
)
def provider_does_not_load(load: Load) -> Iterator[Problem]:
    """memory or model provider does not load

    These loaders at most log errors: Hermes reports an unknown provider.

    Fix: Fix the import, or register the provider; run the module with Python to see the error.
    """
    if load.inspection is None or load.report["status"] != "skipped":
        return
    located = load.plugin.located
    if located.form == "package" and located.group == ENTRY_POINT_GROUP:
        return  # HS601 and HS603 report providers where their loaders do not look.
    kind, guessed = load.plugin.kind, guessed_kind(located.directory)
    is_memory = kind == guessed == "exclusive" and load.report["memory_provider"] is None
    is_model = kind == "model-provider" and not load.report["model_providers"]
    if is_memory or is_model:
        missing = load.report["missing_imports"]
        hint = f"; it imports {', '.join(missing)}, which cannot be found" if missing else ""
        loader = "memory loader" if is_memory else "loader of model providers"
        yield Problem(f"the {loader} gets no provider from the plugin{hint}", load.plugin.entry)


@rule(
    "HS516",
    references=("G1", "G2"),
    bad=memory_plugin(files={"plugin.yaml": MEMORY_MANIFEST.replace("notes", "byterover", 1)}),
    good=memory_plugin(),
)
def bundled_provider_comes_first(plugin: Plugin, contract: Contract) -> Iterator[Problem]:
    """memory provider has the name of a bundled memory provider

    The loader searches bundled providers first, and never loads the plugin.

    Fix: Rename the plugin, which also renames its installation directory.
    """
    if plugin.manifest is None or plugin.kind != "exclusive" or is_bundled(plugin):
        return
    name = plugin.fields.get("name", plugin.located.directory.name)
    if name in contract.bundled_memory_providers:
        message = f"'{name}' is a memory provider of Hermes {contract.release} itself"
        yield Problem(message, plugin.relative(plugin.manifest.path), *plugin.manifest.position("name"))


_SEARCHING = example(
    """\
from agent.web_search_provider import WebSearchProvider


class Finder(WebSearchProvider):
    name = "finder"

    def is_available(self):
        return True


def register(ctx):
    ctx.register_web_search_provider(Finder())
""",
    manifest=MANIFEST.replace("standalone", "backend"),
)
_SEARCH_TOOL = example(
    """\
SCHEMA = {"description": "Search the web.", "parameters": {"type": "object", "properties": {}}}


def search(args, **kwargs):
    return "found"


def register(ctx):
    ctx.register_tool(name="find_on_the_web", toolset="finder", schema=SCHEMA, handler=search)
""",
    manifest=f"{MANIFEST}provides_tools: [find_on_the_web]\n",
)


@rule(
    "HS517",
    until="0.18.1",
    references=("F19",),
    bad=_SEARCHING,
    good=_SEARCH_TOOL,
)
def web_provider_cannot_be_selected(plugin: Plugin, contract: Contract) -> Iterator[Problem]:
    """web provider cannot be selected

    These releases take only the names of their own web providers in the section `web` of a configuration.

    Fix: Raise requires_hermes to '>=0.18.1'.
    """
    for source in plugin.sources if not is_bundled(plugin) else ():
        for call in source.calls(".register_web_search_provider"):
            message = f"no configuration of Hermes {contract.release} can select a plugin's web provider"
            yield Problem(message, *source.place(call))
