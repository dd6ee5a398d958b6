"""Imports of plugins, and reports about failed imports."""

from __future__ import annotations

import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest

from hermes_sdk import contract
from hermes_sdk.hosts.embedded.loading.plugin_imports import HOST_DEPENDENCIES
from hermes_sdk.manifest import EntryPoint

FACTS = contract.load("0.19.0")
REGISTERS = "\ndef register(ctx): pass\n"
LACKING = next(name for name in sorted(FACTS.third_party_modules) if name.isalpha() and find_spec(name) is None)
NEEDS = "needs packages that Hermes Agent 0.19.0 brings and that are missing here: "
UNMODELLED = "imports host modules that the embedded host does not model: "


@pytest.mark.parametrize(
    ("statement", "module"),
    [
        ("import hermes_cli.main", "hermes_cli.main"),
        ("try:\n    from hermes_cli import main\nexcept ImportError:\n    pass", "hermes_cli.main"),
        (
            "import importlib\ntry:\n    importlib.import_module('hermes_cli.main')\nexcept ImportError:\n    pass",
            "hermes_cli.main",
        ),
        (
            "from importlib.util import find_spec\ntry:\n    find_spec('run_agent')\nexcept ImportError:\n    pass",
            "run_agent",
        ),
    ],
    ids=["plain", "caught", "import_module", "find_spec"],
)
def test_import_of_unmodelled_module_is_not_supported(statement: str, module: str, start) -> None:
    report = start(statement + REGISTERS).report()
    assert (report["status"], report["error"]) == ("unsupported", f"{UNMODELLED}{module}")
    assert report["missing_imports"] == []


def test_import_of_missing_submodule_raises_error_of_hermes(start) -> None:
    report = start("import agent.no_such_module.deeper" + REGISTERS).report()
    assert (report["status"], report["error"]) == ("failed", "No module named 'agent.no_such_module'")
    assert report["missing_imports"] == ["agent.no_such_module"]


@pytest.mark.parametrize(
    "probe",
    [
        "import importlib.util\nimportlib.util.find_spec('no_such_module')",
        "try:\n    from json import no_such_name\nexcept ImportError:\n    pass",
    ],
)
def test_probes_for_modules_are_not_reported_as_missing_imports(probe: str, start) -> None:
    assert start(probe + REGISTERS).report()["missing_imports"] == []


def test_error_names_module_that_plugin_imports(start) -> None:
    report = start("from agent.memory_manager import x" + REGISTERS).report()
    assert report["error"] == f"{UNMODELLED}agent.memory_manager"


def test_import_in_handler_is_reported_when_it_runs(start) -> None:
    host = start("""
        def register(ctx):
            def look(line):
                from tools import file_tools
            ctx.register_command("look", look)
    """)
    assert host.report()["status"] == "loaded"
    assert "tools.file_tools of Hermes Agent 0.19.0 is not modelled" in str(host.command("/look"))
    assert host.report()["status"] == "unsupported"


def test_unknown_module_named_like_host_package_is_missing(start) -> None:
    assert "hermes_cli.nonsense" not in FACTS.host_modules
    report = start("import hermes_cli_nonsense" + REGISTERS).report()
    assert (report["status"], report["error"]) == ("failed", "No module named 'hermes_cli_nonsense'")
    assert report["missing_imports"] == ["hermes_cli_nonsense"]


def test_caught_import_error_is_listed_without_failure(start) -> None:
    report = start("try:\n    import nonsense.part\nexcept ImportError:\n    pass" + REGISTERS).report()
    assert (report["status"], report["missing_imports"]) == ("loaded", ["nonsense"])


def test_missing_dependency_of_release_is_not_supported(start) -> None:
    report = start(f"import {LACKING}" + REGISTERS).report()
    assert (report["status"], report["error"]) == ("unsupported", f"{NEEDS}{LACKING}. {HOST_DEPENDENCIES}")
    assert report["missing_imports"] == []


def test_failed_relative_imports_are_not_missing_modules(start) -> None:
    report = start("from . import nothing" + REGISTERS).report()
    assert (report["status"], report["missing_imports"]) == ("failed", [])


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the file of a module that is installed for the plugin."""
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path / f"library_{tmp_path.name}.py"


def test_optional_imports_of_libraries_are_ignored(start, library: Path) -> None:
    library.write_text(
        "for name in ('hermes_cli', 'nonsense', 'cookiecutter'):\n"
        "    try: __import__(name)\n"
        "    except ImportError: pass\n"
    )
    report = start(f"import {library.stem}" + REGISTERS, hidden=frozenset({"cookiecutter"})).report()
    assert (report["status"], report["missing_imports"]) == ("loaded", [])


def test_missing_import_of_library_is_not_attributed_to_plugin(start, library: Path) -> None:
    library.write_text("import nonsense\n")
    report = start(f"import {library.stem}" + REGISTERS).report()
    assert (report["status"], report["error"]) == ("failed", "No module named 'nonsense'")
    assert report["missing_imports"] == []


def test_library_that_lacks_dependency_of_release_is_not_supported(start, library: Path) -> None:
    library.write_text(f"import {LACKING}\n")
    report = start(f"import {library.stem}" + REGISTERS).report()
    assert (report["status"], report["error"]) == ("unsupported", f"{NEEDS}{LACKING}. {HOST_DEPENDENCIES}")


def test_hidden_module_is_not_found(start) -> None:
    report = start("import cookiecutter.main" + REGISTERS, hidden=frozenset({"cookiecutter"})).report()
    assert report["error"] == "No module named 'cookiecutter'"
    assert report["missing_imports"] == ["cookiecutter"]


def test_hidden_module_imported_by_standin_is_not_found(start) -> None:
    imports = "import hermes_cli.config\ntry:\n    import yaml\nexcept ImportError: pass"
    report = start(imports + REGISTERS, hidden=frozenset({"yaml"})).report()
    assert (report["status"], report["missing_imports"]) == ("loaded", ["yaml"])


def test_imports_of_entry_point_are_observed(start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"one_file.py": "single", "package/__init__.py": "several"}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"try:\n    import {value}_nonsense\nexcept ImportError: pass{REGISTERS}")
    monkeypatch.syspath_prepend(tmp_path)
    host = start(entry_points=[EntryPoint("one", "one_file"), EntryPoint("two", "package")], enable=["one", "two"])
    assert host.report("one")["missing_imports"] == ["single_nonsense"]
    assert host.report("two")["missing_imports"] == ["several_nonsense"]


def test_missing_imports_are_attributed_to_one_plugin(start) -> None:
    attempt = "try:\n    import {}\nexcept ImportError: pass" + REGISTERS
    files = {"../q/plugin.yaml": "name: q\n", "../q/__init__.py": attempt.format("nonsense")}
    host = start(attempt.format("hermes_cli.main"), files=files, enable=["p", "q"])
    assert [host.report(key)["status"] for key in "pq"] == ["unsupported", "loaded"]
    assert [host.report(key)["missing_imports"] for key in "pq"] == [[], ["nonsense"]]


def test_unmodelled_import_in_library_of_plugin_is_not_supported(start, library: Path) -> None:
    library.write_text("try:\n    import run_agent\nexcept ImportError:\n    run_agent = None\n")
    report = start(f"import {library.stem}" + REGISTERS).report()
    assert (report["status"], report["error"]) == ("unsupported", f"{UNMODELLED}run_agent")


PROJECT = tomllib.loads((Path(__file__).parents[4] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
BROUGHT = sorted(
    {"pillow": "PIL"}.get(name, name)
    for name in (one.partition(">=")[0] for one in PROJECT["optional-dependencies"]["host-deps"])
)


def test_extra_contains_only_dependencies_of_hermes() -> None:
    assert contract.load(contract.DEFAULT).third_party_modules.issuperset(BROUGHT)


def test_packages_of_extra_are_visible_to_plugins(start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in BROUGHT:
        (tmp_path / f"{name}.py").write_text("OF_THE_EXTRA = True\n")
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    imports = "".join(f"import {name}\nassert {name}.OF_THE_EXTRA\n" for name in BROUGHT)
    host = start(imports + REGISTERS, release=contract.DEFAULT)
    report, unsupported = host.report(), host.unsupported
    # Closing a host restores hidden modules.
    host.close()
    for name in BROUGHT:
        sys.modules.pop(name, None)
    assert (report["status"], report["missing_imports"], unsupported) == ("loaded", [], [])
