"""The handler, loaded as the gateway loads it."""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from hermes_sdk.api import GatewayEventHandler

HOOK = Path(__file__).parents[1] / "{{ cookiecutter.__package }}"


@pytest.fixture
def handle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GatewayEventHandler:
    """The function that the gateway calls, in a home of its own."""
    monkeypatch.setenv("HERMES_HOME", str(tmp_path))
    spec = spec_from_file_location("handler", HOOK / "handler.py")
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    handler: GatewayEventHandler = module.handle
    return handler
