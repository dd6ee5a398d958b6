"""Generated projects: their files are as expected, and all tools and tests pass."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from thinning import every_third
import yaml
from templates.baking import KINDS, ROOT, bake, files, list_commands, pairwise, run_in, variants

from hermes_sdk.check.engine import check
from hermes_sdk.check.options import Options
from hermes_sdk.check.quality.judge import judge
from hermes_sdk.scaffold.template import render

GOLDEN = Path(__file__).parent / "golden"
# The tests of these projects import modules by absolute names, which would clash in a common run.
NEEDS_A_RUN_OF_ITS_OWN = ("platform", "web-search-provider")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Create the three variants of each template in one directory."""
    output = tmp_path_factory.mktemp("projects")
    for kind in KINDS:
        for variant, answers in variants(kind).items():
            bake(kind, output, slug(kind, variant), answers)
    return output


def slug(kind: str, variant: str = "default") -> str:
    return kind.replace("-", "") + variant


@pytest.mark.parametrize("kind", KINDS)
def test_project_has_the_expected_files(root: Path, kind: str) -> None:
    listed = []
    for variant in variants(kind):
        name = slug(kind, variant)
        listed += [f"# {variant}", *(file.replace(name, "NAME") for file in files(root / name)), ""]
    assert "\n".join(listed) == (GOLDEN / f"{kind}.txt").read_text(encoding="utf-8")


def test_template_syntax_is_rendered(root: Path) -> None:
    # Expressions of GitHub look like ${{ … }}.
    code = re.compile(r"(?<!\$)\{\{|\{%|cookiecutter")
    for file in files(root):
        if not file.endswith(".zip"):
            assert not code.search((root / file).read_text(encoding="utf-8")), file


def test_files_end_with_one_newline_and_have_no_double_blank_lines(root: Path) -> None:
    for file in files(root):
        if not file.endswith((".zip", "LICENSE")):
            text = (root / file).read_text(encoding="utf-8")
            assert text.endswith("\n"), file
            assert not text.endswith("\n\n"), file
            assert file.endswith(".py") or "\n\n\n" not in text, file


def test_ruff_passes(root: Path) -> None:
    run_in(root, "ruff", "check", "--no-cache")
    run_in(root, "ruff", "format", "--no-cache", "--check")


@pytest.mark.slow
def test_mypy_passes(root: Path) -> None:
    settings = root / "mypy.ini"
    settings.write_text("[mypy]\nstrict = true\nexplicit_package_bases = true\n", encoding="utf-8")
    shared = [kind for kind in KINDS if kind not in NEEDS_A_RUN_OF_ITS_OWN]
    together = [slug(kind, variant) for kind in shared for variant in variants(kind)]
    cache = str(ROOT / ".mypy_cache/generated")
    run_in(root, "mypy", "--cache-dir", cache, "--config-file", str(settings), *together)
    for kind in NEEDS_A_RUN_OF_ITS_OWN:
        run_in(root / slug(kind), "mypy", "--cache-dir", f"{cache}-{kind}")


def test_pyright_passes(root: Path) -> None:
    settings = {
        "typeCheckingMode": "strict",
        "reportMissingModuleSource": False,
        "reportMissingTypeStubs": False,
        "executionEnvironments": [{"root": slug(kind, variant)} for kind in KINDS for variant in variants(kind)],
    }
    (root / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    run_in(root, "pyright", "--pythonpath", sys.executable)


@pytest.mark.parametrize("kind", every_third(KINDS))
def test_tests_of_project_pass_on_the_embedded_host(root: Path, kind: str) -> None:
    run_in(root / slug(kind), "pytest", "-q", "-p", "no:cacheprovider")


@pytest.mark.parametrize(
    "kind", [kind if kind == "portable" else pytest.param(kind, marks=pytest.mark.slow) for kind in KINDS]
)
def test_verify_passes(root: Path, kind: str) -> None:
    project = root / slug(kind)
    assert list_commands(project)["verify"] == []
    printed = run_in(project, "hermes-sdk", "verify")
    assert printed.startswith("✓ Ready to ship.")
    assert "✓ tests: " in printed
    assert "✓ types: mypy" in printed


@pytest.mark.parametrize("kind", KINDS)
def test_check_finds_nothing(root: Path, kind: str) -> None:
    project = root / slug(kind)
    is_listed = kind not in ("core-tool", "gateway-hook", "portable", "shell-hook")
    result = check(project, Options(strict=True, profile="catalog" if is_listed else "default"))
    assert (result.findings, result.not_run, result.passes()) == ((), (), True)


@pytest.mark.parametrize("kind", KINDS)
def test_project_is_gold_without_contradictions(root: Path, kind: str) -> None:
    for variant in variants(kind):
        project = root / slug(kind, variant)
        quality = judge(project, check(project, Options(static=True)))
        assert (quality.tier, quality.contradictions) == ("gold", [])
        assert [one.rule.id for one in quality.decisions if one.claim is None] == []


@pytest.mark.parametrize("kind", KINDS)
def test_settings_reproduce_the_project(root: Path, kind: str, tmp_path: Path) -> None:
    for variant in variants(kind):
        project = root / slug(kind, variant)
        settings = tomllib.loads((project / ".hermes-sdk.toml").read_text(encoding="utf-8"))
        render(settings["template"], settings["answers"], tmp_path / variant)
        assert settings["template"] == kind
        assert files(tmp_path / variant) == files(project)
        for file in files(project):
            assert (tmp_path / variant / file).read_bytes() == (project / file).read_bytes()


@pytest.mark.parametrize("kind", KINDS)
def test_workflow_has_minimal_permissions(root: Path, kind: str) -> None:
    workflow = yaml.safe_load((root / slug(kind) / ".github/workflows/test.yml").read_text(encoding="utf-8"))
    assert workflow["permissions"] == {}
    for job in workflow["jobs"].values():
        assert job["permissions"] == {"contents": "read"}
        for step in job["steps"]:
            assert "${{" not in step.get("run", "")  # GitHub would insert the value into the script.
            if step.get("uses", "").startswith("actions/checkout@"):
                assert step["with"]["persist-credentials"] is False
    steps = [step.get("run") for job in workflow["jobs"].values() for step in job["steps"]]
    assert "hermes-sdk verify" in steps
    assert ("--only" in str(steps)) == ("compat" in list_commands(root / slug(kind)))


def test_workflow_uses_the_actions_of_our_ci(root: Path) -> None:
    ours = "".join(file.read_text(encoding="utf-8") for file in (ROOT / ".github/workflows").glob("*.yml"))
    used = re.findall(r"uses: (.+)", (root / slug("plugin") / ".github/workflows/test.yml").read_text(encoding="utf-8"))
    assert used
    for use in used:
        assert re.match(r"[\w./-]+@[0-9a-f]{40} # v", use)
        assert use in ours


def test_publish_workflow_uses_no_secret_and_no_code_of_the_project(root: Path) -> None:
    text = (root / slug("plugin", "last") / ".github/workflows/publish.yml").read_text(encoding="utf-8")
    ours = (ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8")
    assert all(use in ours for use in re.findall(r"uses: (.+)", text))
    workflow = yaml.safe_load(text)
    assert workflow["permissions"] == {}
    build, publish = workflow["jobs"]["build"], workflow["jobs"]["publish"]
    assert build["permissions"] == {"contents": "read"}
    assert "hermes-sdk verify" in [step.get("run") for step in build["steps"]]
    assert (publish["permissions"], publish["environment"]) == ({"id-token": "write"}, "pypi")
    assert not any("run" in step for step in publish["steps"])
    assert "secrets" not in text


def test_publish_workflow_compares_the_tag_with_the_manifest(root: Path) -> None:
    project = root / slug("plugin", "last")
    workflow = yaml.safe_load((project / ".github/workflows/publish.yml").read_text(encoding="utf-8"))
    (command,) = (
        step["run"] for step in workflow["jobs"]["build"]["steps"] if "GITHUB_REF_NAME" in step.get("run", "")
    )
    for tag, status in (("v0.1.0", 0), ("v0.2.0", 1)):
        done = subprocess.run(
            ["sh", "-c", command], cwd=project, env={**os.environ, "GITHUB_REF_NAME": tag}, check=False
        )
        assert done.returncode == status


def test_pairwise_yields_each_pair() -> None:
    found = list(pairwise("plugin"))
    assert {(one["license"], one["distribution"]) for one in found} == {
        (licence, distribution)
        for licence in ("MIT", "Apache-2.0", "BSD-3-Clause", "LicenseRef-Proprietary")
        for distribution in ("both", "directory", "pip")
    }


@pytest.mark.parametrize("kind", KINDS)
def test_job_with_write_permission_runs_no_code_of_the_project(root: Path, kind: str) -> None:
    project = root / slug(kind)
    file = project / ".github/workflows/report.yml"
    assert file.is_file() == ("compat" in list_commands(project))
    if not file.is_file():
        return
    workflow = yaml.safe_load(file.read_text(encoding="utf-8"))
    assert workflow["permissions"] == {}
    for job in workflow["jobs"].values():
        is_reader = job["permissions"] == {"contents": "read"}
        steps = [str(step) for step in job["steps"]]
        assert is_reader or not any("checkout" in step or "pip install -" in step for step in steps)
        assert is_reader == ("GH_TOKEN" not in job.get("env", {}))
        for step in job["steps"]:
            assert "${{" not in step.get("run", "")
