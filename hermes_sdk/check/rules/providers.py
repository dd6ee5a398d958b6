"""HS50x: providers have the methods that the host calls, with the right signatures.

The methods of platform adapters are checked here, like those of other providers; `platforms` has their other rules.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from hermes_sdk.check.plugin import Plugin
from hermes_sdk.check.rule import NOTHING, Example, Problem, Rules, example
from hermes_sdk.check.source import Source
from hermes_sdk.contract.loader import api_releases, load
from hermes_sdk.contract.suggestions import find_close

if TYPE_CHECKING:
    from hermes_sdk.contract import Contract, Parameter

RULES = Rules()
rule = RULES.rule

MEMORY_MANIFEST = "name: notes\nkind: exclusive\nversion: '1.0.0'\ndescription: Notes.\n"

_PACKAGES = frozenset({"agent", "cron", "gateway", "hermes_cli"})
"""Packages of the host with base classes of providers."""

_CALLED_AS = {
    "MemoryProvider.initialize": "MemoryManager.initialize_all",
    "BasePlatformAdapter.connect": "platform adapter connect",
}
"""Methods whose calls are in the contract under the name of the caller."""

_PASSED_IF_ACCEPTED = frozenset({"messages", "turn_author"})
"""Keywords of `MemoryProvider.sync_turn` that the host passes only if the method accepts them (statement G6)."""

_PASSED_BY_GATEWAY = {"BasePlatformAdapter.send": frozenset({"chat_id", "content", "metadata", "reply_to"})}
"""Keywords that a gateway passes with every answer of a turn (statement H8)."""

_AWAITED_AS_DECLARED = frozenset({"BasePlatformAdapter", "ContextEngine", "MemoryProvider"})
"""Classes whose methods the host awaits if and only if the base class is async."""

_NETWORK = ("requests", "httpx", "aiohttp")
_NETWORK_CALLS = frozenset({"urllib.request.urlopen", "socket.create_connection", "time.sleep"})
_VERBS = frozenset({"get", "post", "put", "patch", "delete", "head", "options", "request", "stream"})

_CHECKED_REGISTRARS = (
    ".register_browser_provider",
    ".register_context_engine",
    ".register_dashboard_auth_provider",
    ".register_image_gen_provider",
    ".register_secret_source",
    ".register_transcription_provider",
    ".register_tts_provider",
    ".register_video_gen_provider",
    ".register_web_search_provider",
)
"""Methods of ``ctx`` that check the class of their argument (statement F19)."""

_UNCOPYABLE = frozenset(
    {"Lock", "RLock", "Condition", "Event", "Semaphore", "Thread", "ThreadPoolExecutor", "connect", "socket", "open"}
)
_UNCOPYABLE_MODULES = frozenset({"threading", "sqlite3", "socket", "concurrent", "open"})
_COPY_METHODS = frozenset({"__deepcopy__", "__getstate__", "__reduce__", "__reduce_ex__"})


def memory_plugin(
    *,
    initialize: str = "session_id, **kwargs",
    available: str = "True",
    method: str = "sync_turn",
    keyword: str = "def",
    imports: str = "",
    calls: str = "",
    files: Example | None = None,
) -> Example:
    """Return a plugin with a memory provider.

    Args:
        initialize: The parameters of the method `initialize`.
        available: The result of `is_available`.
        method: The name of the method that stores a turn.
        keyword: ``def`` or ``async def``, for this method.
        imports: Additional lines at the top of the module.
        calls: Additional lines of `register`.
        files: Additional files, or replacements of the default ones.
    """
    source = f"""\
from agent.memory_provider import MemoryProvider
{imports}

class Notes(MemoryProvider):
    name = "notes"

    def is_available(self):
        return {available}

    def initialize(self, {initialize}):
        pass

    def get_tool_schemas(self):
        return []

    {keyword} {method}(self, user_content, assistant_content, **kwargs):
        pass


def register(ctx):
    ctx.register_memory_provider(Notes())
{calls}"""
    return example(source, manifest=MEMORY_MANIFEST, files=files)


class Provider(NamedTuple):
    """Class of the plugin that derives from a base class of the host.

    Attributes:
        base: The name of the base class.
        fact: The contract's entry for the base class.
    """

    source: Source
    node: ast.ClassDef
    base: str
    fact: Mapping[str, Any]

    @property
    def methods(self) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
        """The methods in the body of the class."""
        return (each for each in self.node.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef))


def find_providers(plugin: Plugin, contract: Contract) -> Iterator[Provider]:
    """Find the classes that derive from an abstract base class of the release."""
    for source in plugin.sources:
        if not source.tree or "class " not in source.text:
            continue
        for node in source.nodes(ast.ClassDef):
            for base in map(source.dotted_name, node.bases):
                module, _, name = base.rpartition(".")
                if module.partition(".")[0] in _PACKAGES:
                    fact = contract.section("classes").get(name)
                    if fact and fact["abstract"] and f"{fact['module']}.".startswith(f"{module}."):
                        yield Provider(source, node, name, fact)


@rule("HS501", references=("G5", "G6", "H8"), bad=memory_plugin(initialize="session_id"), good=memory_plugin())
def method_refuses_call(plugin: Plugin, contract: Contract) -> Iterator[Problem]:
    """provider method does not accept the host's arguments

    Every call raises TypeError, which the host hides or logs: the provider is selected but does nothing.

    Fix: Use the base class's parameters, and **kwargs for later additions.
    """
    from hermes_sdk.contract.model import member

    for provider in find_providers(plugin, contract):
        for method in provider.methods:
            fact = provider.fact["members"].get(method.name)
            if fact is None or fact["kind"] != "method" or method.decorator_list or method.name.startswith("_"):
                continue
            passed = _list_keywords(contract, provider.base, method.name)
            problem = _explain_problem(method.args, member(method.name, fact).parameters, passed)
            if problem:
                message = f"{provider.node.name}.{method.name} {problem} ({provider.base}, {contract.release})"
                yield Problem(message, *provider.source.place(method))


def _list_keywords(contract: Contract, base: str, method: str) -> set[str] | None:
    """List the keywords that every call of the host passes; None if the contract has no calls of the method."""
    name = f"{base}.{method}"
    if name in _PASSED_BY_GATEWAY:
        return {*_PASSED_BY_GATEWAY[name]}
    calls = contract.section("host_calls").get(_CALLED_AS.get(name, name))
    return set.intersection(*(set(call["always"]) for call in calls)) if calls else None


def _explain_problem(arguments: ast.arguments, promised: tuple[Parameter, ...], passed: set[str] | None) -> str | None:
    """Explain why a method does not accept the arguments of its base class; None if it does."""
    positional = [one.arg for one in [*arguments.posonlyargs, *arguments.args]][1:]
    required = positional[: max(len(positional) - len(arguments.defaults), 0)]
    keyword_only = [one.arg for one in arguments.kwonlyargs]
    required_keywords = [
        one.arg for one, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if not default
    ]
    in_order = [one for one in promised if one.kind == "positional_or_keyword"]
    known = {one.name for one in promised}
    if passed is None:
        passed = {one.name for one in promised if one.kind == "keyword_only"} - _PASSED_IF_ACCEPTED
    extra = [one for one in required[len(in_order) :] if one not in passed]
    extra += [one for one in required_keywords if one not in known | passed]
    if extra:
        return f"requires {', '.join(extra)}, which the host does not pass"
    if arguments.kwarg:
        return None
    needed = sum(one.default is None for one in in_order)
    if arguments.vararg is None and len(positional) < needed:
        return f"takes {len(positional)} of the {needed} arguments that the host passes"
    refused = sorted(passed.difference(positional, keyword_only))
    return f"does not take {', '.join(refused)}, which the host passes" if refused else None


@rule(
    "HS502",
    references=("G4",),
    bad=example(
        "from agent.image_gen_provider import ImageGenProvider\n\n\nclass Painter(ImageGenProvider):\n"
        "    name = 'painter'\n\n\ndef register(ctx):\n    ctx.register_image_gen_provider(Painter())\n"
    ),
    good=memory_plugin(),
)
def method_is_missing(plugin: Plugin, contract: Contract) -> Iterator[Problem]:
    """provider lacks a required method

    Python cannot instantiate such a class: the provider does not register, or its loader silently skips it.

    Fix: Implement the method.
    """
    # Skip base classes, whose subclasses may implement the method.
    found = [one for one in find_providers(plugin, contract) if _is_complete(one)]
    if not found:
        return
    bases = {
        base.rpartition(".")[2]
        for source in plugin.sources
        for node in source.nodes(ast.ClassDef)
        for base in map(source.dotted_name, node.bases)
    }
    for source, node, base, fact in found:
        missing = [name for name in fact["abstract"] if name not in _list_bindings(node)]
        if missing and node.name not in bases:
            message = f"{node.name} has no {', '.join(missing)}, which {base} of {contract.release} leaves abstract"
            yield Problem(message, *source.place(node))


@rule(
    "HS506",
    references=("G5", "H1"),
    bad=memory_plugin(method="sync_turn_"),
    good=memory_plugin(method="sync_turn"),
)
def method_is_misspelt(plugin: Plugin, contract: Contract) -> Iterator[Problem]:
    """provider method is misspelt

    The host calls methods by their names: it never calls this one, and reports nothing.

    Fix: Give the method the name of the interface, or a name that is not similar to one.
    """
    for source, node, base, fact in find_providers(plugin, contract):
        own = _list_bindings(node)
        wanted = [name for name in fact["members"] if name not in own and not name.startswith("_")]
        for method in (one for one in node.body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)):
            if method.name in fact["members"] or _is_used(plugin, method.name) or _is_known(base, method.name):
                continue
            if method.name.startswith("_"):
                is_constructor = _normalise_name(method.name) == "init" and "__init__" not in own
                suggestion = "__init__" if is_constructor else ""
            else:
                close = find_close(_normalise_name(method.name), map(_normalise_name, wanted), likeness=0.85)
                suggestion = next((name for name in wanted if _normalise_name(name) in close[:1]), "")
            if suggestion:
                message = f"{base} has no method {method.name}; did you mean '{suggestion}'?"
                yield Problem(message, *source.place(method))


def _normalise_name(name: str) -> str:
    return name.replace("_", "").lower()


def _is_used(plugin: Plugin, name: str) -> bool:
    """Return whether code of the plugin reads an attribute."""
    return any(source.reads(name) for source in plugin.sources)


def _is_known(base: str, method: str) -> bool:
    """Return whether any known release defines a method on a host class."""
    classes = (load(release).section("classes").get(base) for release in api_releases())
    return any(fact and method in fact["members"] for fact in classes)


@rule(
    "HS507",
    references=("G5", "G15", "H8"),
    bad=memory_plugin(method="sync_turn", keyword="async def"),
    good=memory_plugin(),
)
def method_async_differs(plugin: Plugin, contract: Contract) -> Iterator[Problem]:
    """provider method is async where the interface is not, or vice versa

    The host never runs the body of a coroutine that it does not await, and fails when it awaits anything else.

    Fix: Write `def` or `async def` as the base class does; start slow work of a plain method in a thread.
    """
    for provider in find_providers(plugin, contract):
        for method in provider.methods if provider.base in _AWAITED_AS_DECLARED else ():
            fact = provider.fact["members"].get(method.name, {})
            is_async = isinstance(method, ast.AsyncFunctionDef)
            is_called = fact.get("kind") == "method" or method.name == "__init__"
            if not is_called or is_async == bool(fact.get("async")) or method.decorator_list:
                continue
            if is_async or not _may_return_awaitable(provider.source, method):
                does = "is async, and the host never awaits it" if is_async else "is not async, and the host awaits it"
                message = f"{provider.node.name}.{method.name} {does} ({provider.base}, {contract.release})"
                yield Problem(message, *provider.source.place(method))


def _may_return_awaitable(source: Source, method: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    returned = (node.value for node in source.own_nodes(method) if isinstance(node, ast.Return))
    literals = ast.Constant | ast.Dict | ast.List | ast.Tuple | ast.JoinedStr
    return any(value is not None and not isinstance(value, literals) for value in returned)


def _is_complete(provider: Provider) -> bool:
    """Return whether a class has a single base, no decorators, no metaclass, and no abstract methods of its own."""
    node = provider.node
    own = (decorator for method in provider.methods for decorator in method.decorator_list)
    abstract = any("abstract" in provider.source.dotted_name(decorator) for decorator in own)
    return len(node.bases) == 1 and not node.decorator_list and not node.keywords and not abstract


def _list_bindings(node: ast.ClassDef) -> set[str]:
    """List every name that the body of a class may bind, without walking the bodies of its methods."""
    names: set[str] = set()
    pending: list[ast.AST] = [*node.body]
    while pending:
        each = pending.pop()
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(each.name)
        elif isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
            names.add(each.id)
        else:
            pending.extend(ast.iter_child_nodes(each))
    return names


@rule(
    "HS503",
    severity="warning",
    needs=("is_available", "check_fn"),
    references=("G5", "G11", "H5"),
    bad=memory_plugin(imports="import requests\n", available='requests.get("https://example.org").ok'),
    good=memory_plugin(),
)
def probe_uses_the_network(source: Source) -> Iterator[Problem]:
    """availability check is not passive

    The host runs it at every start and for every tool list: one slow server delays all of Hermes.

    Fix: Check only variables, files and installed packages; connect on first use.
    """
    for function in _find_probes(source):
        for call in ast.walk(function):
            if isinstance(call, ast.Call) and _is_blocking(name := source.dotted_name(call.func)):
                yield Problem(f"the availability check calls {name}", *source.place(call))


def _find_probes(source: Source) -> Iterator[ast.AST]:
    functions = source.nodes(ast.FunctionDef)
    passed = [word.value for call in source.nodes(ast.Call) for word in call.keywords if word.arg == "check_fn"]
    names = {value.id for value in passed if isinstance(value, ast.Name)}
    for function in functions:
        in_class = isinstance(source.parent(function), ast.ClassDef)
        if function.name == "is_available" if in_class else function.name in names:
            yield function
    yield from (value for value in passed if isinstance(value, ast.Lambda))


def _is_blocking(name: str) -> bool:
    top, _, last = name.partition(".")
    return name in _NETWORK_CALLS or (top in _NETWORK and last in _VERBS)


@rule(
    "HS504",
    needs=tuple(name.removeprefix(".") for name in _CHECKED_REGISTRARS),
    references=("F19",),
    bad=example(
        "class Painter:\n    name = 'painter'\n\n\ndef register(ctx):\n    ctx.register_image_gen_provider(Painter())\n"
    ),
    good=memory_plugin(),
)
def not_a_provider(source: Source) -> Iterator[Problem]:
    """provider does not derive from the host's class

    The host logs a warning and ignores the provider: the plugin counts as loaded but offers nothing.

    Fix: Derive the class from hermes-agent's base class for such providers.
    """
    plain = {node.name for node in source.nodes(ast.ClassDef) if not node.bases and not node.keywords}
    for call in source.calls(*_CHECKED_REGISTRARS):
        given = call.args[0] if call.args else None
        if isinstance(given, ast.Call) and source.dotted_name(given.func) in plain and not source.is_fallback(call):
            message = f"{source.dotted_name(given.func)} has no base class of the host"
            yield Problem(message, *source.place(given))


@rule(
    "HS505",
    references=("G14",),
    bad=example(
        "import threading\n\nfrom agent.context_engine import ContextEngine\n\n\nclass Short(ContextEngine):\n"
        "    name = 'short'\n\n    def __init__(self):\n        self.lock = threading.Lock()\n\n"
        "    def compress(self, messages, **kwargs):\n        return messages\n\n"
        "    def should_compress(self, prompt_tokens=None):\n        return False\n\n"
        "    def update_from_response(self, usage):\n        pass\n\n\n"
        "def register(ctx):\n    ctx.register_context_engine(Short())\n"
    ),
    good=example(NOTHING),
)
def engine_cannot_be_copied(plugin: Plugin, contract: Contract) -> Iterator[Problem]:
    """context engine cannot be copied

    Every agent uses a deep copy of the engine; if copying fails, the host uses its own compressor. Since 0.21.5, an
    engine may define clone_for_agent instead.

    Fix: Create the object on first use, or define a __deepcopy__ that leaves it out.
    """
    for provider in find_providers(plugin, contract):
        if provider.base == "ContextEngine" and contract.behaviour.engine_copied:
            own = {"clone_for_agent"} if contract.behaviour.engine_clones_itself else set[str]()
            copied = (own | _COPY_METHODS).isdisjoint(_list_bindings(provider.node))
            for method in provider.methods if copied else ():
                if method.name == "__init__":
                    yield from _check_constructor(provider, method)


def _check_constructor(provider: Provider, method: ast.AST) -> Iterator[Problem]:
    source = provider.source
    for node in ast.walk(method):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            name = source.dotted_name(node.value.func)
            kept = any(source.dotted_name(target).startswith("self.") for target in node.targets)
            if kept and name.partition(".")[0] in _UNCOPYABLE_MODULES and name.rpartition(".")[2] in _UNCOPYABLE:
                yield Problem(f"{provider.node.name} keeps {name}(), which cannot be copied", *source.place(node))
