"""Observers of a host: import hooks, and recorders of plugins' HTTP requests."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from traces.http_service import serve

from hermes_sdk.home import Home
from hermes_sdk.hosts.in_worker.after_import import AfterImport
from hermes_sdk.hosts.interface import HostKind
from hermes_sdk.hosts.staging import StagedHome
from hermes_sdk.manifest import locate

PLUGIN = """
import json


def look_up(args, **more):
    import httpx

    return json.dumps(httpx.get(args["url"]).text)


def register(ctx):
    ctx.register_tool("look_up", "notes", {"name": "look_up", "description": "Looks."}, look_up)
"""


def test_module_is_observed_after_search_without_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "observed_module.py").write_text("value = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    seen: list[int] = []
    finder = AfterImport({"observed_module": lambda module: seen.append(module.value)})
    monkeypatch.setattr(sys, "meta_path", [finder, *sys.meta_path])
    assert importlib.util.find_spec("observed_module")
    assert seen == []
    importlib.import_module("observed_module")
    monkeypatch.delitem(sys.modules, "observed_module")
    importlib.import_module("observed_module")
    monkeypatch.delitem(sys.modules, "observed_module")
    assert seen == [1]


@pytest.mark.parametrize("kind", ["embedded", pytest.param("real", marks=pytest.mark.real_host)])
def test_last_observer_of_http_requests_replaces_others(
    kind: HostKind, tmp_path: Path, real_python: Callable[[str], Path]
) -> None:
    if kind == "real":
        real_python("0.19.0")
    source = tmp_path / "p"
    source.mkdir()
    (source / "plugin.yaml").write_text("name: p\n")
    (source / "__init__.py").write_text(PLUGIN)
    staged = StagedHome(Home(tmp_path / "home"), kind, "0.19.0")
    staged.add(locate(source))
    with serve() as service, staged.open(record=True) as host:
        host.observe_http([{"method": "GET", "url": f"{service.url}/tea", "status": 200, "body": "from the recording"}])
        host.observe_http()
        host.observe_http()
        assert host.call_tool("look_up", {"url": f"{service.url}/tea"}).json != "from the recording"
        assert service.requests == ["GET /tea"]
        assert host.http_problems() == []
        assert len([event for event in host.events if event["kind"] == "http_request"]) == 1
