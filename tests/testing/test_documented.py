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
def test_the_examples_pass(
    host: str, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, real_python: Callable[[str], object]
) -> None:
    if host == "real":
        real_python("0.19.0")
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    plugin, *tests = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    folder = pytester.mkdir("plugin")
    (folder / "plugin.yaml").write_text("name: maths\nkind: standalone\n")
    (folder / "__init__.py").write_text(plugin)
    pytester.makepyfile(test_it="\n\n".join(tests))
    plugins = ("-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:hypothesispytest")
    result = pytester.runpytest_inprocess(*plugins, "--strict-markers", "-W", "error", "--hermes-host", host)
    result.assert_outcomes(passed=6)
