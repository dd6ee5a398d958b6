"""`hermes-sdk contract radar`: between releases, and with a modified Hermes."""

import ast
import json
import random
import venv
from collections.abc import Iterable
from pathlib import Path

import pytest

from hermes_sdk import contract
from hermes_sdk.cli.main import run
from hermes_sdk.contract.imitations import read_imitated

RELEASE = "0.19.0"
FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef


@pytest.fixture
def radar(capsys, monkeypatch):
    def call(*argv):
        monkeypatch.setenv("COLUMNS", "100")
        with pytest.raises(SystemExit) as ended:
            run(["contract", "radar", *map(str, argv)])
        output = capsys.readouterr()
        return ended.value.code, output.out, output.err

    return call


@pytest.fixture
def copied_host(tmp_path, real_python):
    """Create a Python environment with links to the source of an installed release, without dependencies."""
    venv.create(tmp_path / "env", with_pip=False, symlinks=True)
    installed = next(real_python(RELEASE).parent.parent.glob("lib/python*/site-packages"))
    site = next((tmp_path / "env").glob("lib/python*/site-packages"))
    record = next(installed.glob(f"hermes_agent-{RELEASE}.dist-info")) / "RECORD"
    for line in record.read_text(encoding="utf-8").splitlines():
        file = Path(line.split(",")[0])
        if file.parts[0].endswith(".dist-info") or file.suffix == ".py":
            (site / file).parent.mkdir(parents=True, exist_ok=True)
            (site / file).symlink_to(installed / file)
    return tmp_path / "env" / "bin" / "python", site


def find_functions(file: Path) -> dict[str, ast.stmt]:
    """Return the first statement of each function in a file, except for functions on a single line."""
    found = {}
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        prefix, nodes = (f"{node.name}.", node.body) if isinstance(node, ast.ClassDef) else ("", [node])
        for function in nodes:
            if isinstance(function, FUNCTION) and function.body[0].lineno > function.lineno:
                found[prefix + function.name] = function.body[0]
    return found


def change(site: Path, functions: Iterable[str]) -> None:
    """Add a statement at the beginning of each function, without changing the link targets."""
    for function in functions:
        module, _, name = function.partition(":")
        file = find_file(site, module)
        first = find_functions(file)[name]
        lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
        lines.insert(first.lineno - 1, f"{' ' * first.col_offset}changed = True\n")
        file.unlink()
        file.write_text("".join(lines), encoding="utf-8")


def find_file(site: Path, module: str) -> Path:
    path = site.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def test_radar_lists_changed_functions_and_their_imitations(radar):
    code, out, _ = radar("0.19.0", "0.20.2")
    assert code == 0
    lines = [line.split() for line in out.splitlines()]
    assert ["~", "hermes_cli.plugins:PluginManager.invoke_hook", "failures", "hooks"] in lines
    assert max(map(len, out.splitlines())) <= 100


def test_radar_of_a_release_with_itself_is_empty(radar):
    code, out, _ = radar("0.22.2", "0.22.2", "--json")
    assert code == 0
    assert json.loads(out) == {
        "schema": "hermes-sdk.contract-radar/1",
        "before": "0.22.2",
        "after": "0.22.2",
        "functions": [],
    }


def test_radar_prints_json(radar):
    found = json.loads(radar("0.21.5", "0.22.2", "--json")[1])["functions"]
    assert {"function", "change", "place", "modules"} == {*found[0]}
    assert {one["change"] for one in found} <= {"added", "changed", "moved", "removed"}


@pytest.mark.parametrize("release", ["1.2", "0.23.3"])
def test_release_without_fingerprints_is_a_usage_error(radar, release):
    code, out, err = radar("0.19.0", release)
    assert (code, out) == (2, "")
    assert f"source of '{release}' is not on this machine" in err


@pytest.mark.real_host
def test_installed_host_equals_its_release(radar, real_python):
    assert json.loads(radar(RELEASE, real_python(RELEASE), "--json")[1])["functions"] == []


@pytest.mark.slow
@pytest.mark.real_host
def test_ten_changed_imitated_functions_are_listed(radar, copied_host):
    python, site = copied_host
    own = {name for name, value in contract.load(RELEASE).section("fingerprints").items() if " " not in value}
    changeable = [
        name for name in sorted(own) if name.split(":")[1] in find_functions(find_file(site, name.split(":")[0]))
    ]
    chosen = random.Random(RELEASE).sample(changeable, 10)
    change(site, chosen)
    found = json.loads(radar(RELEASE, python, "--json")[1])["functions"]
    assert {one["function"]: one["change"] for one in found} == dict.fromkeys(chosen, "changed")


@pytest.mark.slow
@pytest.mark.real_host
def test_unimitated_functions_are_not_listed(radar, copied_host):
    python, site = copied_host
    imitated = {name.split(":")[0] for name in read_imitated()}
    others = [file for file in sorted(site.glob("tools/*.py")) if f"tools.{file.stem}" not in imitated]
    chosen = [f"tools.{file.stem}:{name}" for file in others for name in find_functions(file)]
    change(site, random.Random(RELEASE).sample(chosen, 10))
    assert json.loads(radar(RELEASE, python, "--json")[1])["functions"] == []
