"""Templates with each pair of choices, and on real hosts."""

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import RealPython
from templates.baking import KINDS, Answers, bake, pairwise, run_in

from hermes_sdk.home import Home
from hermes_sdk.hosts import open_host

RELEASE = "0.19.0"
VARIANTS = [(kind, answers) for kind in KINDS for answers in pairwise(kind)]
pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("kind", "answers"), VARIANTS, ids=lambda value: value if isinstance(value, str) else "")
def test_variant_passes_linters_tests_and_check(kind: str, answers: Answers, tmp_path: Path) -> None:
    project = bake(kind, tmp_path, "variant", answers)
    run_in(project, "ruff", "check", "--no-cache")
    run_in(project, "ruff", "format", "--no-cache", "--check")
    run_in(project, "mypy", "--cache-dir", str(Path(__file__).parents[2] / ".mypy_cache" / f"generated-{kind}"))
    run_in(project, "pytest", "-q", "-p", "no:cacheprovider")
    report = json.loads(run_in(project, "hermes-sdk", "check", "--json"))
    assert (report["findings"], report["not_run"]) == ([], [])


@pytest.mark.parametrize("kind", KINDS)
def test_project_is_gold_when_the_check_runs_its_code(kind: str, tmp_path: Path) -> None:
    project = bake(kind, tmp_path, "graded", {})
    document = json.loads(run_in(project, "hermes-sdk", "check", "--quality", "--json"))
    assert (document["tier"], [one for one in document["rules"] if one["contradicted"]]) == ("gold", [])


@pytest.mark.real_host
@pytest.mark.parametrize("kind", KINDS)
def test_tests_of_project_pass_on_the_real_host(kind: str, tmp_path: Path, real_python: RealPython) -> None:
    # 0.20 is the first release with portable plugins.
    release = "0.20.2" if kind == "portable" else RELEASE
    real_python(release)
    project = bake(kind, tmp_path, "onreal", {})
    run_in(project, "pytest", "-q", "-p", "no:cacheprovider", "--hermes-host", "real", "--hermes-release", release)


NOT_IN_THE_CATALOG = ("core-tool", "gateway-hook", "shell-hook", "workspace")


@pytest.mark.real_host
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in NOT_IN_THE_CATALOG])
def test_catalog_entry_of_project_is_read_by_the_host(kind: str, tmp_path: Path, real_python: RealPython) -> None:
    real_python("0.22.2")
    project = bake(kind, tmp_path, "submitted", {})
    git, own = str(shutil.which("git")), ("-c", "user.name=A", "-c", "user.email=a@example.org")
    run_in(project, git, "init", "--quiet")
    run_in(project, git, "add", ".")
    run_in(project, git, *own, "commit", "--quiet", "-m", "Start it")
    run_in(project, git, "remote", "add", "origin", "https://github.com/acme/submitted")
    document = json.loads(run_in(project, "hermes-sdk", "submit", "--release", "0.22.2", "--json"))
    states = {step["name"]: (step["state"], step["problems"]) for step in document["steps"]}
    assert states.pop("Hermes' reader of catalog entries") == ("passed", [])
    assert {state for state, _ in states.values()} == {"passed"}, states
    assert document["entry"]["name"] == "submitted"


@pytest.mark.real_host
@pytest.mark.parametrize("distribution", ["both", "pip"])
@pytest.mark.parametrize("kind", ["plugin", "platform", "context-engine", "image-gen-provider", "web-search-provider"])
def test_entry_point_of_the_wheel_loads_in_the_real_host(
    kind: str, distribution: str, tmp_path: Path, real_python: Callable[[str], object]
) -> None:
    real_python(RELEASE)
    project = bake(kind, tmp_path, "packaged", {"distribution": distribution})
    build = f"import hatchling.build; print(hatchling.build.build_wheel({str(tmp_path)!r}))"
    wheel = run_in(project, Path(sys.executable).name, "-c", build).split()[-1]
    site = tmp_path / "site"
    run_in(tmp_path, "uv", "pip", "install", "--quiet", "--offline", "--no-deps", "--target", str(site), wheel)
    with Home.temporary() as home:
        home.enable("packaged")
        variables = {"PACKAGED_SERVER": "127.0.0.1:9", "PACKAGED_URL": "http://127.0.0.1:9"}
        with open_host("real", RELEASE, home, pythonpath=[site], environment=variables) as host:
            report = host.report("packaged")
    assert (report["status"], report["error"], report["plugin"]["source"]) == ("loaded", None, "entrypoint")


TOOLS = [("web-search-provider", "tests/test_service.py"), ("image-gen-provider", "tests/test_provider.py")]


@pytest.mark.real_host
@pytest.mark.parametrize(("kind", "tests"), TOOLS)
def test_tool_of_the_real_host_calls_the_provider(
    kind: str, tests: str, tmp_path: Path, real_python: RealPython
) -> None:
    real_python(RELEASE)
    project = bake(kind, tmp_path, "tried", {})
    run_in(project, "pytest", "-q", "-p", "no:cacheprovider", "--hermes-host", "real", tests)
