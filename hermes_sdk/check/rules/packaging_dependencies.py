"""HS61x: what the plugin imports is what its project says that it needs."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Container, Iterator
from typing import TYPE_CHECKING, Any

from hermes_sdk.check.plugin import Plugin
from hermes_sdk.check.rule import NOTHING, Problem, Rules, example
from hermes_sdk.check.rules.imports import HOST
from hermes_sdk.check.source import Source

if TYPE_CHECKING:
    from hermes_sdk.contract import Contract

RULES = Rules()
rule = RULES.rule

_DISTRIBUTIONS = {
    "Crypto": "pycryptodome",
    "PIL": "pillow",
    "bs4": "beautifulsoup4",
    "cv2": "opencv",
    "dateutil": "python-dateutil",
    "dotenv": "python-dotenv",
    "sklearn": "scikit-learn",
    "telegram": "python-telegram-bot",
    "yaml": "pyyaml",
}
"""What is installed to import a module, where the two have little in common."""

_IMPORTS_IT = "import humanize\n\n\ndef register(ctx):\n    humanize.naturalsize(1)\n"


@rule(
    "HS611",
    severity="warning",
    references=("https://github.com/NousResearch/hermes-agent/issues/15953",),
    bad=example(_IMPORTS_IT),
    good=example(NOTHING),
)
def undeclared_dependency(plugin: Plugin, contract: Contract) -> Iterator[Problem]:
    """package is imported and not declared

    It is installed only by chance, for example as a dependency of a tool of yours: in a new or sealed environment the
    plugin does not load, or fails at the import.

    Fix: Add it to the dependencies in pyproject.toml, or guard the import.
    """
    declared = _list_declared(plugin)
    own = {part.removesuffix(".py") for source in plugin.sources for part in source.path.split("/")}
    own |= {plugin.located.directory.name, plugin.located.project.name}
    known = HOST | sys.stdlib_module_names | own
    known |= contract.third_party_modules | _find_made_modules(plugin)
    known |= {top for source in plugin.sources for top in _find_probed(source)}
    for source in plugin.sources:
        for top, place in _find_imports(source, known).items():
            if _normalize(_DISTRIBUTIONS.get(top, top)) not in declared:
                yield Problem(f"'{top}' is imported, and nothing says that it is needed", *place)


def _find_made_modules(plugin: Plugin) -> set[str]:
    """Find the modules that a plugin puts into ``sys.modules`` itself."""
    found: set[str] = set()
    for source in plugin.sources:
        if "sys.modules" in source.text or "from sys" in source.text:
            keys = [
                target.slice
                for assign in source.nodes(ast.Assign)
                for target in assign.targets
                if isinstance(target, ast.Subscript) and source.dotted(target.value) == "sys.modules"
            ]
            keys += [call.args[0] for call in source.calls("sys.modules.setdefault") if call.args]
            found |= {str(key.value).partition(".")[0] for key in keys if isinstance(key, ast.Constant)}
    return found


def _find_imports(source: Source, known: Container[str]) -> dict[str, tuple[str, int, int]]:
    """Find the packages that are imported with the module, without those that are known, and where."""
    if not source.importable or not source.tree or source.is_test:
        return {}
    found: dict[str, tuple[str, int, int]] = {}
    for one in source.imports:
        top = one.module.partition(".")[0]
        new = top and top not in known and top not in found
        if new and (source.function(one.node) or source.runs_at_import(one.node)):
            found[top] = source.place(one.node)
    return found


def _find_probed(source: Source) -> Iterator[str]:
    """Find the packages without which the plugin gets along: it catches the error, or looks whether they are there."""
    yield from (one.module.partition(".")[0] for one in source.imports if source.is_guarded(one.node))
    for call in source.calls("importlib.util.find_spec"):
        name = call.args[0] if call.args else None
        if isinstance(name, ast.Constant) and isinstance(name.value, str):
            yield name.value.partition(".")[0]


def _list_declared(plugin: Plugin) -> str:
    """List all that the project, the manifest and requirements.txt name, in one text."""
    project = plugin.pyproject.get("project")
    lists: list[Any] = [project.get("dependencies") if isinstance(project, dict) else None]
    lists += [plugin.fields.get(key) for key in ("python_dependencies", "pip_dependencies")]
    named = [str(one) for listed in lists if isinstance(listed, list) for one in listed]
    return _normalize(" ".join([*named, plugin.read(plugin.located.directory / "requirements.txt")]))


def _normalize(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
