"""Cases of portable plugins: a ``plugin.json``, skills and MCP servers (N16 to N18)."""

import json

from conformance.case import case, plugin

SCHEMA = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json"
SERVERS_SCHEMA = "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json"
NAMESPACE = "agent-plugin-p-148de9c5"


def portable(*skills, **fields):
    """Return the files of a portable plugin with these valid skills."""
    texts = {f"skills/{name}/SKILL.md": f"---\nname: {name}\ndescription: About {name}\n---\n{TEXT}" for name in skills}
    return {"plugin.json": json.dumps({"$schema": SCHEMA, "name": "p", **fields}), **texts}


TEXT = "In ${HERMES_SKILL_DIR} and ${PLUGIN_ROOT}.\n"
RAISING = {"__init__.py": "raise ValueError('imported')\n"}


@case(
    "N16",
    plugins={
        "p": {**portable("howto", version="1", description="d", author={"name": "Ada", "url": "u"}), **RAISING},
        "q": portable(name="q", more=1, extensions=5),
        "group/r": portable(name="r"),
        "both": {**portable(name="other"), **plugin(name="both")},
    },
    enable=["p", "q", "group/r", "both"],
)
def portable_plugins_load_next_to_ordinary_ones(host):
    return host.skills


@case("N16", plugins={"p": portable()}, enable=[])
def a_portable_plugin_must_be_enabled(host): ...


@case(
    "N16",
    plugins={
        "schema": {"plugin.json": "{}"},
        "json": {"plugin.json": "{"},
        "list": {"plugin.json": "[]"},
        "name": portable(name="A b"),
        "text": portable(version=1),
        "keywords": portable(keywords=[1]),
        "author": portable(author="Ada"),
        "field": portable(author={"nick": "a"}),
        "extensions": portable(extensions={"a": 1}),
    },
    enable=["p"],
)
def an_invalid_portable_manifest_is_not_a_plugin(host): ...


@case("N17", plugins={"p": portable("howto", "what")}, enable=["p"])
def a_portable_plugin_provides_a_skill(host):
    return [host.skill(f"{NAMESPACE}:{name}") for name in ("howto", "nothing")]


BAD = {
    "empty": "",
    "open": "---\nname: open\n",
    "text": "---\ntext\n---\n",
    "name": "---\nname: other\ndescription: d\n---\n",
    "described": "---\nname: described\n---\n",
    "license": "---\nname: license\ndescription: d\nlicense: 5\n---\n",
    "compatibility": "---\nname: compatibility\ndescription: d\ncompatibility: ''\n---\n",
    "metadata": "---\nname: metadata\ndescription: d\nmetadata: {a: 1}\n---\n",
    "tools": "---\nname: tools\ndescription: d\nallowed-tools: [a]\n---\n",
}


@case(
    "N17",
    plugins={"p": {**portable("good"), **{f"skills/{name}/SKILL.md": text for name, text in BAD.items()}}},
    enable=["p"],
)
def invalid_skills_of_a_portable_plugin_are_skipped(host):
    return host.skills


def with_servers(servers, **fields):
    """Return the files of a portable plugin with these MCP servers."""
    return {**portable(**fields), "mcp.json": json.dumps({"$schema": SERVERS_SCHEMA, "mcpServers": servers})}


STDIO = {"type": "stdio", "command": "serve"}
REMOTE = {"type": "streamable-http", "url": "https://example.org/mcp"}


def list_data(host):
    return sorted(place.relative_to(host.home).as_posix() for place in (host.home / "plugin-data").rglob("*"))


@case(
    "N18",
    plugins={
        "p": {
            **portable("howto", more=1),
            **with_servers(
                {
                    "My Notes": {**STDIO, "command": "./run", "args": ["${PLUGIN_ROOT}"], "env": {"A": "b"}},
                    "data": {**STDIO, "cwd": "${PLUGIN_DATA}/one/../two"},
                    "root": {**STDIO, "cwd": "./a/../b"},
                    "remote": {**REMOTE, "headers": {"X-Key": "k"}},
                    "up": {**STDIO, "command": "./a/../../run"},
                    "outside": {**STDIO, "cwd": "${PLUGIN_DATA}/.."},
                    "nested": {**STDIO, "cwd": "./${PLUGIN_DATA}"},
                    "sse": {"type": "sse", "url": "https://example.org"},
                    "sses": {"type": "sse", "uri": "https://example.org"},
                    "": STDIO,
                    "list": [],
                },
                more=1,
            ),
        },
        "off": with_servers({"off": STDIO}, name="off"),
    },
    enable=["p"],
)
def a_portable_plugin_provides_mcp_servers(host):
    return list_data(host)


@case("N18", plugins={"p": with_servers({"remote": REMOTE})}, enable=["p"])
def a_remote_server_of_a_portable_plugin_needs_no_directory(host):
    return list_data(host)


@case(
    "N18",
    plugins={
        "p": with_servers({"notes": STDIO, "Notes": STDIO}),
        "q": with_servers({"notes": STDIO, "more": STDIO}, name="q"),
    },
    enable=["p", "q"],
)
def two_plugins_share_the_name_of_a_server(host): ...


@case(
    "N18",
    plugins={
        name: {**portable(name=name), "mcp.json": text}
        for name, text in {
            "json": "{",
            "list": "[]",
            "shape": "{}",
            "schema": '{"$schema": "x", "mcpServers": {}}',
            "servers": json.dumps({"$schema": SERVERS_SCHEMA, "mcpServers": []}),
        }.items()
    },
    enable=["json", "list", "shape", "schema", "servers"],
)
def invalid_server_files_are_skipped(host): ...


@case(
    "N18",
    plugins={"p": with_servers({"notes": STDIO, "remote": REMOTE})},
    enable=["p"],
    files={"plugin-data": ""},
)
def a_server_without_a_data_directory_is_skipped(host): ...
