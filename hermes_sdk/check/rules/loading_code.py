"""HS2xx: the plugin does no work at load time, and can be loaded again."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hermes_sdk.check.plugin import Plugin
from hermes_sdk.check.rule import MANIFEST, Example, Problem, Rules, example
from hermes_sdk.check.rules.uses import find_context_members
from hermes_sdk.check.source import Source
from hermes_sdk.contract.suggestions import suggest_member
from hermes_sdk.manifest.kinds import COMPUTER_USE

if TYPE_CHECKING:
    from hermes_sdk.contract import Contract

RULES = Rules()
rule = RULES.rule

Register = ast.FunctionDef

_WRITES = "writes files"

_WORK = {
    "uses the network": (
        "requests.get requests.post requests.request requests.put httpx.get httpx.post httpx.request "
        "urllib.request.urlopen urllib.request.urlretrieve socket.create_connection"
    ),
    "starts a thread": "threading.Thread threading.Timer",
    "runs a program": (
        "subprocess.run subprocess.call subprocess.check_call subprocess.check_output subprocess.Popen os.system"
    ),
    _WRITES: (
        "os.makedirs os.mkdir os.remove os.rename os.replace shutil.copy shutil.copytree shutil.rmtree sqlite3.connect "
        ".write_text .write_bytes .mkdir"
    ),
    "waits": "time.sleep",
}
_MODES_THAT_WRITE = frozenset("wax+")


def find_register(plugin: Plugin) -> tuple[Source, Register] | None:
    """Find the function ``register`` at the top level of the plugin's main module; None if it is imported."""
    for source in plugin.sources:
        if source.path == plugin.entry and source.tree:
            for node in source.tree.body:
                if isinstance(node, ast.FunctionDef) and node.name == "register":
                    return source, node
    return None


@rule(
    "HS211",
    severity="warning",
    references=("A2", "https://github.com/NousResearch/hermes-agent/issues/108139"),
    bad=example(
        "import subprocess\n\nVERSION = subprocess.run(['git', '--version'])\n\n\ndef register(ctx):\n    pass\n"
    ),
    good=example(
        "import subprocess\n\n\ndef version():\n    return subprocess.run(['git', '--version'])\n\n\n"
        "def register(ctx):\n    pass\n"
    ),
)
def works_at_load(plugin: Plugin) -> Iterator[Problem]:
    """plugin does work at load time

    Every `hermes` command loads the plugin, including those that never use it, and some hosts load it several times.

    Fix: Do it when a handler or hook is first called.
    """
    # Writing files in `register` is allowed, for example to create the plugin's directory.
    register = find_register(plugin)
    node = register[1] if register else None
    for source in plugin.sources:
        if source.tree and source.importable and source.file.name != "__main__.py":
            yield from _check_source(source, node)


def _check_source(source: Source, register: Register | None) -> Iterator[Problem]:
    for call, does in _find_work(source):
        at_import = source.runs_at_import(call)
        if at_import or (register is not None and source.function(call) is register and does != _WRITES):
            when = "importing this module" if at_import else "register"
            yield Problem(f"{when} {does}", *source.place(call))


def _find_work(source: Source) -> Iterator[tuple[ast.Call, str]]:
    for does, names in _WORK.items():
        yield from ((call, does) for call in source.calls(*names.split()))
    for call in source.calls("open"):
        modes = [*call.args[1:2], *(one.value for one in call.keywords if one.arg == "mode")]
        if any(isinstance(mode, ast.Constant) and not _MODES_THAT_WRITE.isdisjoint(str(mode.value)) for mode in modes):
            yield call, _WRITES


def _package(source: str) -> Example:
    """Return a project whose only package is the plugin."""
    project = '[project]\nname = "example"\nversion = "1.0"\n'
    points = '[project.entry-points."hermes_agent.plugins"]\nexample = "example"\n'
    files = {"pyproject.toml": f"{project}\n{points}", "example/plugin.yaml": MANIFEST}
    return {**files, "example/__init__.py": source}


@rule(
    "HS212",
    severity="warning",
    references=("A1", "A2", "https://github.com/NousResearch/hermes-agent/issues/67597"),
    bad=_package(
        "_done = False\n\n\ndef register(ctx):\n    global _done\n    if _done:\n        return\n    _done = True\n"
        "    ctx.register_command('example', lambda line: 'fine')\n"
    ),
    good=_package("def register(ctx):\n    ctx.register_command('example', lambda line: 'fine')\n"),
)
def registers_once(plugin: Plugin) -> Iterator[Problem]:
    """register does nothing the second time

    A rescan clears hooks and commands, and calls `register` again without importing the module of an installed package
    again: the plugin stays loaded but does nothing.

    Fix: Register every time; the host replaces earlier registrations.
    """
    found = find_register(plugin)
    if found is None or plugin.located.entry_point is None:
        return
    source, register = found
    names = {name for node in ast.walk(register) if isinstance(node, ast.Global) for name in node.names}
    for node in register.body:
        if not (isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id in names):
            continue
        if isinstance(node.body[-1], ast.Return):
            yield Problem(f"register returns immediately if `{node.test.id}` is set", *source.place(node))


@rule(
    "HS213",
    severity="warning",
    behaviour="not registrations_undone",
    references=("A38",),
    bad=example(
        "import os\n\n\ndef register(ctx):\n    ctx.register_command('example', lambda line: 'fine')\n"
        "    if 'EXAMPLE_KEY' not in os.environ:\n        raise RuntimeError('EXAMPLE_KEY is not set')\n"
    ),
    good=example(
        "import os\n\n\ndef register(ctx):\n    if 'EXAMPLE_KEY' not in os.environ:\n"
        "        raise RuntimeError('EXAMPLE_KEY is not set')\n"
        "    ctx.register_command('example', lambda line: 'fine')\n"
    ),
)
def raises_after_registering(plugin: Plugin) -> Iterator[Problem]:
    """register may raise after it has registered something

    These releases do not roll back: the plugin shows as failed, but earlier registrations stay active.

    Fix: Check for missing requirements before you register anything.
    """
    found = find_register(plugin)
    if found is None:
        return
    source, register = found
    own = [node for node in ast.walk(register) if node is not register and source.function(node) is register]
    calls = [node.lineno for node in own if isinstance(node, ast.Call) and _is_registration(node)]
    for node in (one for one in own if _is_raising(source, one)):
        is_caught = any(isinstance(around, ast.Try) and around.handlers for around in source.ancestors(node))
        if calls and source.place(node)[1] > min(calls) and not is_caught:
            yield Problem("this raises after something was registered", *source.place(node))


def _is_registration(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr.startswith("register_")


def _is_raising(source: Source, node: ast.AST) -> bool:
    if isinstance(node, ast.Subscript):
        return isinstance(node.ctx, ast.Load) and source.dotted_name(node.value) == "os.environ"
    return isinstance(node, ast.Raise)


@rule(
    "HS214",
    references=("F17", "https://github.com/briancaffey/hermes-otel/issues/128"),
    bad=example("def register(ctx):\n    ctx.register_gadget('roll')\n"),
    good=example("def register(ctx):\n    if hasattr(ctx, 'register_gadget'):\n        ctx.register_gadget('roll')\n"),
)
def context_lacks_member(plugin: Plugin, contract: Contract) -> Iterator[Problem]:
    """ctx has no such member

    The access raises AttributeError, which in `register` ends the load. Before 0.20.1, earlier registrations stay.

    Fix: Use a member that the release has, test with `hasattr(ctx, …)`, or raise requires_hermes.
    """
    for source, node in find_missing_members(plugin, contract):
        hint = suggest_member(node.attr, contract)
        message = f"ctx.{node.attr} does not exist in Hermes {contract.release}{hint}"
        yield Problem(message, *source.place(node))


def find_missing_members(plugin: Plugin, contract: Contract) -> Iterator[tuple[Source, ast.Attribute]]:
    """Find the members of ``ctx`` that a plugin reads and a release lacks."""
    for source, node in find_context_members(plugin):
        if node.attr not in contract.context and not _has_other_loader(contract, node.attr):
            yield source, node


def _has_other_loader(contract: Contract, name: str) -> bool:
    if name in COMPUTER_USE and contract.behaviour.computer_use_exclusive:
        return True
    return any(name in members for members in contract.section("loader_contexts").values())


@rule(
    "HS215",
    severity="warning",
    references=("A12", "A15"),
    bad=example(manifest=MANIFEST.replace("example\n", "security-guidance\n", 1)),
    good=example(),
)
def hides_bundled_plugin(plugin: Plugin, contract: Contract) -> Iterator[Problem]:
    """plugin hides a bundled plugin

    The later source wins even if it is not enabled: installing this plugin removes the bundled one.

    Fix: Choose another name, unless it is meant to replace the bundled plugin.
    """
    # Plugins are installed directly in the plugins directory, so the key is the name.
    name = plugin.fields.get("name")
    if plugin.manifest is None or not isinstance(name, str) or is_bundled(plugin):
        return
    for path, fact in contract.section("bundled_plugins").items():
        if name not in (path, fact["name"]):
            continue
        by_name = path.startswith("platforms/") and not contract.behaviour.bundled_platforms_by_path
        key = fact["name"] if by_name else path
        if key == name:
            message = f"'{name}' is the key of a plugin that comes with Hermes {contract.release}"
            yield Problem(message, plugin.relative(plugin.manifest.path), *plugin.manifest.position("name"))


def is_bundled(plugin: Plugin) -> bool:
    """Return whether the plugin is in a source tree of Hermes."""
    return any((parent.parent / "hermes_cli").is_dir() for parent in plugin.located.directory.parents)
