"""A host that has the hook in its configuration."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest
from hermes_sdk.home import Home
from hermes_sdk.hosts import default_release, open_host

if TYPE_CHECKING:
    from hermes_sdk.testing import Host

PROGRAM = Path(__file__).parents[1] / "agent-hooks" / "{{ cookiecutter.__package }}.py"


@pytest.fixture
def host(request: pytest.FixtureRequest) -> Iterator[Host]:
    """The host that the command line names, with `--hermes-host` and `--hermes-release`."""
    kind: Literal["embedded", "real"] = "real" if request.config.getoption("--hermes-host") == "real" else "embedded"
    release = request.config.getoption("--hermes-release") or default_release(kind)
    with Home.temporary() as home:
        command = {"command": f"{sys.executable} {PROGRAM}", "matcher": "terminal"}
        home.update_config({"hooks": {"pre_tool_call": [command]}})
        with open_host(kind, release, home, accept_hooks=True) as host:
            yield host
