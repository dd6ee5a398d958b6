"""The package as a whole: exports, docstrings and import costs."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from hermes_sdk import api

FOLDER = Path(api.__file__).parent
FILES = sorted(FOLDER.rglob("*.py"))

_Function = ast.FunctionDef | ast.AsyncFunctionDef


def names(body: list[ast.stmt]) -> dict[str, str | None]:
    """Return the public names of a module with their docstrings; that of an alias is the string below it."""
    found: dict[str, str | None] = {}
    for node, following in zip(body, [*body[1:], None], strict=True):
        if isinstance(node, ast.ClassDef):
            found[node.name] = ast.get_docstring(node)
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            text = following.value if isinstance(following, ast.Expr) else None
            found[node.targets[0].id] = text.value if isinstance(text, ast.Constant) else None
    return {name: docstring for name, docstring in found.items() if not name.startswith("_")}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(FOLDER).as_posix())
def test_each_public_name_has_a_docstring_and_is_exported(path: Path) -> None:
    defined = names(ast.parse(path.read_text(encoding="utf-8")).body)

    assert [name for name, docstring in defined.items() if not docstring] == []
    if path.name not in {
        "adapter_delivery.py",
        "base.py",
        "context_services.py",
        "hook_registration.py",
        "provider_registration.py",
    }:
        assert defined.keys() <= set(api.__all__)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(FOLDER).as_posix())
def test_method_docstrings_begin_with_a_verb(path: Path) -> None:
    functions = [one for one in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(one, _Function)]
    methods = [one for one in functions if "property" not in map(ast.unparse, one.decorator_list)]
    first = {(ast.get_docstring(one) or "").partition(" ")[0] for one in methods}

    assert not first & {"A", "How", "The", "What", "Whether"}


def test_exported_names_are_sorted_and_exist() -> None:
    assert api.__all__ == sorted(api.__all__)
    assert dir(api) == api.__all__
    assert [name for name in api.__all__ if not hasattr(api, name)] == []


def test_unknown_name_raises_attribute_error() -> None:
    with pytest.raises(AttributeError, match=r"module 'hermes_sdk\.api' has no attribute 'PluginContxt'"):
        _ = api.PluginContxt  # type: ignore[attr-defined]


def find_imported(code: str) -> set[str]:
    """Return the modules that a fresh interpreter imports while running code."""
    program = f"import sys; before = set(sys.modules)\n{code}\nprint(*(set(sys.modules) - before))"
    return set(
        subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout.split()
    )


def test_importing_the_package_imports_none_of_its_modules() -> None:
    assert {name for name in find_imported("import hermes_sdk.api") if name.startswith("hermes_sdk")} == {
        "hermes_sdk",
        "hermes_sdk.api",
    }


def test_importing_all_names_loads_only_a_small_part_of_the_standard_library() -> None:
    modules = find_imported("from hermes_sdk.api import *")

    assert {
        name for name in modules if name.startswith("hermes_sdk.") and not name.startswith("hermes_sdk.api")
    } == set()
    assert {name.partition(".")[0] for name in modules} <= {"hermes_sdk", *sys.stdlib_module_names}
    assert modules.isdisjoint({"argparse", "asyncio", "dataclasses", "inspect", "json", "logging"})
