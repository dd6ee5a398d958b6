"""The plugins that come with Hermes Agent work, so every error in them is a false positive unless it is reviewed."""

import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from hermes_sdk.check.engine import check
from hermes_sdk.check.options import Options
from hermes_sdk.hosts.environments import environment

RELEASES = {"0.19.0": 93, "0.22.2": 100}
"""Number of bundled plugins, by release."""

REVIEWED_RELEASE = "0.19.0"
REVIEWED = tomllib.loads(Path(__file__).with_name("bundled.toml").read_text(encoding="utf-8"))


@pytest.fixture
def find_bundled(real_python) -> Callable[[str], dict[str, Path]]:
    """Return a function that finds the bundled plugins of a release."""

    def find(release: str) -> dict[str, Path]:
        real_python(release)
        root = environment(release).site_packages / "plugins"
        found = {path.parent.relative_to(root).as_posix(): path.parent for path in root.rglob("plugin.yaml")}
        assert len(found) == RELEASES[release]
        return found

    return find


def find_errors(plugins: dict[str, Path], options: Options) -> dict[str, set[str]]:
    """Return the codes of the errors by plugin, and the reasons of rules that crashed."""
    found: dict[str, set[str]] = {}
    for name, directory in plugins.items():
        result = check(directory, options)
        codes = {one.code for one in result.findings if one.severity == "error"}
        codes |= {one.reason for one in result.not_run if "bug in hermes-sdk" in one.reason}
        if codes:
            found[name] = codes
    return found


@pytest.mark.real_host
@pytest.mark.parametrize("release", RELEASES)
def test_static_rules_find_no_error(find_bundled, release: str) -> None:
    assert find_errors(find_bundled(release), Options(static=True, release=release)) == {}


@pytest.mark.slow
@pytest.mark.real_host
def test_all_rules_find_only_reviewed_errors(find_bundled) -> None:
    found = find_errors(find_bundled(REVIEWED_RELEASE), Options(release=REVIEWED_RELEASE, host="auto"))
    assert found == {name: set(reasons) for name, reasons in REVIEWED.items()}


def test_every_review_gives_a_reason() -> None:
    assert all(reason.strip() for reasons in REVIEWED.values() for reason in reasons.values())
