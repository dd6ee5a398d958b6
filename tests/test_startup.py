"""Starting is fast, because heavy modules are imported only on demand."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {"cookiecutter", "jinja2", "jsonschema", "prompt_toolkit", "pytest", "requests", "rich"}
PRINT_MODULES = "import json, sys; print(json.dumps(sorted(sys.modules)), file=sys.__stderr__)"


def find_imported_modules(code: str) -> set[str]:
    """Return the modules that a new interpreter has imported after running `code`."""
    done = subprocess.run(
        [sys.executable, "-c", f"import atexit; atexit.register(lambda: exec({PRINT_MODULES!r})); {code}"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(json.loads(done.stderr))


@pytest.mark.parametrize(
    "code",
    [
        "import hermes_sdk",
        "from hermes_sdk.cli.main import run; run(['--version'])",
        "from hermes_sdk.cli.main import run; run(['--help'])",
    ],
)
def test_start_imports_no_heavy_module(code: str) -> None:
    assert not find_imported_modules(code) & HEAVY


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_version_and_help_import_no_library(option: str) -> None:
    code = f"from hermes_sdk.cli.main import run; run([{option!r}])"
    assert not find_imported_modules(code) & {"click", "pathlib", "typing"}


def test_import_of_the_package_loads_no_other_module() -> None:
    new = find_imported_modules("import hermes_sdk") - find_imported_modules("pass")
    assert new <= {"hermes_sdk", "__future__"}


def test_pytest_plugin_does_not_import_hermes_sdk_when_no_test_uses_it(tmp_path: Path) -> None:
    (tmp_path / "test_unrelated.py").write_text("def test_unrelated(): pass\n")
    (tmp_path / "conftest.py").write_text(
        "import json, pathlib, sys\n"
        "def pytest_sessionfinish():\n"
        "    pathlib.Path('modules.json').write_text(json.dumps(sorted(sys.modules)))\n"
    )
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_unrelated.py"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        check=True,
    )
    modules = set(json.loads((tmp_path / "modules.json").read_text()))
    assert "hermes_sdk_pytest" in modules
    assert not {name for name in modules if name.split(".")[0] == "hermes_sdk"}


@pytest.mark.parametrize(
    ("code", "unneeded"),
    [
        (
            "from hermes_sdk.check.__main__ import main; main([{plugin!r}])",
            {"click", "dataclasses", "hashlib", "inspect", "packaging", "ruamel", "shutil", "tokenize", "yaml"},
        ),
        (
            "import hermes_sdk.hosts.inspection.child",
            {"asyncio", "click", "email", "packaging", "hermes_sdk.hosts.environments"},
        ),
        ("import hermes_sdk.hosts.inspection.parent", {"asyncio", "email", "packaging", "hermes_sdk.hosts.embedded"}),
    ],
    ids=["check", "child", "parent"],
)
def test_check_imports_only_necessary_modules(code: str, unneeded: set[str], tmp_path: Path) -> None:
    (tmp_path / "plugin.yaml").write_text("name: demo\nkind: standalone\nversion: 1.0.0\ndescription: A demo.\n")
    (tmp_path / "__init__.py").write_text("def register(ctx):\n    ctx.register_command('demo', lambda line: 'fine')\n")
    assert not find_imported_modules(code.format(plugin=str(tmp_path))) & unneeded


@pytest.mark.parametrize(("reader", "needed"), [("ruamel", "ruamel.yaml"), ("libyaml", "yaml"), ("pyyaml", "yaml")])
def test_manifest_is_read_with_one_library(reader: str, needed: str) -> None:
    code = (
        "from pathlib import Path\n"
        "from hermes_sdk.manifest import parse_text\n"
        f"parse_text('name: >\\n  demo', Path('plugin.yaml'), reader={reader!r}).position('name')"
    )
    assert find_imported_modules(code) & {"yaml", "ruamel.yaml"} == {needed}
