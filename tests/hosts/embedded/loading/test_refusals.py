"""Plugins that the embedded host does not support at load time."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from hosts.embedded.conftest import Start

from hermes_sdk.home import Home
from hermes_sdk.hosts.embedded.host import EmbeddedHost
from hermes_sdk.hosts.interface import NotSupported

SCHEMA = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json"
PORTABLE = f'{{"$schema": "{SCHEMA}", "name": "p"}}'
SERVERS = json.dumps(
    {
        "$schema": "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json",
        "mcpServers": {"notes": {"type": "stdio", "command": "serve"}},
    }
)
CALLER = """\
def register(ctx):
    ctx.register_command("ask", lambda args: str(ctx.call_mcp("notes", "read")))
"""


@pytest.fixture
def place(tmp_path: Path) -> Callable[..., Home]:
    """Return a function that creates a home with one enabled plugin with these files."""

    def make(**files: str) -> Home:
        folder = tmp_path / "plugins" / "p"
        folder.mkdir(parents=True)
        for name, text in files.items():
            (folder / name.replace("_json", ".json").replace("_yaml", ".yaml")).write_text(text, encoding="utf-8")
        home = Home(tmp_path)
        home.enable("p")
        return home

    return make


@pytest.mark.parametrize("setting", ["host", " HOST "])
def test_isolated_plugins_are_not_supported(setting: str, place: Callable[..., Home]) -> None:
    home = place(plugin_yaml="name: p\n")
    home.update_config({"plugins": {"isolation": setting}})
    with pytest.raises(NotSupported, match=r"plugins\.isolation: host"):
        EmbeddedHost(home, "0.22.2")
    EmbeddedHost(home, "0.20.2").close()


def test_servers_of_portable_plugin_are_not_started(place: Callable[..., Home]) -> None:
    home = place(plugin_json=PORTABLE, mcp_json=SERVERS)
    with closing(EmbeddedHost(home, "0.22.2")) as host:
        report = host.report("p")
        assert (report["status"], report["mcp_servers"]) == ("loaded", ["notes"])
        host.llm.script("one")
        with pytest.raises(NotSupported, match="start the MCP servers of portable plugins: notes"):
            host.chat("hello")


def test_calls_of_portable_plugin_server_are_not_supported(place: Callable[..., Home]) -> None:
    home = place(plugin_json=PORTABLE, mcp_json=SERVERS)
    caller = home.plugins_dir / "q"
    caller.mkdir()
    (caller / "plugin.yaml").write_text("name: q\n", encoding="utf-8")
    (caller / "__init__.py").write_text(CALLER, encoding="utf-8")
    home.enable("q")
    home.update_config({"plugins": {"entries": {"q": {"mcp_allowlist": ["notes"]}}}})
    with closing(EmbeddedHost(home, "0.22.2")) as host:
        host.command("/ask")
        assert [one.what for one in host.unsupported] == ["call the MCP server notes"]


def test_server_options_of_portable_plugin_are_not_supported(place: Callable[..., Home]) -> None:
    declared = {"com.nousresearch.hermes": {"servers": {"notes": {"trust": "untrusted"}}}}
    home = place(plugin_json=json.dumps({**json.loads(PORTABLE), "extensions": declared}), mcp_json=SERVERS)
    with pytest.raises(NotSupported, match="declares of its MCP servers"):
        EmbeddedHost(home, "0.22.2")
    EmbeddedHost(home, "0.20.2").close()


def test_builtin_platforms_are_not_supported(place: Callable[..., Home], tmp_path: Path) -> None:
    home = place(plugin_yaml="name: p\n")
    platform = tmp_path / "own" / "platforms" / "chat"
    platform.mkdir(parents=True)
    (platform / "plugin.yaml").write_text("name: chat-platform\nkind: platform\n", encoding="utf-8")
    own = {"HERMES_BUNDLED_PLUGINS": str(tmp_path / "own")}
    with pytest.raises(NotSupported, match="load the bundled platform 'chat-platform'"):
        EmbeddedHost(home, "0.22.2", environment=own)
    home.update_config({"plugins": {"disabled": ["chat-platform"]}})
    EmbeddedHost(home, "0.22.2", environment=own).close()


def test_plugins_of_installed_host_are_ignored(
    place: Callable[..., Home], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = place(plugin_yaml="name: p\n")
    (tmp_path / "own" / "q").mkdir(parents=True)
    (tmp_path / "own" / "q" / "plugin.yaml").write_text("name: q\n", encoding="utf-8")
    monkeypatch.setenv("HERMES_BUNDLED_PLUGINS", str(tmp_path / "own"))
    host = EmbeddedHost(home, "0.22.2")
    assert host.plugins == ["p"]
    host.close()


@pytest.mark.parametrize("release", ["0.20.2", "0.22.2"])
def test_failed_discovery_is_not_repeated(start: Start, release: str) -> None:
    host = start(manifest="name: [p]\n", release=release)
    host.llm.script("one")
    for use in (lambda: host.chat("hello"), lambda: host.call_tool("todo"), lambda: host.fire("on_session_start")):
        with pytest.raises(NotSupported, match="repeat a discovery of plugins that failed"):
            use()


def test_earlier_hosts_continue_after_failed_discovery(start: Start) -> None:
    host = start(manifest="name: [p]\n", release="0.19.0")
    host.llm.script("one")
    assert host.chat("hello").reply == "one"
