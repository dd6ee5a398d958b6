"""Building the wheel of a plugin's project respects the required isolation."""

from __future__ import annotations

from pathlib import Path

import pytest
from operate.conftest import write
from wheels import build

from hermes_sdk.check.engine import check
from hermes_sdk.check.options import Options
from hermes_sdk.check.plugin import Plugin
from hermes_sdk.errors import HermesSdkError
from hermes_sdk.hosts.processes import isolation
from hermes_sdk.manifest import locate

PROJECT = """\
[build-system]
requires = []
build-backend = "own"
backend-path = ["."]
[project]
name = "demo"
version = "1"
"""


@pytest.fixture
def plugin(tmp_path: Path) -> Plugin:
    root = write(
        tmp_path / "demo",
        {
            "plugin.yaml": "name: demo\n",
            "__init__.py": "def register(ctx): pass\n",
            "pyproject.toml": PROJECT,
            "own.py": "raise ValueError('the backend ran')\n",
        },
    )
    return Plugin(locate(root), root)


def test_build_fails_if_required_layer_is_missing(plugin: Plugin, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolation, "FULL", (*isolation.FULL, "a wall"))
    with pytest.raises(HermesSdkError, match="the backend ran"):
        build(plugin)
    with pytest.raises(HermesSdkError, match="missing: a wall"):
        build(plugin, full_isolation=True)


def test_require_isolation_option_applies_to_the_build(plugin: Plugin, monkeypatch: pytest.MonkeyPatch) -> None:
    enough = check(plugin.base, Options()).isolation.split()
    monkeypatch.setattr(isolation, "FULL", tuple(enough))
    reasons = {one.reason for one in check(plugin.base, Options(require_isolation="full")).not_run}
    assert any("the backend ran" in reason for reason in reasons)
    monkeypatch.setattr(isolation, "FULL", (*enough, "a wall"))
    with pytest.raises(HermesSdkError, match="a wall"):
        check(plugin.base, Options(require_isolation="full"))
