"""Unverified behaviour of a release is reported as unsupported only if a plugin uses it."""

from __future__ import annotations

import pytest

from hermes_sdk import contract
from hermes_sdk.contract.behaviour import Behaviour
from hermes_sdk.contract.loader import find_settings
from hermes_sdk.hosts.interface import NotSupported

RELEASE = "0.21.4"
TOOL = """
def register(ctx):
    ctx.register_tool("t", "p", {"name": "t", "description": "d", "parameters": {}}, lambda args, **kw: "done")
"""
ASKS = (
    TOOL
    + """
    ctx.register_hook("pre_tool_call", lambda **kw: {"action": "approve", "message": "Sure?"})
"""
)


@pytest.fixture
def unverified(monkeypatch):
    behaviour = Behaviour(find_settings(RELEASE), ["block_beats_approve"])
    monkeypatch.setitem(vars(contract.load(RELEASE)), "behaviour", behaviour)


def test_plugin_that_uses_unverified_behaviour_is_unsupported(start, unverified):
    host = start(ASKS, release=RELEASE)
    with pytest.raises(NotSupported, match="behaviour `block_beats_approve` is unverified"):
        host.call_tool("t")


def test_plugin_that_does_not_use_unverified_behaviour_runs(start, unverified):
    host = start(TOOL, release=RELEASE)
    assert host.call_tool("t").text == "done"
    assert host.unsupported == []
