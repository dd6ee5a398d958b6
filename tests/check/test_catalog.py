"""The catalog rule that uses the package index, with a fake `uv`."""

import pytest

from hermes_sdk.check.engine import check
from hermes_sdk.check.options import Options

NEEDS = '[project]\nname = "example"\nversion = "1"\ndependencies = ["acme>=2"]\n'
ONLINE = Options(static=True, online=True, profile="catalog")


@pytest.fixture
def uv(tmp_path, monkeypatch):
    """Return a function that puts a fake `uv` on the path, and returns the file with its arguments and input."""

    def answer(status: int, text: str = ""):
        program = tmp_path / "bin" / "uv"
        program.parent.mkdir(exist_ok=True)
        asked = tmp_path / "asked"
        program.write_text(f"#!/bin/sh\n(echo $@; cat) > {asked}\necho '{text}' >&2\nexit {status}\n", encoding="utf-8")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
        return asked

    return answer


def test_resolvable_dependencies_have_no_finding(uv, plugin):
    asked = uv(0)
    result = check(plugin({"pyproject.toml": NEEDS}), ONLINE)
    assert (result.findings, result.not_run) == ((), ())
    words = asked.read_text(encoding="utf-8")
    assert "--exclude-newer" in words
    assert "acme>=2" in words


def test_dependency_that_is_too_new_is_an_error_in_pyproject(uv, plugin):
    uv(1, "  x No solution found when resolving dependencies: only acme<2 is available")
    (finding,) = check(plugin({"pyproject.toml": NEEDS}), ONLINE).findings
    assert (finding.code, finding.severity, finding.path) == ("HS691", "error", "pyproject.toml")
    assert "only acme<2 is available" in finding.message


def test_rule_does_not_run_without_a_network(uv, plugin):
    uv(2, "error: Failed to fetch: connection refused")
    (entry,) = check(plugin({"pyproject.toml": NEEDS}), ONLINE).not_run
    assert entry.code == "HS691"
    assert "connection refused" in entry.reason


def test_dependencies_in_the_manifest_are_resolved(uv, plugin):
    asked = uv(0)
    manifest = "name: example\nkind: standalone\nversion: '1'\ndescription: x\npython_dependencies: [beta]\n"
    assert check(plugin({"plugin.yaml": manifest}), ONLINE).not_run == ()
    assert "beta" in asked.read_text(encoding="utf-8")


@pytest.mark.parametrize("options", [Options(static=True, profile="catalog"), Options(static=True, online=True)])
def test_index_is_used_only_online_and_for_the_catalog(uv, plugin, options):
    asked = uv(1)
    assert check(plugin({"pyproject.toml": NEEDS}), options).not_run == ()
    assert not asked.exists()
