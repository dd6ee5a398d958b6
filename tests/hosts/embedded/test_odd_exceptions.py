"""Unusual exceptions of plugins."""

import pytest

from hermes_sdk.errors import HermesSdkError
from hermes_sdk.home import Home
from hermes_sdk.hosts import open_host
from hermes_sdk.hosts.interface import NotSupported

MUTE = """
class Mute(Exception):
    def __str__(self):
        raise RuntimeError("no text")

def fail(**kwargs):
    raise Mute

def register(ctx):
    ctx.register_hook("pre_llm_call", fail)
"""

CANCELLED = """
import asyncio

def fail(**kwargs):
    raise asyncio.CancelledError

def register(ctx):
    ctx.register_hook("pre_llm_call", fail)
"""


def chat(body, release="0.19.0"):
    """Return the reply of a model in a home with this plugin, and the swallowed exceptions."""
    with Home.temporary() as home:
        folder = home.path / "plugins" / "p"
        folder.mkdir(parents=True)
        (folder / "plugin.yaml").write_text("name: p\n", encoding="utf-8")
        (folder / "__init__.py").write_text(body, encoding="utf-8")
        home.update_config({"plugins": {"enabled": ["p"]}})
        with open_host("embedded", release, home) as host:
            host.llm.script("done")
            return host.chat("hello").reply, [(one.where, one.error) for one in host.swallowed]


def test_exception_without_text_is_swallowed():
    assert chat(MUTE) == ("done", [("hook pre_llm_call", "Mute: ")])


def test_exception_without_text_is_not_supported_when_failures_are_logged_once():
    with pytest.raises(NotSupported, match="whose __str__ fails"):
        chat(MUTE, "0.22.2")


def test_cancelled_callback_ends_only_turn():
    with pytest.raises(HermesSdkError, match="the turn: the host failed with CancelledError"):
        chat(CANCELLED)
