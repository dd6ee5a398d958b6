"""What the documents say about tests is run as it stands there, on both hosts."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

# Each run of pytester forgets the modules that it imported, so they are imported here, once.
import hermes_sdk.hosts.embedded.agent.conversation
import hermes_sdk.hosts.embedded.host
import hermes_sdk.manifest.project
import hermes_sdk.testing.fixtures  # noqa: F401

pytest_plugins = ["pytester"]

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "test-a-turn.md"


@pytest.mark.parametrize("host", ["embedded", pytest.param("real", marks=pytest.mark.real_host)])
@pytest.mark.parametrize(
    ("language", "manifest", "passed"),
    [("python", "name: maths\nkind: standalone\n", 6), ("py", "name: memo\nkind: exclusive\n", 1)],
    ids=["plugin", "memory provider"],
)
def test_the_examples_pass(
    language: str,
    manifest: str,
    passed: int,
    host: str,
    pytester: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
    real_python: Callable[[str], object],
) -> None:
    if host == "real":
        real_python("0.19.0")
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    # The page marks the blocks of its second plugin with another name of the language.
    plugin, *tests = re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(), re.DOTALL)
    folder = pytester.mkdir("plugin")
    (folder / "plugin.yaml").write_text(manifest)
    (folder / "__init__.py").write_text(plugin)
    pytester.makepyfile(test_it="\n\n".join(tests))
    plugins = ("-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:hypothesispytest")
    result = pytester.runpytest_inprocess(*plugins, "--strict-markers", "-W", "error", "--hermes-host", host)
    result.assert_outcomes(passed=passed)
