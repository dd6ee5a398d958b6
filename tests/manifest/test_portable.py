"""Portable plugins, and the MCP servers that the host skips."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from hermes_sdk.errors import UsageError
from hermes_sdk.home import Home
from hermes_sdk.hosts import open_host
from hermes_sdk.manifest import locate
from hermes_sdk.manifest.portable import SCHEMA, SERVERS_SCHEMA, Server, find_servers

STDIO = {"type": "stdio", "command": "serve"}
REMOTE = {"type": "streamable-http", "url": "https://example.org/mcp"}

SERVERS = {
    "good": {**STDIO, "args": ["--root", "${PLUGIN_ROOT}"], "env": {"A": "b"}, "cwd": "${PLUGIN_DATA}/x"},
    "remote": {**REMOTE, "headers": {"X-Key": "k"}},
    "local": {**REMOTE, "url": "http://127.0.0.1:8000/mcp"},
    "sse": {"type": "sse", "url": "https://example.org"},
    "kind": {"type": "websocket"},
    "list": [],
    "field": {**STDIO, "shell": True},
    "empty": {**STDIO, "command": ""},
    "words": {**STDIO, "command": "python serve.py"},
    "absolute": {**STDIO, "command": "/usr/bin/serve"},
    "escape": {**STDIO, "command": "./../serve"},
    "args": {**STDIO, "args": "a"},
    "env": {**STDIO, "env": {"A": 1}},
    "reserved": {**STDIO, "env": {"PLUGIN_ROOT": "x"}},
    "cwd": {**STDIO, "cwd": 5},
    "outside": {**STDIO, "cwd": "/tmp"},
    "up": {**STDIO, "cwd": "./../.."},
    "extra": {**REMOTE, "cwd": "./a"},
    "nowhere": {"type": "streamable-http"},
    "scheme": {**REMOTE, "url": "ftp://example.org"},
    "user": {**REMOTE, "url": "https://a:b@example.org"},
    "fragment": {**REMOTE, "url": "https://example.org/#a"},
    "host": {**REMOTE, "url": "https:///mcp"},
    "plain": {**REMOTE, "url": "http://example.org"},
    "header": {**REMOTE, "headers": {"a b": "c"}},
    "twice": {**REMOTE, "headers": {"A": "b", "a": "c"}},
    "line": {**REMOTE, "headers": {"A": "b\nc"}},
}


def make(directory: Path, servers: object = None, **fields: object) -> Path:
    directory.mkdir(parents=True)
    (directory / "plugin.json").write_text(json.dumps({"$schema": SCHEMA, "name": "p", **fields}))
    if servers is not None:
        (directory / "mcp.json").write_text(json.dumps({"$schema": SERVERS_SCHEMA, "mcpServers": servers}))
    return directory


def test_portable_plugin_is_found_by_directory_manifest_and_project(tmp_path: Path) -> None:
    plugin = make(tmp_path / "project" / "p")
    (tmp_path / "project" / "pyproject.toml").write_text("[tool.hermes-sdk]\nplugin = 'p'\n")
    for path in (plugin, plugin / "plugin.json", tmp_path / "project"):
        located = locate(path)
        assert (located.directory, located.portable, located.manifest) == (plugin, plugin / "plugin.json", None)


def test_plugin_json_of_another_tool_is_not_a_plugin(tmp_path: Path) -> None:
    (tmp_path / "plugin.json").write_text('{"name": "p"}')
    with pytest.raises(UsageError, match=r"no plugin\.yaml"):
        locate(tmp_path)


def test_plugin_yaml_takes_precedence_over_plugin_json(tmp_path: Path) -> None:
    plugin = make(tmp_path / "p")
    (plugin / "plugin.yaml").write_text("name: p\n")
    assert locate(plugin).portable is None


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[]", "mcp.json must contain a JSON object"),
        ("{}", "mcp.json has an invalid top-level shape"),
        ('{"$schema": "x", "mcpServers": {}}', "mcp.json declares an unsupported schema"),
        (json.dumps({"$schema": SERVERS_SCHEMA, "mcpServers": []}), "mcpServers must be an object"),
    ],
)
def test_invalid_mcp_json_is_skipped(tmp_path: Path, text: str, problem: str) -> None:
    (make(tmp_path / "p") / "mcp.json").write_text(text)
    assert list(find_servers(tmp_path / "p", tmp_path / "data")) == [Server(None, problem)]


@pytest.mark.real_host
@pytest.mark.parametrize("release", ["0.20.2", "0.22.2"])
def test_real_host_skips_the_same_servers_for_the_same_reasons(
    release: str, real_python: Callable[[str], Path]
) -> None:
    real_python(release)
    with Home.temporary() as home:
        plugin = make(home.plugins_dir / "p", SERVERS)
        home.enable("p")
        with open_host("real", release, home) as host:
            begin = "Agent Plugin 'p' [mcp:"
            logged = [one.message.removeprefix(begin) for one in host.log if one.message.startswith(begin)]
        found = find_servers(plugin, home.path / "data")
        assert [f"{name}]: {problem}" for name, problem, _ in found if problem] == logged
        assert len(logged) == len(SERVERS) - 3
