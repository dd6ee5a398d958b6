"""Toolsets of Hermes with tools that the embedded host does not model."""

import pytest

from hermes_sdk.home import Home
from hermes_sdk.hosts import open_host
from hermes_sdk.hosts.interface import NotSupported
from hermes_sdk.llm import call

PLUGIN = """
def register(ctx):
    schema = {"name": "mine", "description": "d", "parameters": {"type": "object", "properties": {}}}
    ctx.register_tool("mine", TOOLSET, schema, lambda args, **kwargs: "{}")
"""


def chat(toolset, answers=("done",), **config):
    """Return the offered tools for a plugin with a tool in a toolset, and the unsupported uses."""
    with Home.temporary() as home:
        folder = home.path / "plugins" / "p"
        folder.mkdir(parents=True)
        (folder / "plugin.yaml").write_text("name: p\n", encoding="utf-8")
        (folder / "__init__.py").write_text(f"TOOLSET = {toolset!r}\n{PLUGIN}", encoding="utf-8")
        home.update_config({"plugins": {"enabled": ["p"]}, **config})
        with open_host("embedded", "0.19.0", home) as host:
            host.llm.script(*answers)
            try:
                host.chat("hello")
            finally:
                refused = [one.what for one in host.unsupported]
            return host.llm.requests[0].tools, refused


@pytest.mark.parametrize(
    ("toolset", "config", "lacking"),
    [
        ("browser", {"browser": {"cloud_provider": "browserbase"}}, "browser_back"),
        ("hermes-cli", {"browser": {"engine": "lightpanda"}}, "browser_back"),
        ("safe", {"auxiliary": {"vision": {"provider": "openrouter"}}}, "vision_analyze"),
        ("safe", {"model": {"supports_vision": False}}, "vision_analyze"),
        ("computer_use", {"computer_use": {"backend": "other"}}, "computer_use"),
    ],
)
def test_toolset_with_external_requirements_is_not_supported(toolset, config, lacking):
    with pytest.raises(NotSupported, match=f"'{toolset}', which contains the built-in tool '{lacking}'"):
        chat(toolset, **config)


@pytest.mark.parametrize("variable", ["BROWSER_CDP_URL", "CAMOFOX_URL", "AGENT_BROWSER_EXECUTABLE_PATH"])
def test_variable_that_selects_other_browser_is_not_supported(variable, monkeypatch):
    monkeypatch.setenv(variable, "x")
    with pytest.raises(NotSupported, match="'browser', which contains the built-in tool 'browser_back'"):
        chat("browser")


def test_browser_without_driver_is_not_supported(monkeypatch, tmp_path):
    (tmp_path / "chromium").touch(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NotSupported, match="'browser', which contains the built-in tool 'browser_back'"):
        chat("browser")


def test_call_of_unmodelled_tool_is_not_supported(monkeypatch, tmp_path):
    for program in ("chromium", "npx"):
        (tmp_path / program).touch(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NotSupported, match="run the built-in tool 'browser_navigate'"):
        chat("browser", answers=[call("browser_navigate", url="https://example.org"), "done"])


def test_unmodelled_toolset_can_be_disabled():
    config = {"agent": {"disabled_toolsets": ["browser", "computer_use", "vision"]}}
    offered, refused = chat("hermes-cli", **config)
    assert {"mine", "terminal", "read_file", "execute_code"} <= set(offered)
    assert refused == []
