"""The handler, loaded as the gateway loads it, and its diary."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from hermes_sdk.api import GatewayEventHandler

HOOK = Path(__file__).parents[1] / "{{ cookiecutter.__package }}"


@pytest.fixture
def handle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GatewayEventHandler:
    """The function that the gateway calls, in a temporary home."""
    monkeypatch.setenv("HERMES_HOME", str(tmp_path))
    spec = spec_from_file_location("handler", HOOK / "handler.py")
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    handler: GatewayEventHandler = module.handle
    return handler


@pytest.fixture
def diary() -> Callable[[Path], list[dict[str, Any]]]:
    """Read the diary in a home, without the times."""
    return _diary


def _diary(home: Path) -> list[dict[str, Any]]:
    file = home / "plugin-data" / "{{ cookiecutter.plugin_slug }}" / "diary.jsonl"
    entries = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    return [{key: value for key, value in entry.items() if key != "time"} for entry in entries]
