import json
import subprocess
import sys
from pathlib import Path

import pytest

CLEAN = "def register(ctx):\n    pass\n"
MANIFEST = "name: example\nkind: standalone\nversion: '1.0.0'\ndescription: An example.\n"


@pytest.fixture
def example(tmp_path) -> Path:
    directory = tmp_path / "example"
    directory.mkdir()
    (directory / "plugin.yaml").write_text(MANIFEST, encoding="utf-8")
    (directory / "__init__.py").write_text(CLEAN, encoding="utf-8")
    return directory


def run(*argv: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    code = "import sys; from hermes_sdk.cli.main import run; run(sys.argv[1:])"
    done = subprocess.run(
        [sys.executable, "-c", code, "check", *map(str, argv)],
        cwd=cwd,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert "Traceback" not in done.stderr
    return done


def test_a_clean_plugin_passes(example):
    done = run(example)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("✓")


def test_the_default_is_the_current_directory(example):
    assert run(cwd=example).returncode == 0


def test_an_error_fails(example):
    (example / "__init__.py").write_text("def (:\n", encoding="utf-8")
    done = run(example)
    assert done.returncode == 1
    assert "HS203" in done.stdout


def test_a_warning_fails_only_when_strict(example):
    (example / "__init__.py").write_text(
        'def register(ctx):\n    ctx.register_command("a_b", print)\n', encoding="utf-8"
    )
    assert run(example).returncode == 0
    assert run(example, "--strict").returncode == 1


@pytest.mark.parametrize("option", [["--json"], ["--format", "json"], ["--format=json"]])
def test_json(example, option):
    done = run(example, *option)
    assert json.loads(done.stdout) == {
        "schema": "hermes-sdk.check/1",
        "path": example.as_posix(),
        "findings": [],
        "not_run": [],
    }


@pytest.mark.parametrize("path", ["missing", "empty"])
def test_no_plugin_is_a_wrong_call(tmp_path, path):
    (tmp_path / "empty").mkdir()
    done = run(path, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert path in done.stderr


def test_a_wrong_call_with_json_is_json(tmp_path):
    done = run(tmp_path, "--json")
    assert done.returncode == 2
    document = json.loads(done.stdout)
    assert document["schema"] == "hermes-sdk.check/1"
    assert document["error"]["message"]


def test_an_unknown_release_names_the_known_ones(example):
    done = run(example, "--release", "9.9")
    assert done.returncode == 2
    assert "0.19.0" in done.stderr
