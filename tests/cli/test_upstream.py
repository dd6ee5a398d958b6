"""`hermes-sdk check --upstream`: Hermes' own checks together with our rules."""

import json
import subprocess
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from hermes_sdk.cli import main

MANIFEST = "name: example\nkind: standalone\nversion: '1.0.0'\ndescription: An example.\n"
SOURCE = """\
def callback(session_id):
    pass


def register(ctx):
    ctx.register_hook("on_session_start", callback)
"""
SCHEMA = Path(main.__file__).parents[1] / "check" / "report" / "check.schema.json"

pytestmark = pytest.mark.real_host


@pytest.fixture
def example(tmp_path) -> Path:
    directory = tmp_path / "example"
    directory.mkdir()
    (directory / "plugin.yaml").write_text(MANIFEST, encoding="utf-8")
    (directory / "__init__.py").write_text(SOURCE, encoding="utf-8")
    return directory


@pytest.fixture
def run_upstream(capsys, real_python):
    """Return a function that runs the command in this process, and returns the status and the document."""

    def call(*argv: str | Path, release: str = "0.22.2") -> tuple[object, dict]:
        real_python(release)
        with pytest.raises(SystemExit) as ended:
            main.run(["check", "--upstream", "--json", "--release", release, *map(str, argv)])
        document = json.loads(capsys.readouterr().out)
        Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8"))).validate(document)
        return ended.value.code, document

    return call


def test_upstream_findings_have_a_position_and_related_rules(example, run_upstream):
    (example / "clean.sh").write_text("cd /tmp\nrm -rf /\n", encoding="utf-8")
    status, document = run_upstream(example)
    assert status == 1
    errors = {one["code"]: (one["path"], one["line"]) for one in document["findings"] if one["severity"] == "error"}
    assert errors == {
        "UP-validate-declared-hooks": ("plugin.yaml", 1),
        "UP-validate-security-scan": ("clean.sh", 2),
        "UP-doctor-hook-callbacks": ("__init__.py", 1),
        "UP-scan-destructive-root-rm": ("clean.sh", 2),
    }
    (upstream,) = document["upstream"]
    verdicts = {(one["judge"], one["check"]): one for one in upstream["verdicts"]}
    assert verdicts["validate", "declared hooks"]["ours"] == ["HS206"]
    assert verdicts["validate", "declared hooks"]["agrees"] is True
    assert verdicts["validate", "manifest fields"]["level"] == "pass"
    assert verdicts["scan", "verdict"]["detail"].startswith("dangerous (plugin-guard-v11)")
    assert upstream["agreement"]["compared"] > 10


def test_upstream_checks_that_the_release_lacks_are_reported_as_not_run(example, run_upstream):
    _, document = run_upstream(example, release="0.19.0")
    (upstream,) = document["upstream"]
    assert upstream["missing"] == ["validate", "doctor", "scan"]
    assert upstream["verdicts"] == []
    reasons = [one["reason"] for one in document["not_run"] if one["code"].startswith("UP-")]
    assert len(reasons) == 3
    assert {*reasons} == {"not in this release, Hermes 0.19.0; choose a newer `--release`"}


def test_path_of_the_users_hermes_is_printed_once(example, real_python, capsys):
    place = real_python("0.19.0").parents[1]
    with pytest.raises(SystemExit):
        main.run(["check", "--upstream", "--release", str(place), str(example)])
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    printed = " ".join(lines)
    assert printed.count(str(place)) == 1
    assert f"by Hermes 0.19.0 ({place})" in printed
    assert "our rules have nothing to compare with" in lines
    assert "not run: UP-doctor, UP-scan, UP-validate" in lines


def test_plugin_that_exits_the_check_is_an_error_and_stays_isolated(example, run_upstream, tmp_path):
    written = tmp_path / "written"
    write = f"try:\n    open({str(written)!r}, 'w').close()\nexcept OSError:\n    pass\n"
    (example / "__init__.py").write_text(f"import os\n{write}os._exit(0)\n", encoding="utf-8")
    _, document = run_upstream(example)
    assert not written.exists()
    found = {one["code"]: one["message"] for one in document["findings"]}
    assert "exit 0" in found["UP-validate-capability-probe"]
    assert found["UP-doctor-load"].startswith("the process of the check ended with exit status 0")


def test_commit_is_checked_instead_of_the_working_tree(example, run_upstream):
    project = example.parent

    def git(*words: str) -> None:
        own = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "core.hooksPath=/dev/null")
        subprocess.run(["git", *own, *words], cwd=project, check=True, capture_output=True)

    git("init", "--quiet")
    git("add", ".")
    git("commit", "--quiet", "-m", "Add it")
    (example / "__init__.py").write_text("raise ValueError('not committed')\n", encoding="utf-8")
    _, document = run_upstream(example)
    (upstream,) = document["upstream"]
    assert upstream["source"].startswith("subdirectory example at commit ")
    assert upstream["differing"] == ["__init__.py"]
    assert not any("not committed" in one["detail"] for one in upstream["verdicts"])


def test_static_and_upstream_exclude_each_other(example, capsys):
    with pytest.raises(SystemExit) as ended:
        main.run(["check", "--upstream", "--static", str(example)])
    assert ended.value.code == 2
    assert "Drop --static" in capsys.readouterr().err
