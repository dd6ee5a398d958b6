"""Embedded hosts with one small plugin each, and the parts of hosts without plugins."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from hermes_sdk import contract
from hermes_sdk.home import Home
from hermes_sdk.hosts.embedded.approval.gate import ApprovalGate
from hermes_sdk.hosts.embedded.builtins import ToolContext
from hermes_sdk.hosts.embedded.builtins.registration import builtin_entries
from hermes_sdk.hosts.embedded.host import EmbeddedHost
from hermes_sdk.hosts.embedded.loading.manager import PluginManager
from hermes_sdk.hosts.embedded.plugin import PluginManifest
from hermes_sdk.hosts.embedded.registrations import Registrations
from hermes_sdk.hosts.embedded.state import HostState
from hermes_sdk.hosts.embedded.tools.registry import ToolRegistry
from hermes_sdk.hosts.in_worker.recording import Recording

Start = Callable[..., EmbeddedHost]
MakeState = Callable[[str], HostState]

PLUGIN = PluginManifest("plug")
"""Manifest of the plugin to which the registrations of a test belong."""


def write_plugin(home: Home, body: str, manifest: str, files: Mapping[str, str]) -> None:
    """Add an enabled plugin called ``p`` to a home."""
    folder = home.plugins_dir / "p"
    for name, text in {"plugin.yaml": manifest, "__init__.py": body, **files}.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(dedent(text), encoding="utf-8")
    home.enable("p")


@pytest.fixture
def start() -> Iterator[Start]:
    """Return a function that starts a host with its own home and one plugin; the fixture closes the hosts."""
    with ExitStack() as stack:

        def open_one(
            body: str = "def register(ctx): pass\n",
            *,
            manifest: str = "name: p\n",
            files: Mapping[str, str] | None = None,
            release: str = "0.19.0",
            enable: Sequence[str] = (),
            **options: Any,
        ) -> EmbeddedHost:
            home = stack.enter_context(Home.temporary())
            write_plugin(home, body, manifest, files or {})
            for key in enable:
                home.enable(key)
            return stack.enter_context(EmbeddedHost(home, release, **options))

        yield open_one


@pytest.fixture
def make_state(tmp_path: Path) -> MakeState:
    """Return a function that creates the state of a host of a release, with the home ``tmp_path``."""
    return lambda release: HostState(contract.load(release), Home(tmp_path), Recording())


@pytest.fixture
def state(make_state: MakeState) -> HostState:
    """Return the state of a host of the newest release."""
    return make_state("0.19.0")


def list_swallowed(state: HostState) -> list[tuple[str, str]]:
    """Return the swallowed exceptions: the callback that was running, and ``Type: message``."""
    return [(one.where, one.error) for one in state.swallowed]


def make_tool_context(state: HostState, **session: str) -> ToolContext:
    """Create the context of a running built-in tool on a host without plugins."""
    registrations = Registrations(state)
    plugins = PluginManager(state, registrations)
    return ToolContext(
        state,
        registrations,
        plugins,
        ApprovalGate(state, registrations.hooks, registrations.approval_transports),
        **session,
    )


def add_builtins(registry: ToolRegistry, state: HostState) -> None:
    """Add the host's own tools to a registry."""
    registry.add_builtins(lambda: (builtin_entries(state.contract), make_tool_context(state)))
