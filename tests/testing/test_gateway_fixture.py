"""The fixture ``hermes_gateway`` for authors of platforms: outcomes and messages of tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

ECHO = Path(__file__).parents[1] / "conformance" / "scenarios" / "plugins" / "echo"
HEAD = f"""
import pytest
from hermes_sdk.testing import say
pytestmark = pytest.mark.hermes(plugin={str(ECHO)!r})
"""

Run = Callable[..., pytest.RunResult]


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a function that runs tests in a project with the platform ``echo``."""
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)

    def run(tests: str, *options: str) -> pytest.RunResult:
        pytester.makepyfile(test_it=HEAD + dedent(tests))
        without = ("cacheprovider", "xdist", "hypothesispytest")
        return pytester.runpytest_inprocess(
            *(word for name in without for word in ("-p", f"no:{name}")), "--strict-markers", "-W", "error", *options
        )

    return run


PASSES = """
    def test_echo(hermes_gateway):
        chat = hermes_gateway.dm(user="u1")
        hermes_gateway.llm.script(say("hello back"), say("to all"))
        assert [one.text for one in chat.receives("hello")][-1] == "hello back"
        group = hermes_gateway.group("g1", user="u2")
        group.receives("hello all")
        assert (chat.sent[-1].text, group.sent[-1].text, group.sent[-1].reply_to) == ("hello back", "to all", "m2")
        assert hermes_gateway.platforms == ["echo"]

    @pytest.mark.hermes(env={"ECHO_ALLOWED_USERS": "u1"})
    def test_a_stranger(hermes_gateway):
        assert "pairing code" in hermes_gateway.dm("u2").receives("hello")[0].text

    @pytest.mark.hermes(env={"GATEWAY_ALLOW_ALL_USERS": "false"})
    def test_nobody(hermes_gateway):
        assert "pairing code" in hermes_gateway.dm("u1").receives("hello")[0].text

    @pytest.mark.hermes(toolsets=["terminal"], config={"approvals": {"mode": "manual"}})
    def test_an_approval(hermes_gateway):
        from hermes_sdk.testing import call
        hermes_gateway.llm.script(call("terminal", command="rm -rf ./nothing-here"), say("removed"))
        chat = hermes_gateway.dm()
        chat.receives("remove it", until="/approve")
        assert chat.receives("/approve")[-1].text == "removed"

    def test_a_turn_is_stopped(hermes_gateway):
        from hermes_sdk.testing import interrupt
        chat = hermes_gateway.dm()
        def stop(request):
            chat.says("/stop")
            return interrupt()
        hermes_gateway.llm.script(stop)
        assert "Stopped" in chat.receives("hello")[-1].text
"""


def test_messages_of_users_are_answered(run: Run) -> None:
    run(PASSES).assert_outcomes(passed=5)


@pytest.mark.real_host
def test_real_gateway_gives_the_same_answers(run: Run, real_python: Callable[[str], Path]) -> None:
    real_python("0.19.0")
    run(PASSES, "--hermes-host=real", "--hermes-release=0.19.0").assert_outcomes(passed=5)


@pytest.mark.parametrize(
    ("test", "why"),
    [
        ("chat.receives('hello')", "Add another answer to hermes_gateway.llm.script(…)."),
        (
            "hermes_gateway.llm.script('a', 'b'); chat.receives('hello')",
            "The main script has unused answers:*",
        ),
        (
            "chat.receives('hello', until='never', time_limit=0.2)",
            "*No message with 'never' was sent to u1 within 0.2 s.*",
        ),
        ("hermes_gateway.llm.script(wait); chat.says('hello')", "These chats are still busy after 1 s: *u1*"),
        (
            "hermes_gateway.llm.script(wait); chat.receives('hello', time_limit=0.2)",
            "*These chats are still busy after 0.2 s: *u1*",
        ),
        ("hermes_gateway.dm(platform='other').receives('hello')", "*the platform 'other' is not connected*"),
    ],
)
def test_failing_test_explains_the_failure(run: Run, test: str, why: str) -> None:
    waits = """
    import threading
    def wait(request):
        threading.Event().wait(2)
        return "late"
    def test_it(hermes_gateway):
        chat = hermes_gateway.dm()
    """
    result = run(dedent(waits).rstrip() + f"\n    {test}\n")
    assert result.parseoutcomes().keys() & {"failed", "errors", "error"}
    result.stdout.fnmatch_lines([f"*{why}"])


def test_adapter_exception_is_reported(run: Run, pytester: pytest.Pytester) -> None:
    broken = pytester.mkdir("broken")
    (broken / "plugin.yaml").write_text((ECHO / "plugin.yaml").read_text())
    text = (ECHO / "__init__.py").read_text()
    (broken / "__init__.py").write_text(text.replace("        self._sent += 1\n", "        raise OSError('gone')\n"))
    result = run(
        """
        @pytest.mark.hermes(plugin="broken")
        def test_hidden(hermes_gateway):
            assert [one.error for one in hermes_gateway.dm().receives("hello")] == ["OSError: gone"] * 2

        @pytest.mark.hermes(plugin="broken")
        def test_expected(hermes_gateway):
            hermes_gateway.host.expect_swallowed(match="adapter echo send: OSError")
            hermes_gateway.dm().receives("hello")
        """
    )
    result.assert_outcomes(passed=2, errors=1)
    result.stdout.fnmatch_lines(
        [
            "The host swallowed an exception of the plugin in adapter echo send: OSError: gone",
            "*hermes_gateway.host.expect_*",
        ]
    )


def test_unconnected_platform_reports_the_reason(run: Run) -> None:
    result = run(
        """
        @pytest.mark.hermes(config={"platforms": {"echo": {"enabled": False}}})
        def test_off(hermes_gateway):
            hermes_gateway.dm()
        """
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*no platform is connected. The gateway logged:", "*No messaging platforms enabled.*"])


POLICY = """
def policy(event, **kwargs):
    return {"action": "skip", "reason": "asked for"} if event.text == "ignore me" else None

def register(ctx):
    ctx.register_hook("pre_gateway_dispatch", policy)
    ctx.register_command("wave", lambda arguments: "waves")
"""
HANDLER = """
import os
from pathlib import Path

def handle(event_type, context):
    Path(os.environ["HERMES_HOME"], "seen").write_text(f"{event_type} {context['user_id']}")
"""
WITHOUT = """
    @pytest.mark.hermes(plugin="policy")
    def test_policy(hermes_gateway):
        chat = hermes_gateway.dm("u1")
        assert chat.receives("ignore me") == []
        assert [one.text for one in chat.receives("/wave")] == ["waves"]
        hermes_gateway.llm.script(say("yes"))
        assert chat.receives("hello")[-1].text == "yes"
        assert hermes_gateway.platforms == ["test-chat"]

    @pytest.mark.hermes(plugin="watcher")
    def test_hook(hermes_gateway):
        hermes_gateway.dm("u1").receives("/whoami")
        assert (hermes_gateway.host.home / "seen").read_text() == "command:whoami u1"
"""


@pytest.fixture
def without_platform(pytester: pytest.Pytester) -> Path:
    """Create a plugin and an event hook without a platform."""
    for name, manifest, events, code, text in (
        ("policy", "plugin.yaml", "", "__init__.py", POLICY),
        ("watcher", "HOOK.yaml", "events: ['command:*']\n", "handler.py", HANDLER),
    ):
        directory = pytester.path / name
        directory.mkdir()
        (directory / manifest).write_text(f"name: {name}\n{events}")
        (directory / code).write_text(text)
    return pytester.path


@pytest.mark.usefixtures("without_platform")
def test_project_without_a_platform_gets_the_test_chat(run: Run) -> None:
    run(WITHOUT).assert_outcomes(passed=2)


@pytest.mark.real_host
@pytest.mark.usefixtures("without_platform")
def test_test_chat_works_in_the_real_gateway(run: Run, real_python: Callable[[str], Path]) -> None:
    real_python("0.19.0")
    run(WITHOUT, "--hermes-host=real", "--hermes-release=0.19.0").assert_outcomes(passed=2)


def test_event_hook_that_does_not_load_fails_the_test(run: Run, without_platform: Path) -> None:
    (without_platform / "watcher/handler.py").write_text("import not_there\n")
    result = run(WITHOUT, "-k", "test_hook")
    result.stdout.fnmatch_lines(["*The event hook did not load:*", "*No module named 'not_there'*"])


@pytest.mark.usefixtures("without_platform")
def test_event_hook_error_names_the_right_fixture(run: Run) -> None:
    result = run("""
        @pytest.mark.hermes(plugin="watcher")
        def test_it(hermes): ...
    """)
    result.stdout.fnmatch_lines(["*a gateway event hook runs only in a gateway*", "*Use the hermes_gateway fixture.*"])


CONFIGURES = """
    from hermes_sdk.errors import UsageError

    @pytest.mark.hermes(env={"GATEWAY_ALLOW_ALL_USERS": "false"})
    def test_it_reaches_the_platform(hermes_gateway):
        chat = hermes_gateway.dm("u2")
        hermes_gateway.llm.script("hello back")
        hermes_gateway.configure(env={"ECHO_ALLOWED_USERS": "u2"}, config={"mine": {"port": 5}})
        assert hermes_gateway.platforms == ["echo"]
        assert chat.receives("hello")[-1].text == "hello back"
        assert "pairing code" in hermes_gateway.dm("u1").receives("hello")[0].text
        with pytest.raises(UsageError, match="the host has already received messages"):
            hermes_gateway.configure(env={"ECHO_ALLOWED_USERS": "u1"})

    def test_a_platform_is_switched_off(hermes_gateway):
        hermes_gateway.configure(config={"platforms": {"echo": {"enabled": False}}})
        assert hermes_gateway.platforms == []
"""


@pytest.mark.parametrize("host", ["embedded", pytest.param("real", marks=pytest.mark.real_host)])
def test_configure_changes_the_running_gateway(run: Run, host: str, request: pytest.FixtureRequest) -> None:
    if host == "real":
        request.getfixturevalue("real_python")("0.19.0")
    run(CONFIGURES, "--hermes-host", host, "--hermes-release=0.19.0").assert_outcomes(passed=2)
