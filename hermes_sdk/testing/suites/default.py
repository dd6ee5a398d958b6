"""Default contract suite for projects without one."""

from __future__ import annotations

from pathlib import Path

import pytest

PLUGIN_SUITE = Path(__file__).with_name("plugin_suite.py")


class DefaultSuite:
    """Pytest plugin that adds `plugin_suite` to the tests of a project without a contract suite."""

    def pytest_configure(self, config: pytest.Config) -> None:
        """Collect our suite together with the project's tests."""
        config.args.append(str(PLUGIN_SUITE))

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Remove our suite if the project has one."""
        theirs = [item for item in items if item.path != PLUGIN_SUITE]
        if any(is_suite(getattr(item, "cls", None)) for item in theirs):
            items[:] = theirs


def is_suite(cls: type | None) -> bool:
    """Return whether the class of a test is a contract suite."""
    from hermes_sdk.testing.suites.contract import Contract

    return cls is not None and issubclass(cls, Contract)
