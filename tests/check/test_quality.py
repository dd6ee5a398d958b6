"""The quality scale: decisions, claims, and tiers."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest
import yaml

from hermes_sdk.check.quality.scale import RULES, TIERS
from hermes_sdk.cli.main import run
from hermes_sdk.scaffold.new import new

SCHEMA = json.loads((files("hermes_sdk.check.quality") / "quality.schema.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return new("plugin", tmp_path_factory.mktemp("quality"), name="Team Notes", extra={"example": "no"})


@pytest.fixture
def project(template: Path, tmp_path: Path) -> Path:
    """Return a copy of a generated project."""
    import shutil

    return Path(shutil.copytree(template, tmp_path / "project"))


def run_check(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stop:
        run(["check", "--static", *argv])
    out, err = capsys.readouterr()
    assert isinstance(stop.value.code, int)
    return stop.value.code, out, err


def find_missing(capsys: pytest.CaptureFixture[str], project: Path, code: int = 0) -> tuple[str | None, dict[str, str]]:
    """Return the tier, and the unmet requirements by rule."""
    exit_code, out, _ = run_check(capsys, "--quality", "--json", str(project))
    assert exit_code == code
    document = json.loads(out)
    return document["tier"], {one["id"]: one["missing"] for one in document["rules"] if one["verdict"] == "missing"}


def write_claims(project: Path, text: str) -> None:
    (project / "quality.yaml").write_text(f"rules:\n{text}")


def test_generated_project_is_gold_and_lists_missing_platinum_rules(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = run_check(capsys, "--quality", str(project))
    assert code == 0
    assert out.startswith("Quality: gold\n")
    assert "missing  replayed-conversation: no workflow and no test replays a conversation" in out
    assert (
        "Found in the project's files, but not run:\n  `pytest` proves tests-present, contract-suite, tests-in-ci\n"
        in out
    )
    assert "replayed-conversation" not in out.partition("not run:")[2]


@pytest.mark.parametrize(
    ("file", "old", "new", "rule", "tier"),
    [
        ("README.md", "## Install", "## Get it", "readme-installation", None),
        ("LICENSE", None, None, "license-file", None),
        ("team_notes/plugin.yaml", "description:", "label:", "manifest-complete", None),
        ("tests/test_contract.py", "PluginContract", "Nothing", "contract-suite", "bronze"),
        (".github/workflows/test.yml", "- run: hermes-sdk verify", "- run: true", "tests-in-ci", "bronze"),
        (".github/workflows/test.yml", "hermes-sdk compat", "true", "tested-on-both-hosts", "silver"),
    ],
)
def test_unmet_rule_lowers_the_tier(
    project: Path,
    capsys: pytest.CaptureFixture[str],
    file: str,
    old: str | None,
    new: str | None,
    rule: str,
    tier: str | None,
) -> None:
    (project / "quality.yaml").unlink()
    (project / ".github" / "workflows" / "report.yml").unlink()
    path = project / file
    if old is None or new is None:
        path.unlink()
    else:
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))
    found, missing = find_missing(capsys, project)
    assert (found, rule in missing) == (tier, True)


def test_json_names_the_command_that_proves_a_rule(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    proofs = {
        one["id"]: one["proof"]
        for one in json.loads(run_check(capsys, "--quality", "--json", str(project))[1])["rules"]
    }
    assert (proofs["contract-suite"], proofs["check-passes"], proofs["license-file"]) == ("pytest", "", "")


def test_undocumented_setting_is_reported(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    manifest = project / "team_notes" / "plugin.yaml"
    manifest.write_text(manifest.read_text() + "optional_env: [TEAM_NOTES_KEY]\n")
    (project / "quality.yaml").unlink()
    assert find_missing(capsys, project)[1]["settings-documented"] == "README.md does not name TEAM_NOTES_KEY"


def test_check_error_leaves_the_project_without_a_tier(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "team_notes" / "__init__.py").write_text("def register(ctx)\n")
    write_claims(project, "  check-passes: todo\n")
    tier, missing = find_missing(capsys, project)
    assert tier is None
    assert missing["check-passes"] == "1 error"


def test_false_claim_is_an_error_with_its_place(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_claims(project, "  strict-types: done\n  replayed-conversation: done\n")
    code, out, _ = run_check(capsys, "--quality", str(project))
    assert code == 1
    assert (
        "quality.yaml:3:3: error: replayed-conversation is claimed but not met: no workflow and no test replays" in out
    )
    assert "strict-types is claimed" not in out


def test_exemption_with_a_reason_counts(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "LICENSE").unlink()
    write_claims(project, "  license-file:\n    exempt: It is not published.\n")
    code, out, _ = run_check(capsys, "--quality", str(project))
    assert (code, out.splitlines()[0]) == (0, "Quality: gold")
    assert "exempt   license-file: It is not published." in out


@pytest.mark.parametrize(
    ("text", "place", "problem"),
    [
        ("rules: [", ":2:1", "not valid YAML"),
        ("rule: {}\n", ":1:1", "the file is not a mapping with `rules` as its only key"),
        ("rules: []\n", ":1:", "rules is not a mapping"),
        ("rules:\n  strict-typing: done\n", ":2:3", "there is no rule 'strict-typing'"),
        ("rules:\n  strict-types: yes\n", ":2:3", "strict-types is True"),
        ("rules:\n  strict-types: {exempt: ''}\n", ":2:3", "strict-types is exempt without a reason"),
        ("rules:\n  check-passes: {exempt: no time}\n", ":2:3", "no project is exempt from check-passes"),
    ],
)
def test_invalid_quality_file_is_an_error_with_its_place(
    project: Path, capsys: pytest.CaptureFixture[str], text: str, place: str, problem: str
) -> None:
    (project / "quality.yaml").write_text(text)
    code, out, err = run_check(capsys, "--quality", str(project))
    assert (code, out) == (2, "")
    assert f"quality.yaml{place}" in err
    assert problem in err


def test_misspelt_rule_gets_a_suggestion(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_claims(project, "  strict-typing: done\n")
    assert "Did you mean 'strict-types'?" in run_check(capsys, "--quality", str(project))[2]


def test_badge_shows_the_tier(project: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for name in ("badge.svg", "badge.json"):
        run_check(capsys, "--quality", "--badge", str(tmp_path / name), str(project))
    assert ElementTree.parse(tmp_path / "badge.svg").getroot().get("aria-label") == "quality: gold"
    badge = json.loads((tmp_path / "badge.json").read_text())
    assert badge == {"schemaVersion": 1, "label": "quality", "message": "gold", "color": "a67c00"}


def test_badge_requires_the_option_quality(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_check(capsys, "--badge", "badge.svg", str(project))[0] == 2


def test_schema_has_all_rules_and_accepts_the_generated_file(project: Path) -> None:
    assert list(SCHEMA["properties"]["rules"]["properties"]) == [rule.id for rule in RULES]
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    generated = yaml.safe_load((project / "quality.yaml").read_text())
    jsonschema.validate(generated, SCHEMA)
    assert list(generated["rules"]) == [rule.id for rule in RULES]


def test_rules_are_in_the_order_of_the_tiers() -> None:
    assert [rule.tier for rule in RULES] == sorted((rule.tier for rule in RULES), key=TIERS.index)


def test_strict_check_setting_does_not_count_as_strict_types(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "quality.yaml").unlink()
    file = project / "pyproject.toml"
    text = (
        file.read_text().replace('typeCheckingMode = "strict"', "").replace("[tool.mypy]\nstrict = true", "[tool.mypy]")
    )
    assert "\nstrict = true" in text
    file.write_text(text)
    tier, missing = find_missing(capsys, project)
    assert tier == "silver"
    assert "strict-types" in missing
