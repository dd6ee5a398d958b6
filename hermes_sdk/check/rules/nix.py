"""HS77x: the plugin works in a read-only directory, as with Nix."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from hermes_sdk.check.plugin import Plugin
from hermes_sdk.check.rule import Problem, Rules, example
from hermes_sdk.check.rules.loading_code import find_register
from hermes_sdk.check.rules.security import find_commands, format_command
from hermes_sdk.check.source import Source

RULES = Rules()
rule = RULES.rule

_WRITERS = frozenset({"write_text", "write_bytes", "mkdir", "touch", "unlink", "rename", "rmdir"})
_INSTALLS = r"\bpip3?\b.*\binstall\b"
_PATHS = frozenset({"Path", "str", "dirname", "join", "abspath", "realpath"})
_WRITES_TO_FIRST = frozenset({"os.makedirs", "os.mkdir", "os.remove", "sqlite3.connect", "shutil.rmtree"})


@rule(
    "HS771",
    severity="warning",
    needs=("__file__",),
    bad=example(
        "from pathlib import Path\n\nSTATE = Path(__file__).parent / 'state.json'\n\n\n"
        "def register(ctx):\n    ctx.register_hook('on_session_end', save)\n\n\n"
        "def save(**kwargs):\n    STATE.write_text('{}')\n",
    ),
    good=example(
        "from hermes_constants import get_hermes_home\n\n\ndef register(ctx):\n"
        "    (get_hermes_home() / 'plugin-data' / 'example').mkdir(parents=True, exist_ok=True)\n"
    ),
)
def writes_below_itself(source: Source) -> Iterator[Problem]:
    """plugin writes to its own directory

    Nix makes the directory read-only, and updates and reinstalls delete its contents.

    Fix: Store data in get_hermes_home() / 'plugin-data' / the plugin's name.
    """
    own = _find_own_names(source)
    for call in source.nodes(ast.Call):
        target = _find_target(source, call)
        if target is not None and _is_own(target, own):
            yield Problem("this writes to the plugin's own directory", *source.place(call))


def _find_own_names(source: Source) -> set[str]:
    """Find the names that are assigned a path derived from ``__file__``."""
    assigned = sorted(source.nodes(ast.Assign), key=lambda node: node.lineno)
    own = {"__file__"}
    for node in assigned:
        if isinstance(node.value, ast.Call | ast.BinOp | ast.Attribute | ast.Name) and _is_own(node.value, own):
            own.update(target.id for target in node.targets if isinstance(target, ast.Name))
    return own


def _is_own(node: ast.expr, own: set[str]) -> bool:
    """Return whether an expression is a path derived from some names, with ``/``, attributes and path functions."""
    match node:
        case ast.Name():
            return node.id in own
        case ast.Attribute():
            return _is_own(node.value, own)
        case ast.BinOp(op=ast.Div()):
            return _is_own(node.left, own)
        case ast.Subscript():
            return _is_own(node.value, own)
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[first, *_]) if name in _PATHS:
            return _is_own(first, own)
        case ast.Call(func=ast.Attribute(value=value, attr="resolve" | "absolute" | "joinpath" | "with_name")):
            return _is_own(value, own)
        case _:
            return False


def _find_target(source: Source, call: ast.Call) -> ast.expr | None:
    """Return the path that a call writes to; None for other calls."""
    name = source.dotted_name(call.func)
    first = call.args[0] if call.args else None
    if name in _WRITES_TO_FIRST or (name == "open" and _is_for_writing(call, 1)):
        return first
    if isinstance(call.func, ast.Attribute):
        method = call.func.attr
        if (method in _WRITERS and not name.startswith(("os.", "shutil."))) or (
            method == "open" and _is_for_writing(call, 0)
        ):
            return call.func.value
    return None


def _is_for_writing(call: ast.Call, position: int) -> bool:
    modes = [word.value for word in call.keywords if word.arg == "mode"] + call.args[position : position + 1]
    return any(
        isinstance(mode, ast.Constant) and isinstance(mode.value, str) and not {*"wax+"}.isdisjoint(mode.value)
        for mode in modes
    )


@rule(
    "HS772",
    references=("https://github.com/NousResearch/hermes-agent/issues/69889",),
    bad=example(
        "import subprocess\nimport sys\n\n\ndef register(ctx):\n    prepare()\n\n\n"
        "def prepare():\n    subprocess.run([sys.executable, '-m', 'pip', 'install', 'httpx'], check=True)\n"
    ),
    good=example(),
)
def installs_packages(plugin: Plugin) -> Iterator[Problem]:
    """packages are installed at run time

    Sealed environments such as Nix reject this, and a new Hermes environment does not have the packages. If it happens
    at load time, every `hermes` command installs them without asking.

    Fix: List the packages in pyproject.toml, and name the missing one in the error message.
    """
    found = find_register(plugin)
    register = found[1] if found else None
    for source in plugin.sources:
        for call in find_commands(source) if "pip" in source.text else ():
            if re.search(_INSTALLS, format_command(call)):
                around = source.function(call)
                callers = source.calls(around.name) if isinstance(around, ast.FunctionDef) else []
                nodes = [call, *callers] if source.importable and not source.is_test else []
                at_load = any(source.runs_at_import(one) or source.function(one) is register for one in nodes)
                message = (
                    f"loading the plugin runs '{format_command(call)}'"
                    if at_load
                    else f"this runs '{format_command(call)}'"
                )
                yield Problem(message, *source.place(call), severity=None if at_load else "warning")
