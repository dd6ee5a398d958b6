"""Plugins that a migration enables; `tests/conformance` compares the rest with the real host."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hermes_sdk import contract
from hermes_sdk.home.grandfathering import list_grandfathered

FLAGS = contract.load("0.19.0").behaviour


@pytest.fixture
def plugins(tmp_path: Path) -> Path:
    for folder, text in {"b": "name: second\n", "a": "kind: standalone\n", "broken": "name: [\n"}.items():
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "plugin.yaml").write_text(text)
    (tmp_path / "no-plugin").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("config", "enabled"),
    [
        ({}, ["a", "second", "broken"]),
        ({"plugins": {"disabled": ["second"]}}, ["a", "broken"]),
        ({"_config_version": 20}, ["a", "second", "broken"]),
        ({"_config_version": "20"}, ["a", "second", "broken"]),
        ({"_config_version": "new"}, ["a", "second", "broken"]),
        ({"_config_version": "21"}, None),
        (None, None),
        ({"_config_version": 21}, None),
        ({"plugins": {"enabled": []}}, None),
    ],
)
def test_migration_enables_installed_plugins(config: dict[str, Any] | None, enabled: list[str] | None, plugins) -> None:
    assert list_grandfathered(config, plugins, FLAGS) == enabled


def test_migration_enables_nothing_when_a_manifest_is_not_a_mapping(plugins: Path) -> None:
    (plugins / "a" / "plugin.yaml").write_text("- a list\n")
    assert list_grandfathered({}, plugins, FLAGS) == []
    assert list_grandfathered({}, plugins / "nowhere", FLAGS) == []
