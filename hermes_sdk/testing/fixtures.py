"""The fixture ``hermes``: one plugin, one temporary home, one host, and an honest end."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from hermes_sdk import contract, manifest
from hermes_sdk.errors import HermesSdkError
from hermes_sdk.home import Home
from hermes_sdk.hosts import open_host
from hermes_sdk.hosts.base import Host, HostKind, Swallowed
from hermes_sdk.hosts.guard import LoopbackOnly
from hermes_sdk.hosts.stage import entry_point, importable, stage


def running_host(request: pytest.FixtureRequest) -> Iterator[Host]:
    """Run the project's plugin on the host that the command line names, for one test.

    Args:
        request: The test that asks.

    Yields:
        The running host.
    """
    try:
        with Home.temporary() as home, LoopbackOnly(), _opened(request, home) as host:
            _check_loaded(request, host)
            yield host
            _check_swallowed(host)
    except HermesSdkError as error:
        pytest.fail(str(error), pytrace=False)


def _opened(request: pytest.FixtureRequest, home: Home) -> Host:
    config = request.config
    located = manifest.locate(config.rootpath / str(config.getini("hermes_plugin")))
    stage(located, home, link=True)
    release = config.getoption("--hermes-release") or contract.DEFAULT
    kind: HostKind = "real" if config.getoption("--hermes-host") == "real" else "embedded"
    alone = entry_point(located)
    return open_host(
        kind,
        release,
        home,
        cwd=Path.cwd(),
        pythonpath=importable(located, kind, release),
        entry_points=[alone] if alone else [],
        environment=_environment(home) if kind == "real" else {"HOME": str(home.path)},
    )


def _environment(home: Home) -> Mapping[str, str]:
    """What a real host takes over from the environment of the test, so that a test that sets a variable holds on both.

    ``PYTHON*`` speaks of another interpreter; a home, a place for temporary files and some of ``HERMES_*`` the host
    sets itself.
    """
    from hermes_sdk.hosts.real.servers import host_variables

    own = {"HOME", "TMPDIR", *host_variables(home.path, home.path)}
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON") and name not in own}


def _check_loaded(request: pytest.FixtureRequest, host: Host) -> None:
    marker = request.node.get_closest_marker("hermes")
    if marker is not None and not marker.kwargs.get("load", True):
        host.expect_swallowed(match="^plugin ")
        return
    report = host.report()
    if report["status"] == "loaded":
        return
    why = report["error"] or "the host gives no reason"
    traces = "\n".join(one.traceback for one in host.swallowed)
    pytest.fail(f"The plugin did not load ({report['status']}): {why}\n\n{traces}", pytrace=False)


def _check_swallowed(host: Host) -> None:
    texts = [_story(one) for one in host.unexpected()]
    texts += [f"Nothing that the host hid matches the expected {pattern!r}." for pattern in host.unmet()]
    if texts:
        pytest.fail("\n\n".join(texts), pytrace=False)


def _story(hidden: Swallowed) -> str:
    advice = f"hermes.expect_swallowed(match={hidden.error.partition(':')[0]!r})"
    return (
        f"The host hid an exception of the plugin in {hidden.where}: {hidden.error}\n"
        f"If that is meant, say so in the test: {advice}\n\n{hidden.traceback}"
    )
