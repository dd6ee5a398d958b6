"""HS2xx: imports of the plugin find the intended module."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from hermes_sdk.check.plugin import Plugin
from hermes_sdk.check.rule import Problem, Rules, example
from hermes_sdk.check.source import Import, Source

if TYPE_CHECKING:
    from hermes_sdk.contract import Contract

RULES = Rules()
rule = RULES.rule

_EDITS = ("sys.path.insert", "sys.path.append", "sys.path.extend")


class MisdirectedImport(NamedTuple):
    """Absolute import of a module in the plugin's directory.

    Attributes:
        by_host: Whether it imports a module of the host instead; otherwise it fails.
    """

    source: Source
    imported: Import
    by_host: bool

    @property
    def fix(self) -> str:
        """Advice with the relative import."""
        one, top = self.imported, self.imported.module.partition(".")[0]
        return f"Write `from . import {top}`." if one.name is None else f"Write `from .{one.module} import {one.name}`."


def find_misdirected_imports(plugin: Plugin, contract: Contract) -> Iterator[MisdirectedImport]:
    """Find the absolute imports that do not find the plugin's own module (statement A33).

    Imports in a ``try`` and in scripts are skipped, and so are names that the host's module also has.
    """
    own = _find_siblings(plugin)
    if not own:
        return
    for source in plugin.sources:
        for one in source.imports if source.importable else ():
            top = one.module.partition(".")[0]
            if top not in own or _is_script(source) or not _is_required(source, one.node):
                continue
            if top in contract.host_modules:
                if _is_shadowed(one, own[top], contract):
                    yield MisdirectedImport(source, one, by_host=True)
            elif top not in contract.third_party_modules and not any(map(_find_path_edits, plugin.sources)):
                yield MisdirectedImport(source, one, by_host=False)


def _find_siblings(plugin: Plugin) -> dict[str, Source]:
    """Find the modules next to ``__init__.py`` by name, except those with the name of a standard module."""
    if plugin.located.manifest is None:
        return {}
    directory, found = plugin.located.directory, dict[str, Source]()
    for source in plugin.sources:
        inner = source.file.relative_to(directory).parts if source.file.is_relative_to(directory) else ()
        if len(inner) == 1 or (len(inner) == 2 and inner[1] == "__init__.py"):
            found[Path(inner[0]).stem] = source
    return {name: one for name, one in found.items() if name != "__init__" and name not in sys.stdlib_module_names}


def _is_script(source: Source) -> bool:
    return source.file.name == "__main__.py" or '"__main__"' in source.text or "'__main__'" in source.text


def _is_required(source: Source, node: ast.stmt) -> bool:
    """Return whether the module fails if the import does; imports for type checkers or scripts are not required."""
    around = list(source.ancestors(node))
    if any(isinstance(one, ast.ExceptHandler) for one in around) or source.is_guarded(node):
        return False
    tests = [ast.dump(one.test) for one in around if isinstance(one, ast.If)]
    return not any(name in test for test in tests for name in ("TYPE_CHECKING", "__package__", "__spec__"))


def _is_shadowed(one: Import, sibling: Source, contract: Contract) -> bool:
    """Return whether an import of the plugin's module finds the host's, which lacks the name."""
    if one.module in contract.host_modules:
        names = contract.module_names.get(one.module, frozenset())
        is_the_hosts = one.name is None or one.name in names or one.dotted_name in contract.host_modules
        return not is_the_hosts and one.name in _list_definitions(sibling)
    return sibling.file.name == "__init__.py"


def _list_definitions(source: Source) -> set[str]:
    """List the names at the top of a module."""
    found: set[str] = set()
    for node in source.tree.body if source.tree else ():
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found.update(target.id for target in targets if isinstance(target, ast.Name))
    return found


@rule(
    "HS208",
    references=("A33",),
    bad=example(
        "def register(ctx):\n    from tools import ROLL\n\n    print(ROLL)\n", files={"tools.py": "ROLL = 'roll'\n"}
    ),
    good=example(
        "def register(ctx):\n    from .tools import ROLL\n\n    print(ROLL)\n", files={"tools.py": "ROLL = 'roll'\n"}
    ),
)
def import_gets_the_hosts(plugin: Plugin, contract: Contract) -> Iterator[Problem]:
    """import gets the host's module

    The plugin's directory is not on the import path, so Python imports the host's module of the same name.

    Fix: Use a relative import such as `from .tools import roll`, and give the module a unique name.
    """
    for found in find_misdirected_imports(plugin, contract):
        if found.by_host:
            message = (
                f"`{found.imported.module}` is a module of Hermes {contract.release}, not the one next to this file"
            )
            yield Problem(message, *found.source.place(found.imported.node), fix=found.fix)


@rule(
    "HS209",
    references=("A33",),
    bad=example(
        "def register(ctx):\n    from dice import ROLL\n\n    print(ROLL)\n", files={"dice.py": "ROLL = 'roll'\n"}
    ),
    good=example(
        "def register(ctx):\n    from .dice import ROLL\n\n    print(ROLL)\n", files={"dice.py": "ROLL = 'roll'\n"}
    ),
)
def import_gets_nothing(plugin: Plugin, contract: Contract) -> Iterator[Problem]:
    """sibling module imported absolutely

    The plugin's directory is not on the import path: the import works in tests and scripts but fails in the host.

    Fix: Use a relative import such as `from .dice import roll`.
    """
    for found in find_misdirected_imports(plugin, contract):
        if not found.by_host:
            message = f"`{found.imported.module}` cannot be imported: the plugin's directory is not on the path"
            yield Problem(message, *found.source.place(found.imported.node), fix=found.fix)


@rule(
    "HS210",
    severity="warning",
    needs=("sys.path", "from sys"),
    references=("A33",),
    bad=example("import sys\n\nsys.path.insert(0, '.')\n\n\ndef register(ctx):\n    pass\n"),
    good=example(),
)
def path_edited(source: Source) -> Iterator[Problem]:
    """sys.path is edited

    The whole host shares sys.path: modules of this plugin hide those of the host or other plugins, depending on load
    order.

    Fix: Import your own modules relatively, and package shared ones.
    """
    if source.importable and not _is_script(source):
        for node in _find_path_edits(source):
            yield Problem("this changes sys.path for the whole host", *source.place(node))


def _find_path_edits(source: Source) -> list[ast.AST]:
    if "sys.path" not in source.text and "from sys" not in source.text:
        return []
    found: list[ast.AST] = [*source.calls(*_EDITS)]
    assigned: list[tuple[ast.stmt, ast.expr]] = [
        (node, target) for node in source.nodes(ast.Assign) for target in node.targets
    ]
    assigned += [(node, node.target) for node in source.nodes(ast.AugAssign)]
    for node, target in assigned:
        value = target.value if isinstance(target, ast.Subscript) else target
        found += [node] if source.dotted_name(value) == "sys.path" else []
    return found
