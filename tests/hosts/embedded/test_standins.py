"""The stand-ins for modules of the host: who finds them, how long they are there, and what they leave behind."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from hermes_sdk.hosts.embedded.shims.lent import lent

ASKS = """
    from hermes_cli.plugins import VALID_HOOKS, get_plugin_manager
    def register(ctx):
        ctx.register_command("hooks", lambda line: str(sorted(VALID_HOOKS)))
        ctx.register_command("module", lambda line: get_plugin_manager.__module__)
"""


def test_a_plugin_imports_a_module_of_the_host(start) -> None:
    host = start(ASKS)
    assert host.report()["status"] == "loaded"
    assert "pre_verify" in str(host.command("/hooks"))
    assert host.command("/module") == "hermes_cli.plugins"


def test_a_stand_in_is_that_of_the_release(start) -> None:
    assert "pre_verify" not in str(start(ASKS, release="0.13.0").command("/hooks"))


def test_a_module_that_the_release_lacks_has_no_stand_in(start) -> None:
    report = start("import agent.no_such_module\ndef register(ctx): pass\n").report()
    assert report["error"] == "No module named 'agent.no_such_module'"


def test_a_test_may_import_stand_ins_while_a_host_is_open(start) -> None:
    host = start()
    from hermes_cli.plugins import get_plugin_manager  # type: ignore[import-not-found]

    assert [one["key"] for one in get_plugin_manager().list_plugins()] == host.plugins


def test_stand_ins_go_with_their_host(start) -> None:
    host = start(ASKS)
    assert "hermes_cli.plugins" in sys.modules
    host.close()
    assert not {name for name in sys.modules if name.partition(".")[0] == "hermes_cli"}
    with pytest.raises(ModuleNotFoundError):
        import hermes_cli  # noqa: F401


def test_each_of_two_hosts_has_its_own(start) -> None:
    outer = start(ASKS)
    from_outer = sys.modules["hermes_cli.plugins"]
    inner = start(ASKS, release="0.13.0")
    assert sys.modules["hermes_cli.plugins"] is not from_outer
    inner.close()
    assert sys.modules["hermes_cli.plugins"] is from_outer
    assert "pre_verify" in str(outer.command("/hooks"))


def test_a_module_of_the_same_name_is_set_aside_while_a_host_is_open(start, monkeypatch: pytest.MonkeyPatch) -> None:
    own = ModuleType("hermes_cli")
    monkeypatch.setitem(sys.modules, "hermes_cli", own)
    host = start(
        "import hermes_cli\ndef register(ctx): ctx.register_command('which', lambda line: hermes_cli.__version__)\n"
    )
    assert host.command("/which") == "0.19.0"
    host.close()
    assert sys.modules["hermes_cli"] is own


def test_a_stand_in_is_of_no_use_outside_a_host() -> None:
    with pytest.raises(ImportError, match="only there while an embedded host is open"):
        lent(None)
