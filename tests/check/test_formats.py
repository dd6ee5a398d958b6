"""Report formats for other programs."""

import io
import json
from importlib import import_module
from pathlib import Path
from xml.etree import ElementTree

import pytest
from jsonschema import Draft202012Validator

from hermes_sdk.check.engine import check
from hermes_sdk.check.model import Edit, Finding, NotRun, Repair, Result, Upstream, Verdict
from hermes_sdk.check.options import Options
from hermes_sdk.check.rules import RULES

SARIF = json.loads(Path(__file__).with_name("sarif-subset.schema.json").read_text(encoding="utf-8"))
FORMATS = ("text", "json", "sarif", "github", "junit")


def format_report(form: str, result: Result, encoding: str = "utf-8") -> str:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding, newline="")
    import_module(f"hermes_sdk.check.report.{form}").write(result, stream)
    stream.flush()
    return raw.getvalue().decode(encoding)


@pytest.fixture
def result(tmp_path) -> Result:
    (tmp_path / ".git").mkdir()
    base = tmp_path / "my plugin"
    base.mkdir()
    repair = Repair((Edit("a.py", 3, 5, "x"), Edit("plugin.yaml", 0, 0, "y")), True)
    findings = (
        Finding("HS203", "error", "100% [broken]:\n, \ud800\x1b[2J é", "a.py", 1, 5, "w.", "f.", (), repair, "0a"),
        Finding("HS205", "warning", "Declared.", "plugin.yaml", 9, 1, "w.", "f.", fingerprint="0b"),
        Finding("HS117", "info", "Documentation.", "plugin.yaml", 2, 1, "w.", "f.", fingerprint="0c"),
    )
    return Result("my plugin", base, findings, (NotRun("HS401", "too early\x00"),), releases=("0.19.0",))


def test_sarif_matches_the_schema(result):
    document = json.loads(format_report("sarif", result))
    Draft202012Validator.check_schema(SARIF)
    Draft202012Validator(SARIF, format_checker=Draft202012Validator.FORMAT_CHECKER).validate(document)
    (run,) = document["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [rules[one["ruleIndex"]]["id"] for one in run["results"]] == ["HS203", "HS205", "HS117"]
    assert [one["level"] for one in run["results"]] == ["error", "warning", "note"]
    assert [one["id"] for one in rules] == [rule.code for rule in RULES]
    (notification,) = run["invocations"][0]["toolExecutionNotifications"]
    assert rules[notification["associatedRule"]["index"]]["id"] == "HS401"


def test_sarif_paths_are_relative_to_the_repository(result):
    (first, *_) = json.loads(format_report("sarif", result))["runs"][0]["results"]
    location = first["locations"][0]["physicalLocation"]
    assert location["artifactLocation"] == {"uri": "my%20plugin/a.py", "uriBaseId": "%SRCROOT%"}
    assert location["region"] == {"startLine": 1, "startColumn": 5}
    assert first["partialFingerprints"] == {"hermesSdkCheck/v1": "0a"}
    assert [one["artifactLocation"]["uri"] for one in first["fixes"][0]["artifactChanges"]] == [
        "my%20plugin/a.py",
        "my%20plugin/plugin.yaml",
    ]


def test_sarif_of_a_real_check_matches_the_schema(plugin):
    files = {"__init__.py": "def (:\n", "plugin.yaml": "nam: x\nprovide_tools: []\n"}
    document = json.loads(format_report("sarif", check(plugin(files))))
    Draft202012Validator(SARIF).validate(document)
    fingerprints = [one["partialFingerprints"]["hermesSdkCheck/v1"] for one in document["runs"][0]["results"]]
    assert len(set(fingerprints)) == len(fingerprints) > 2


def test_github_annotations_are_escaped(result):
    first, second, third, notice = format_report("github", result).splitlines()
    assert first.startswith("::error file=my plugin/a.py,line=1,col=5,title=HS203::100%25 [broken]:%0A, ")
    assert second == "::warning file=my plugin/plugin.yaml,line=9,col=1,title=HS205::Declared.%0Aw.%0Af."
    assert third.startswith("::notice file=")
    assert notice.startswith("::notice title=HS401 was not run::too early")


def test_github_annotation_properties_are_escaped(result):
    finding = Finding("HS203", "error", "m", "a,line=9::b.py", 1, 1, "w", "f")
    line = format_report("github", Result("p", result.base, (finding,), ()))
    assert line.startswith("::error file=my plugin/a%2Cline=9%3A%3Ab.py,line=1,")


def test_junit_has_a_case_for_each_rule(result):
    suite = ElementTree.fromstring(format_report("junit", result))
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == (str(len(RULES)), "1", "1")
    (failure,) = suite.iterfind(".//failure")
    assert failure.get("message", "").startswith("a.py:1:5: 100% [broken]:")
    (skipped,) = suite.iterfind(".//skipped")
    assert skipped.get("message", "").startswith("too early")


def test_junit_counts_warnings_as_failures_when_strict(result):
    strict = Result(result.path, result.base, result.findings, (), strict=True)
    assert ElementTree.fromstring(format_report("junit", strict)).get("failures") == "2"


@pytest.mark.parametrize("form", ["text", "sarif", "github", "junit"])
@pytest.mark.parametrize(("is_safe", "options"), [(True, "--fix"), (False, "--fix --unsafe-fixes")])
def test_report_names_the_command_that_fixes_the_finding(result, form, is_safe, options):
    finding = result.findings[0]._replace(repair=Repair((Edit("a.py", 3, 5, "x"),), is_safe))
    text = format_report(form, result._replace(findings=(finding,)))
    assert f"(`hermes-sdk check {options}` does it)" in " ".join(text.split())


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "cp1252"])
def test_report_fits_any_encoding(form, encoding, result):
    text = format_report(form, result, encoding)
    assert "HS203" in text
    assert "\x1b" not in text or form == "github"


@pytest.mark.parametrize("form", FORMATS)
def test_report_is_deterministic(form, plugin):
    directory = plugin({"__init__.py": "def (:\n", "plugin.yaml": "nam: x\n"})
    options = Options(static=True, profile="catalog")
    assert format_report(form, check(directory, options)) == format_report(form, check(directory, options))


@pytest.mark.parametrize("form", FORMATS)
def test_upstream_verdicts_are_in_every_format(result, form):
    code, lacking = "UP-doctor-hook-names", NotRun("UP-validate", "not in this release")
    verdict = Verdict("doctor", "hook names", "error", "unknown hook 'x'", ("HS401",), (), agrees=False)
    asked = Upstream("0.20.2", "hermes-agent==0.20.2", "the directory", ("a.py",), ("validate",), (verdict,), "a.py")
    finding = Finding(code, "error", "unknown hook 'x'", "a.py", 1, 1, "w.", "f.", fingerprint="0d")
    text = format_report(form, result._replace(findings=(finding,), not_run=(lacking,), upstream=(asked,)))
    assert code in text
    assert "not in this release" in text
    if form == "sarif":
        Draft202012Validator(SARIF).validate(json.loads(text))
        (run,) = json.loads(text)["runs"]
        assert run["tool"]["driver"]["rules"][run["results"][0]["ruleIndex"]]["id"] == code
    if form == "text":
        assert "DISAGREE, our rules do not object" in text
