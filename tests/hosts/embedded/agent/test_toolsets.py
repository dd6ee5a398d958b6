"""Toolsets of Hermes whose tools the embedded host does not have."""

import pytest

from hermes_sdk.home import Home
from hermes_sdk.hosts import open_host
from hermes_sdk.hosts.interface import NotSupported

PLUGIN = """
def register(ctx):
    schema = {"name": "mine", "description": "d", "parameters": {"type": "object", "properties": {}}}
    ctx.register_tool("mine", TOOLSET, schema, lambda args, **kwargs: "{}")
"""


def chat(toolset, **config):
    """What a model is offered when a plugin has a tool in a toolset, and what was refused."""
    with Home.temporary() as home:
        folder = home.path / "plugins" / "p"
        folder.mkdir(parents=True)
        (folder / "plugin.yaml").write_text("name: p\n", encoding="utf-8")
        (folder / "__init__.py").write_text(f"TOOLSET = {toolset!r}\n{PLUGIN}", encoding="utf-8")
        home.update_config({"plugins": {"enabled": ["p"]}, **config})
        with open_host("embedded", "0.19.0", home) as host:
            host.llm.script("done")
            try:
                host.chat("hello")
            finally:
                refused = [one.what for one in host.unsupported]
            return host.llm.requests[0].tools, refused


@pytest.mark.parametrize(
    ("toolset", "lacking"),
    [
        ("browser", "browser_back"),
        ("hermes-cli", "browser_back"),
        ("coding", "browser_back"),
        ("safe", "vision_analyze"),
        ("computer_use", "computer_use"),
    ],
)
def test_a_toolset_with_tools_that_are_not_modelled_is_refused(toolset, lacking):
    with pytest.raises(NotSupported, match=f"'{toolset}', which holds the built-in tool '{lacking}'"):
        chat(toolset)


def test_what_is_not_modelled_may_be_switched_off():
    config = {"agent": {"disabled_toolsets": ["browser", "computer_use", "vision"]}}
    offered, refused = chat("hermes-cli", **config)
    assert {"mine", "terminal", "read_file", "execute_code"} <= set(offered)
    assert refused == []
