import sys
from pathlib import Path

import pytest

from hermes_sdk.home import Home
from hermes_sdk.hosts import default_release, open_host


@pytest.fixture
def fire(request):
    """Yield a function that fires the hook for a command on the host that `--hermes-host` names."""
    kind = "real" if request.config.getoption("--hermes-host") == "real" else "embedded"
    program = Path("agent-hooks", "push_guard.py").resolve()
    with Home.temporary() as home:
        hook = {"command": f"{sys.executable} {program}", "matcher": "terminal"}
        home.update_config({"hooks": {"pre_tool_call": [hook]}})
        with open_host(kind, default_release(kind), home, accept_hooks=True) as host:
            yield lambda command: host.fire("pre_tool_call", tool_name="terminal", args={"command": command})


@pytest.mark.parametrize(
    "command", ["git reset --hard", "git reset --hard origin/main", "cd x && git reset HEAD~1 --hard"]
)
def test_a_hard_reset_is_blocked(fire, command):
    (answer,) = fire(command)
    assert (answer["action"], "git stash" in answer["message"]) == ("block", True)


@pytest.mark.parametrize("command", ["git reset", "git reset --soft HEAD~1", "git push"])
def test_other_commands_run(fire, command):
    assert fire(command) == []


def test_a_forced_push_is_still_blocked(fire):
    assert fire("git push --force")
