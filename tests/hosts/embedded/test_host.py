"""Guarantees of the embedded host for tests; `tests/conformance` proves its behaviour as a model of Hermes."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hermes_sdk.errors import HermesSdkError, UsageError
from hermes_sdk.home import Home
from hermes_sdk.hosts.embedded.host import EmbeddedHost
from hermes_sdk.hosts.embedded.process.plugin_code import LogCapture
from hermes_sdk.hosts.in_worker.recording import Recording
from hermes_sdk.hosts.interface import HostExited
from hermes_sdk.manifest import EntryPoint

USES: dict[str, Callable[[EmbeddedHost], Any]] = {
    "plugins": lambda host: host.plugins,
    "tools": lambda host: host.tools,
    "hooks": lambda host: host.hooks,
    "commands": lambda host: host.commands,
    "cli_commands": lambda host: host.cli_commands,
    "skills": lambda host: host.skills,
    "definitions": lambda host: host.definitions(),
    "call_tool": lambda host: host.call_tool("t"),
    "fire": lambda host: host.fire("post_tool_call"),
    "command": lambda host: host.command("/new"),
    "cli": lambda host: host.cli("c"),
    "skill": lambda host: host.skill("p:s"),
    "report": lambda host: host.report(),
    "rescan": lambda host: host.rescan(),
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_inactive_host_raises(use: Callable[[EmbeddedHost], Any], start) -> None:
    host = start()
    with start(), pytest.raises(HermesSdkError, match="inactive: another host was opened after it") as caught:
        use(host)
    assert caught.value.fix
    use(host)
    host.close()
    with pytest.raises(HermesSdkError, match="This host is closed"):
        use(host)


def test_observations_can_be_read_after_close(start) -> None:
    host = start("""
        def register(ctx):
            raise ValueError("no")
    """)
    host.close()
    host.close()
    assert [one.error for one in host.swallowed] == ["ValueError: no"]
    assert host.log[0].message == "Failed to load plugin 'p': no"


def test_managed_scope_of_machine_is_ignored(monkeypatch: pytest.MonkeyPatch, start, tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("plugins: {enabled: []}\n")
    monkeypatch.setenv("HERMES_MANAGED_DIR", str(tmp_path))
    assert start().report()["status"] == "loaded"
    assert start(environment={"HERMES_MANAGED_DIR": str(tmp_path)}).report()["status"] == "skipped"


def test_each_host_executes_plugin_again(start) -> None:
    body = """
        from . import state
        from .state import COUNT
        def register(ctx):
            COUNT.append(1)
            ctx.register_command("count", lambda line: str(len(COUNT)))
    """
    home = Home(start(body, files={"state.py": "COUNT = []\n"}).home)
    for _ in range(3):
        with EmbeddedHost(home) as host:
            assert host.command("/count") == "1"


def test_rescan_executes_main_module_again(start) -> None:
    host = start("""
        calls = []
        def register(ctx):
            calls.append(1)
            ctx.register_command("count", lambda line: str(len(calls)))
    """)
    host.rescan()
    assert host.command("/count") == "1"


def test_fire_completes_omitted_arguments(start) -> None:
    host = start("""
        def register(ctx):
            ctx.register_hook("post_tool_call", lambda tool_name, result, **more: (tool_name, result))
    """)
    assert host.fire("post_tool_call", result="mine") == [("tool_name", "mine")]


def test_log_contains_levels_from_info(start) -> None:
    host = start("""
        import logging
        def register(ctx):
            log = logging.getLogger("mine")
            log.debug("too low")
            log.info("taken %d of %s", 1, "two")
    """)
    assert [(one.level, one.message) for one in host.log if one.logger == "mine"] == [("INFO", "taken 1 of two")]


def test_unformattable_message_is_logged_unchanged() -> None:
    capture = LogCapture(Recording())
    capture.emit(logging.LogRecord("mine", logging.WARNING, __file__, 1, "%d", ("no number",), None))
    assert [one.message for one in capture.records] == ["%d"]


def test_nested_hosts_have_separate_logs(start) -> None:
    outer = start()
    before = outer.log
    with start() as inner:
        logging.getLogger("other").warning("inside")
    assert outer.log == before
    assert "inside" in [one.message for one in inner.log]


def test_swallowed_exceptions_are_expected_by_pattern(start) -> None:
    host = start("""
        def register(ctx):
            def spoil(**arguments):
                raise KeyError("lost")
            ctx.register_hook("post_tool_call", spoil)
            ctx.register_command("spoil", lambda line: spoil())
    """)
    host.fire("post_tool_call")
    host.command("/spoil")
    assert [(one.where, one.error) for one in host.unexpected()] == [
        ("hook post_tool_call", "KeyError: 'lost'"),
        ("command /spoil", "KeyError: 'lost'"),
    ]
    assert 'raise KeyError("lost")' in host.swallowed[0].traceback
    host.expect_swallowed(match="^hook .*KeyError")
    host.expect_swallowed(match="TypeError")
    assert [one.where for one in host.unexpected()] == ["command /spoil"]
    assert host.unmet() == ["TypeError"]


def test_traceback_of_swallowed_exception_begins_in_plugin(start) -> None:
    host = start("""
        def register(ctx):
            ctx.register_hook("post_tool_call", lambda **arguments: 1 / 0)
            ctx.register_hook("pre_tool_call", lambda: None)
    """)
    host.fire("post_tool_call")
    host.fire("pre_tool_call")
    within, before = (one.traceback for one in host.swallowed)
    assert within.splitlines()[1].endswith('/plugins/p/__init__.py", line 3, in <lambda>')
    assert "hooks.py" in before


def test_report_is_about_requested_plugin(start) -> None:
    host = start(entry_points=[EntryPoint("other", "nowhere")])
    assert host.report("p")["plugin"]["path"] == "plugins/p"
    with pytest.raises(UsageError, match="not have exactly one plugin") as caught:
        host.report()
    assert caught.value.fix == "Pass one of: other, p."
    with pytest.raises(UsageError, match="no plugin 'q'"):
        host.report("q")


def test_unknown_release_is_rejected_before_changes(start) -> None:
    with pytest.raises(UsageError, match=r"'9\.9'"):
        start(release="9.9")


@pytest.mark.parametrize("place", ["import", "register"])
def test_sys_exit_of_plugin_ends_host_with_status(place: str, start) -> None:
    exits = "import sys; sys.exit(5)"
    body = {"import": exits, "register": f"def register(ctx):\n    {exits}\n"}
    with pytest.raises(HostExited, match=r"plugin 'p' ended the host with exit status 5\.") as caught:
        start(body[place])
    assert caught.value.status == 5


def test_plugin_has_environment_and_directory_of_host(start, tmp_path: Path) -> None:
    body = """
        import os
        seen = os.getcwd(), os.environ["GIVEN"], os.environ["FROM_FILE"], os.environ["HERMES_HOME"]
        def register(ctx):
            ctx.register_command("seen", lambda line: "|".join(seen))
    """
    with Home.temporary() as home:
        home.set_env("FROM_FILE", "file")
        (home.plugins_dir / "p").mkdir()
        (home.plugins_dir / "p" / "plugin.yaml").write_text("name: p\n")
        (home.plugins_dir / "p" / "__init__.py").write_text(body.replace("\n        ", "\n"))
        home.enable("p")
        with EmbeddedHost(home, cwd=tmp_path, environment={"GIVEN": "given", "FROM_FILE": "given"}) as host:
            assert host.command("/seen") == f"{tmp_path}|given|file|{home.path}"
