"""Conventions of the repository."""

import ast
import re
import subprocess
import tomllib
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import hermes_sdk

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def find_files(*patterns: str) -> Iterator[Path]:
    """Return the files below the root that Git tracks or would add."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *patterns],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return (path for name in sorted(filter(None, listed.split("\0"))) if (path := ROOT / name).is_file())


def list_own_imports(path: Path) -> Iterator[str]:
    """Yield the modules of hermes_sdk that a file imports, except for its own directory and modules shared by hosts."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            module = node.module or ""
            shared = {2: "worker", 3: ("in_worker", "processes.isolation", "processes.forks")}
            is_shared = node.level in shared and module.startswith(shared[node.level])
            names = [module if node.level <= 1 or is_shared else "hermes_sdk"]
        yield from (name for name in names if name.split(".")[0] == "hermes_sdk")


@pytest.fixture(autouse=True, scope="module")
def _require_checkout() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")


def test_version_is_the_same_everywhere() -> None:
    assert PROJECT["version"] == hermes_sdk.__version__


def test_classifiers_match_requires_python() -> None:
    named = re.findall(r"Python :: 3\.(\d+)", "\n".join(PROJECT["classifiers"]))
    assert PROJECT["requires-python"] == f">=3.{named[0]}"
    assert [int(minor) for minor in named] == list(range(int(named[0]), int(named[-1]) + 1))


def test_ci_tests_each_python_of_the_classifiers() -> None:
    workflow = (ROOT / ".github/workflows/test.yml").read_text(encoding="utf-8")
    for version in re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"])):
        assert f'"{version}"' in workflow


def test_actions_are_pinned_to_a_commit() -> None:
    for workflow in find_files(".github/workflows"):
        for use in re.findall(r"uses: *(.+)", workflow.read_text(encoding="utf-8")):
            assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v[\d.]+", use), f"{workflow.name}: {use}"


def test_make_help_lists_each_target() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    phony = re.search(r"^\.PHONY: (.+)$", makefile, re.MULTILINE)
    assert phony
    shown = subprocess.run(["make", "-s", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert sorted(re.findall(r"^ +make (\S+)", shown, re.MULTILINE)) == sorted(phony[1].split())


LONG, TOO_LONG = 400, 600
"""Lines above which a file should be reviewed, and above which its docstring must explain its length."""

REASON = "One file because "
"""Start of the sentence in a docstring that explains the length of a file."""


def find_long_files() -> dict[str, int]:
    """Return path -> number of lines for long files."""
    counted = {
        path.relative_to(ROOT).as_posix(): path.read_bytes().count(b"\n")
        for path in find_files(
            "hermes_sdk/**.py", "hermes_sdk_pytest.py", "hatch_build.py", "templates", "nix", "bench"
        )
    }
    return {path: lines for path, lines in counted.items() if lines > LONG}


def module_docstring(path: Path) -> str:
    """Return the docstring of a module on one line, or an empty string if there is none."""
    if path.suffix != ".py":
        return ""
    return " ".join((ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").split())


def test_very_long_file_explains_its_length() -> None:
    silent = [
        path
        for path, lines in find_long_files().items()
        if lines > TOO_LONG and REASON not in module_docstring(ROOT / path)
    ]
    assert not silent, f"split it by subject, or say in its docstring: {REASON}…"


def test_long_files_have_one_subject() -> None:
    """Skip with a question, which the summary of the run shows, instead of failing."""
    if long := find_long_files():
        listed = ", ".join(f"{path} ({lines} lines)" for path, lines in sorted(long.items()))
        pytest.skip(f"does each of these have one subject? {listed}")


def test_comments_contain_no_open_tasks() -> None:
    marker = re.compile(rb"\b(?:TO" rb"DO|FIX" rb"ME|XX" rb"X)\b")
    texts = [path for path in find_files() if path.suffix != ".png"]
    marked = [path.relative_to(ROOT).as_posix() for path in texts if marker.search(path.read_bytes())]
    assert not marked


def test_each_package_has_a_docstring() -> None:
    silent = [
        path.relative_to(ROOT).as_posix()
        for path in find_files("hermes_sdk/**__init__.py")
        if not ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert not silent


def test_code_that_runs_in_the_python_of_a_host_does_not_import_hermes_sdk() -> None:
    of_hosts = ("real/worker", "real/attached", "in_worker", "processes/isolation", "processes/forks.py")
    for where in (*(f"hermes_sdk/hosts/{one}" for one in of_hosts), "hermes_sdk/contract/probe"):
        files = [path for path in find_files(where) if path.suffix == ".py"]
        assert files
        for path in files:
            assert not list(list_own_imports(path)), path


def test_modules_have_no_import_cycles() -> None:
    paths = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
        for path in find_files("hermes_sdk/**.py")
    }
    graph: dict[str, set[str]] = {}
    for module, path in paths.items():
        graph[module] = imports = set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                imports.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                inside = {f"{node.module}.{alias.name}" for alias in node.names} & paths.keys()
                imports.update(inside or {str(node.module)})
    assert list(TopologicalSorter({one: names & paths.keys() - {one} for one, names in graph.items()}).static_order())


FACTS_OF_TUPLES = {"_asdict", "_fields", "_make", "_replace"}
"""Public underscore names of named tuples."""

OF_HERMES = {
    "_active",
    "_active_sessions",
    "_background_tasks",
    "_busy_text_mode",
    "_handlers",
    "_hooks",
    "_middleware",
    "_pending_messages",
    "_plugins",
    "_schedule_ephemeral_delete",
    "_send_with_retry",
    "_session_key_for_source",
    "_stop_typing_with_metadata",
    "_unwrap_ephemeral",
}
"""Underscore names of Hermes that plugins and the real host read, and that our classes also have."""


def find_underscored(names: Iterator[str]) -> set[str]:
    """Return the names that begin with a single underscore."""
    return {name for name in names if name.startswith("_") and not name.startswith("__")}


def find_defined(tree: ast.Module) -> Iterator[str]:
    """Yield the names that a module binds: variables, functions, classes, and attributes of `self`."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(value=ast.Name("self"), attr=name, ctx=ast.Store()):
                yield name
            case _:
                pass


def find_foreign_names(tree: ast.Module) -> Iterator[str]:
    """Yield the names that a module imports, and the attributes that it reads from objects other than `self`."""
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(names=aliases):
                yield from (alias.name for alias in aliases)
            case ast.Attribute(value=ast.Name("self" | "cls") | ast.Call(func=ast.Name("super"))):
                pass
            case ast.Attribute(attr=name):
                yield name
            case _:
                pass


def test_modules_do_not_use_private_names_of_others() -> None:
    trees = {
        path.relative_to(ROOT).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for path in find_files("hermes_sdk/**.py")
    }
    own = {path: find_underscored(find_defined(tree)) for path, tree in trees.items()}
    ours = set().union(*own.values()) - FACTS_OF_TUPLES - OF_HERMES
    found = {path: (find_underscored(find_foreign_names(tree)) & ours) - own[path] for path, tree in trees.items()}
    assert not {path: names for path, names in found.items() if names}
