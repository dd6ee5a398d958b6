"""Delegated tasks that this host does not support."""

from __future__ import annotations

import pytest
from hosts.embedded.conftest import Start

from hermes_sdk.home import Home
from hermes_sdk.hosts.interface import NotSupported
from hermes_sdk.llm import call, say

PLUGIN = """
def register(ctx):
    schema = {"name": "note", "description": "d", "parameters": {"type": "object", "properties": {}}}
    ctx.register_tool("note", "%s", schema, lambda args, **kwargs: "{}")
"""


@pytest.mark.parametrize("release", ["0.19.0", "0.22.2"])
def test_tool_in_toolset_that_children_lack_is_not_supported(start: Start, release: str) -> None:
    host = start(PLUGIN % "clarify", release=release)
    Home(host.home).update_config({"platform_toolsets": {"cli": ["clarify", "delegation"]}})
    host.llm.script(call("delegate_task", goal="look"), "found", "done")
    with pytest.raises(NotSupported, match="the tool 'note' of a plugin in the toolset 'clarify'"):
        host.chat("first question")


def test_tool_in_separate_toolset_is_offered_to_children(start: Start) -> None:
    host = start(PLUGIN % "notes", release="0.19.0")
    Home(host.home).update_config({"platform_toolsets": {"cli": ["notes", "delegation"]}})
    host.llm.script(call("delegate_task", goal="look"), "found", "done")
    host.chat("first question")
    assert ["note" in request.tools for request in host.llm.requests] == [True] * 3


def test_turn_that_continues_during_delegated_task_is_not_supported(start: Start) -> None:
    host = start(release="0.19.0")
    Home(host.home).update_config({"platform_toolsets": {"cli": ["todo", "delegation"]}})
    host.llm.script(call("delegate_task", goal="look"), say("on its way"), say("found"))
    assert host.chat("first question").reply == "on its way"
    host.llm.script(call("delegate_task", goal="look"), call("todo"), say("found"), say("done"))
    with pytest.raises(NotSupported, match="go on with a turn while a task that it delegated runs"):
        host.chat("second question")
