"""Public plugins from the package index, installed for the embedded host and for the real host."""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from functools import partial
from importlib.metadata import distributions
from pathlib import Path

import pytest
from hosts.comparing import verdict

from hermes_sdk.errors import UnavailableError
from hermes_sdk.hosts.environments import environment, overlay
from hermes_sdk.hosts.inspection import show
from hermes_sdk.manifest import ENTRY_POINT_GROUP, EntryPoint

RELEASES = ("0.19.0", "0.20.2", "0.22.2")

PLUGINS = (
    "a2a-dm-hermes==0.1.5",
    "acp-hermes==0.3.2",
    "agentchatme-hermes==0.2.311111",
    "agentguard-spend-hermes==0.4.1",
    "agentmetrics-hermes==0.2.2",
    "agento11y-hermes==0.21.0",
    "aicq-hermes==1.4.2",
    "aquaman-hermes==0.17.0",
    "atbash-hermes-plugin==0.10.0",
    "basemind-hermes-plugin==0.31.0",
    "camofox-web-search-hermes==0.0.6",
    "capsule-hermes==0.5.0",
    "clawhive-hermes-plugin==0.1.6",
    "colony-chat-hermes==0.3.1",
    "grix-hermes==1.0.7",
    "helloagent-hermes-plugin==0.1.2",
    "hermes-channel-agentclub==0.1.7",
    "hermes-chat-recorder==0.7.4",
    "hermes-delegate-routing==0.1.3",
    "hermes-hookdeck==1.0.1",
    "hermes-lansenger-adapter==2.9.17",
    "hermes-memra==4.5.0",
    "hermes-ollama-cloud==1.0.1",
    "hermes-plugin-otel-tracing==0.1.1",
    "hermes-plugin-pushary==0.9.2",
    "hermes-tweet==0.1.16",
    "hermes-voicebox==0.1.0",
    "hermes-yandex-disk==0.6.2",
    "hermes-yandex-mail==0.4.2",
    "latitude-telemetry-hermes==0.3.1",
    "noisegate-hermes==0.3.3",
    "openwolf-hermes==0.1.0",
    "opik-hermes==0.1.2",
    "rtk-hermes==1.2.3",
    "s2x5-agentim==1.0.0",
    "serpapi-hermes-plugin==1.1.1",
    "tabstack-hermes==0.0.1",
    "vaibot-hermes-circuitbreaker==0.2.0",
)

# Plugins that the embedded host does not support: this one patches the gateway and the scheduler of the host.
UNSUPPORTED = {"s2x5-agentim==1.0.0"}

# The process of the embedded host can only write to its home, and this plugin logs to its own directory.
WRITES_ELSEWHERE = {"hermes-plugin-otel-tracing==0.1.1"}


@pytest.mark.slow
@pytest.mark.real_host
@pytest.mark.parametrize("package", PLUGINS)
@pytest.mark.parametrize("release", RELEASES)
def test_hosts_agree_on_public_plugin(release: str, package: str, real_python, tally, monkeypatch) -> None:
    real_python(release)
    site = install_package(release, package)
    entry_point = find_entry_point(site)
    monkeypatch.setattr(sys, "path", [*sys.path, str(site)])
    real = partial(show, None, installed=entry_point, host="real", release=release, install=True)
    found = verdict(show(None, installed=entry_point, release=release), real)
    tally(f"published plugins on {release}", Counter([found.partition(":")[0]]))
    if package in WRITES_ELSEWHERE and re.search(r"\[Errno 13\] Permission denied|\[Errno 30\] Read-only file", found):
        return
    assert found == "equal" or (found == "unsupported" and package in UNSUPPORTED)


def install_package(release: str, package: str) -> Path:
    """Return a directory with a package and its requirements."""
    if environment(release).version != "{}.{}".format(*sys.version_info):
        pytest.skip("the real host runs on another Python, so its packages cannot be imported here")
    try:
        (site,) = overlay(release, [package], may_install=True)
    except UnavailableError as error:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(error.message)
    return site


def find_entry_point(site: Path) -> EntryPoint:
    """Return the only plugin in a site-packages directory."""
    (found,) = (
        one for dist in distributions(path=[str(site)]) for one in dist.entry_points.select(group=ENTRY_POINT_GROUP)
    )
    return EntryPoint(found.name, found.value)
