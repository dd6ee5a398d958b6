import io
import json
from importlib.resources import files

import pytest
from jsonschema import Draft202012Validator

from hermes_sdk.check.engine import check
from hermes_sdk.check.model import Coverage, Finding, NotRun, Result
from hermes_sdk.check.report import json as json_report
from hermes_sdk.check.report import text as text_report

SCHEMA = json.loads(files("hermes_sdk.check.report").joinpath("check.schema.json").read_text(encoding="utf-8"))


@pytest.fixture
def result(tmp_path) -> Result:
    (tmp_path / "a.py").write_text("def first(args):\n\treturn [brackets]\n", encoding="utf-8")
    findings = (
        Finding("HS301", "error", "The handler of [roll] is wrong.", "a.py", 1, 5, "Calls fail.", "Write **kwargs."),
        Finding("HS301", "error", "The handler of [flip] is wrong.", "a.py", 2, 1, "Calls fail.", "Write **kwargs."),
        Finding("HS205", "warning", "Declared.", "gone.yaml", 9, 1, "Promises.", "Remove it."),
    )
    return Result(
        "some/plugin",
        tmp_path,
        findings,
        (NotRun("HS401", "too early"), NotRun("HS402", "too early")),
        releases=("0.19.0",),
    )


def format_text(result: Result, monkeypatch, columns: int = 100) -> str:
    monkeypatch.setenv("COLUMNS", str(columns))
    stream = io.StringIO()
    text_report.write(result, stream)
    return stream.getvalue()


def format_json(result: Result) -> dict:
    stream = io.StringIO()
    json_report.write(result, stream)
    return json.loads(stream.getvalue())


def test_option_names_are_not_wrapped(tmp_path, monkeypatch):
    finding = Finding("HS401", "error", "Wrong.", "a.py", 1, 1, "Why.", "Run it with --unsafe-fixes.")
    report = format_text(Result("a", tmp_path, (finding,), (), releases=("0.19.0",)), monkeypatch, columns=35)
    assert "--unsafe-fixes" in report


def test_json_matches_the_schema(result):
    Draft202012Validator.check_schema(SCHEMA)
    document = format_json(result)
    Draft202012Validator(SCHEMA).validate(document)
    assert document["not_run"] == [
        {"code": code, "reason": "too early", "releases": [], "unavailable": False} for code in ("HS401", "HS402")
    ]
    assert document["findings"][0] == {
        "code": "HS301",
        "severity": "error",
        "message": "The handler of [roll] is wrong.",
        "path": "a.py",
        "line": 1,
        "column": 5,
        "why": "Calls fail.",
        "fix": "Write **kwargs.",
        "releases": [],
        "repair": None,
        "fingerprint": "",
    }


LACKING = [NotRun(code, "the backend is not installed; `add` adds it", unavailable=True) for code in ("HS605", "HS606")]


def test_unavailable_rules_are_one_line_after_the_summary(result, monkeypatch):
    lacking = result._replace(findings=(), not_run=tuple(LACKING), coverage=Coverage(120))
    assert lacking.passes()
    assert format_text(lacking, monkeypatch) == (
        "✓ No problems found in some/plugin for Hermes 0.19.0 (proven) by 120 rules.\n"
        "HS605, HS606 did not run: the backend is not installed; `add` adds it.\n"
    )


def test_unavailable_rules_fail_a_strict_check(result, monkeypatch):
    lacking = result._replace(findings=(), not_run=tuple(LACKING), coverage=Coverage(120), strict=True)
    assert not lacking.passes()
    report = format_text(lacking, monkeypatch)
    assert "not run: HS605, HS606\n" in report
    last = report.splitlines()[-2:]
    assert " ".join(last) == (
        "✗ 2 rules not run in some/plugin for Hermes 0.19.0 (proven): HS605, HS606. "
        "Fix the reasons above, or check without `strict`."
    )
    assert "✓" not in report
    assert "did not run" not in report


def test_json_of_a_real_check_matches_the_schema(plugin):
    Draft202012Validator(SCHEMA).validate(
        format_json(check(plugin({"__init__.py": "def (:\n", "plugin.yaml": "nam: x\n"})))
    )


def test_text_shows_place_source_reason_and_fix(result, monkeypatch):
    assert format_text(result, monkeypatch) == (
        "a.py\n"
        "  1:5  error HS301 The handler of [roll] is wrong.\n"
        "      │ def first(args):\n"
        "      │     ^\n"
        "      why  Calls fail.\n"
        "      fix  Write **kwargs.\n"
        "\n"
        "  2:1  error HS301 The handler of [flip] is wrong.\n"
        "      │ return [brackets]\n"
        "\n"
        "gone.yaml\n"
        "  9:1  warning HS205 Declared.\n"
        "      why  Promises.\n"
        "      fix  Remove it.\n"
        "\n"
        "not run: HS401, HS402\n"
        "      why  too early\n"
        "\n"
        "✗ 2 errors, 1 warning, 2 rules not run in some/plugin for Hermes 0.19.0 (proven)\n"
    )


def test_text_shows_each_fix_of_a_rule_once(result, monkeypatch):
    first, second, _ = result.findings
    other = second._replace(fix="Write **options.")
    report = format_text(result._replace(findings=(first, second, other, first)), monkeypatch)
    assert (report.count("Write **kwargs."), report.count("Write **options.")) == (1, 1)


def test_text_fits_a_narrow_terminal(result, monkeypatch):
    assert max(len(line) for line in format_text(result, monkeypatch, columns=32).splitlines()) <= 32


def test_text_of_a_clean_plugin_is_one_line(tmp_path, monkeypatch):
    assert (
        format_text(
            Result("some/plugin", tmp_path, (), (), releases=("0.19.0",), coverage=Coverage(run=119)), monkeypatch
        )
        == "✓ No problems found in some/plugin for Hermes 0.19.0 (proven) by 119 rules.\n"
    )
