"""`Host.on`: the surfaces on which an agent takes turns."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from hermes_sdk.errors import HermesSdkError, UsageError
from hermes_sdk.home import Home
from hermes_sdk.hosts import open_host
from hermes_sdk.hosts.inspection.surface_conversation import converse
from hermes_sdk.hosts.interface import Host, NotSupported, SurfaceName

RealPython = Callable[[str], Path]

RECORDED = json.loads((Path(__file__).parents[1] / "conformance" / "surfaces.json").read_text(encoding="utf-8"))

WATCHER = """
from hermes_cli.plugins import VALID_HOOKS
def register(ctx):
    for name in sorted(VALID_HOOKS):
        ctx.register_hook(name, lambda **more: None)
"""


@pytest.fixture
def home() -> Generator[Home]:
    with Home.temporary() as made:
        plugin = made.plugins_dir / "watcher"
        plugin.mkdir(parents=True)
        (plugin / "plugin.yaml").write_text("name: watcher\n")
        (plugin / "__init__.py").write_text(WATCHER)
        made.enable("watcher")
        yield made


@pytest.fixture
def host(home: Home) -> Generator[Host]:
    with open_host("embedded", "0.22.2", home) as opened:
        yield opened


@pytest.mark.parametrize(("surface", "platform"), [("cli", "cli"), ("gateway", "sdksurface")])
def test_agent_takes_turns_on_surface(host: Host, surface: SurfaceName, platform: str) -> None:
    host.llm.script("one", "two")
    place = host.on(surface)
    assert [place.chat("first"), place.chat("second")] == ["one", "two"]
    assert [one.arguments["platform"] for one in place.hooks.of("pre_llm_call")] == [platform] * 2
    assert [one.arguments["is_first_turn"] for one in place.hooks.of("pre_llm_call")] == [True, False]
    assert ("pre_gateway_dispatch" in place.hooks.names) == (surface == "gateway")


def test_end_of_surface_ends_session(host: Host) -> None:
    host.llm.script("hi")
    place = host.on("cli")
    place.chat("hello")
    assert "on_session_finalize" not in place.hooks.names
    place.end()
    assert place.hooks.names[-1] == "on_session_finalize"


def test_surface_must_be_chosen_before_first_turn(host: Host) -> None:
    host.llm.script("hi")
    host.chat("hello")
    with pytest.raises(UsageError, match="already received messages"):
        host.on("gateway")


def test_error_names_unknown_or_unsupported_surface(host: Host) -> None:
    with pytest.raises(UsageError, match="there is no surface 'shell'") as problem:
        host.on("shell")  # type: ignore[arg-type]
    assert problem.value.fix == "The surfaces are cli, gateway, cron, serve, isolated."
    with pytest.raises(NotSupported, match="The embedded host does not model the surface cron"):
        host.on("cron")


@pytest.mark.parametrize("surface", ["cli", "gateway"])
def test_embedded_host_fires_recorded_hooks(host: Host, surface: SurfaceName) -> None:
    fired = set(converse(host, surface, delegates=surface != "gateway").names)
    assert set(RECORDED["0.22.2"][surface]["fired"]) - fired == (
        {"subagent_start", "subagent_stop"} if surface == "gateway" else set()
    )
    assert fired <= set(RECORDED["0.22.2"][surface]["fired"])


@pytest.mark.slow
@pytest.mark.real_host
@pytest.mark.parametrize(
    ("release", "surface"),
    [(release, surface) for release, found in RECORDED.items() for surface, one in found.items() if "fired" in one],
)
def test_real_host_fires_recorded_hooks(
    home: Home, release: str, surface: SurfaceName, real_python: RealPython
) -> None:
    real_python(release)
    with open_host("real", release, home) as host:
        fired = {*converse(host, surface).names} - {"on_kanban_dispatch_tick"}
        assert sorted(fired) == RECORDED[release][surface]["fired"]


@pytest.mark.real_host
def test_cron_job_returns_reply(home: Home, real_python: RealPython) -> None:
    real_python("0.19.0")
    with open_host("real", "0.19.0", home) as host:
        host.llm.script("done")
        place = host.on("cron")
        assert place.chat("Tidy up") == "done"
        assert place.hooks.of("pre_llm_call")[0].arguments["platform"] == "cron"
        with pytest.raises(HermesSdkError, match="has no answer for request 2"):
            place.chat("Tidy up again")


@pytest.mark.real_host
def test_isolated_surface_is_rejected_by_older_releases(home: Home, real_python: RealPython) -> None:
    real_python("0.19.0")
    with open_host("real", "0.19.0", home) as host, pytest.raises(UsageError, match="cannot isolate plugins"):
        host.on("isolated")
