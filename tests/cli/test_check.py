import json
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

import jsonschema
import pytest

from hermes_sdk.cli import main

EXPLAIN_SCHEMA = json.loads((files("hermes_sdk.cli") / "explain.schema.json").read_text(encoding="utf-8"))
CLEAN = "def register(ctx):\n    ctx.register_command('example', print)\n"
MANIFEST = "name: example\nkind: standalone\nversion: '1.0.0'\ndescription: An example.\n"


class Done(NamedTuple):
    status: int
    stdout: str
    stderr: str


@pytest.fixture
def example(tmp_path, monkeypatch) -> Path:
    directory = tmp_path / "example"
    directory.mkdir()
    (directory / "plugin.yaml").write_text(MANIFEST, encoding="utf-8")
    (directory / "__init__.py").write_text(CLEAN, encoding="utf-8")
    monkeypatch.chdir(directory)
    return directory


@pytest.fixture
def run(capsys):
    """Return a function that runs `hermes-sdk check` in this process."""

    def call(*argv: str | Path) -> Done:
        with pytest.raises(SystemExit) as ended:
            main.run(["check", *map(str, argv)])
        return Done(int(ended.value.code or 0), *capsys.readouterr())

    return call


def test_valid_plugin_passes(example):
    code = "import sys; from hermes_sdk.cli.main import run; run(sys.argv[1:])"
    argv = [sys.executable, "-c", code, "check", str(example)]
    done = subprocess.run(argv, capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "✓" in done.stdout


def test_path_defaults_to_the_current_directory(example, run):
    (example / "__init__.py").write_text("def (:\n", encoding="utf-8")
    done = run()
    assert done.status == 1
    assert "HS203" in done.stdout


def test_warning_fails_only_with_strict(example, run):
    (example / "__init__.py").write_text(
        'def register(ctx):\n    ctx.register_command("a_b", print)\n', encoding="utf-8"
    )
    assert run(example).status == 0
    assert run(example, "--strict").status == 1


def test_select_runs_only_the_named_rules(example, run):
    (example / "__init__.py").write_text(
        'def register(ctx):\n    ctx.register_hook("no", print)\n    ctx.register_command("a_b", print)\n',
        encoding="utf-8",
    )
    assert {one["code"] for one in json.loads(run(example, "--json").stdout)["findings"]} > {"HS452"}
    found = json.loads(run(example, "--json", "--select", "HS452").stdout)["findings"]
    assert [one["code"] for one in found] == ["HS452"]


def test_select_of_unknown_rule_is_a_usage_error(example, run):
    done = run(example, "--select", "HS000")
    assert done.status == 2
    assert "There is no rule HS000" in done.stderr


def test_select_and_update_baseline_exclude_each_other(example, run):
    assert run(example, "--select", "HS452", "--update-baseline", "--baseline", "b.json").status == 2


@pytest.mark.parametrize("option", [["--json"], ["--format", "json"], ["--format=json"]])
def test_json_output_matches_its_schema(example, run, option):
    document = json.loads(run(example, *option).stdout)
    assert document.pop("isolation")[:2] == ["env", "tmp"]
    assert document.pop("rules")["left_out"] == []
    assert document == {
        "schema": "hermes-sdk.check/1",
        "path": example.as_posix(),
        "findings": [],
        "not_run": [],
        "manual": [],
        "releases": ["0.22.2"],
        "grades": {"0.22.2": "proven on a fork"},
        "suppressed": 0,
        "host": "embedded",
        "rerun": False,
        "reason": None,
    }


@pytest.mark.parametrize("path", ["missing", "empty"])
def test_missing_plugin_is_a_usage_error(tmp_path, run, path):
    (tmp_path / "empty").mkdir()
    done = run(tmp_path / path)
    assert (done.status, done.stdout) == (2, "")
    assert path in done.stderr


def test_usage_error_with_json_is_json(tmp_path, run):
    done = run(tmp_path, "--json")
    document = json.loads(done.stdout)
    assert done.status == 2
    assert document["schema"] == "hermes-sdk.check/1"
    assert document["error"]["message"]


def test_unknown_release_error_lists_known_releases(example, run):
    done = run(example, "--release", "9.9")
    assert done.status == 2
    assert "0.19.0" in done.stderr


ROLLING = """\
def register(ctx):
    ctx.register_hook("on_session_start", lambda **kwargs: None)
"""


@pytest.mark.parametrize(
    ("form", "start"), [("sarif", "{"), ("junit", "<?xml"), ("github", "::error file=__init__.py")]
)
def test_output_formats_for_other_programs_are_valid(example, run, form, start):
    (example / "__init__.py").write_text("def (:\n", encoding="utf-8")
    done = run("--static", "--format", form)
    assert done.status == 1
    assert done.stdout.startswith(start)


def test_fix_repairs_and_reports_it(example, run):
    (example / "__init__.py").write_text(ROLLING, encoding="utf-8")
    done = run("--fix", "--strict")
    assert (done.status, done.stderr) == (0, "Fixed 1 finding.\n")
    assert "on_session_start" in (example / "plugin.yaml").read_text(encoding="utf-8")


def test_diff_prints_fixes_without_writing(example, run):
    (example / "__init__.py").write_text(ROLLING, encoding="utf-8")
    done = run("--diff", "--fix")
    assert "+  - on_session_start" in done.stdout
    assert (example / "plugin.yaml").read_text(encoding="utf-8") == MANIFEST


def test_finding_names_the_option_that_fixes_it(example, run):
    (example / "__init__.py").write_text(ROLLING, encoding="utf-8")
    assert "(`hermes-sdk check --fix` does it)" in " ".join(run().stdout.split())


def test_unsafe_fixes_without_fix_is_a_usage_error(example, run):
    done = run("--unsafe-fixes")
    assert done.status == 2
    assert "Add --fix or --diff." in done.stderr


def test_baseline_is_written_and_used(example, run):
    (example / "__init__.py").write_text("def (:\n", encoding="utf-8")
    written = run("--static", "--baseline", "base.json", "--update-baseline")
    assert (written.status, written.stdout) == (0, "Wrote 1 finding to base.json.\n")
    done = run("--static", "--baseline", "base.json")
    assert done.status == 0
    # The output is wrapped at the width of the terminal.
    assert "(1 finding suppressed)" in " ".join(done.stdout.split())
    assert run("--static", "--update-baseline").status == 2


def test_static_runs_no_code_and_does_not_mention_isolation(example, run):
    (example / "__init__.py").write_text("raise SystemExit(5)\n", encoding="utf-8")
    assert run("--static").status == 0
    assert "isolation:" not in run("--static", "-v").stdout


def test_isolation_is_printed_in_one_line_only_with_verbose(example, run):
    def read_isolation(*options):
        return [line for line in run(*options).stdout.splitlines() if line.startswith("isolation:")]

    assert read_isolation() == []
    assert ["env tmp" in line for line in (*read_isolation("-v"), *read_isolation("--verbose"))] == [True, True]


def test_explain_prints_the_text_of_a_rule(example, capsys):
    with pytest.raises(SystemExit) as ended:
        main.run(["explain", "HS206"])
    assert ended.value.code == 0
    assert "registered but not declared" in capsys.readouterr().out


def test_explain_renders_markdown_on_a_terminal_only(capsys, monkeypatch):
    def print_explanation() -> str:
        with pytest.raises(SystemExit):
            main.run(["explain", "HS402"])
        return capsys.readouterr().out

    assert "## HS402" in print_explanation()
    assert "**Fix.**" in print_explanation()
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    rendered = print_explanation()
    assert "HS402" in rendered
    assert "##" not in rendered
    assert "**Fix.**" not in rendered


def test_explain_prints_json(capsys):
    def print_rules(*code: str) -> list[dict[str, str]]:
        with pytest.raises(SystemExit) as ended:
            main.run(["explain", *code, "--json"])
        assert ended.value.code == 0
        document = json.loads(capsys.readouterr().out)
        jsonschema.validate(document, EXPLAIN_SCHEMA)
        return document["rules"]

    (rule,) = print_rules("hs206")
    assert rule["explanation"].startswith("## HS206: registered but not declared")
    assert (rule["code"], rule["family"], rule["severity"]) == ("HS206", "Loading", "warning")
    assert rule in print_rules()


def test_unknown_code_is_a_usage_error(example, capsys):
    with pytest.raises(SystemExit) as ended:
        main.run(["explain", "HS2"])
    assert ended.value.code == 2
    assert "There is no rule 'HS2'" in capsys.readouterr().err
