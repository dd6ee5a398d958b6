"""Shell hooks on the embedded host, as far as a comparison with the real one cannot show them."""

import json
import os
import select
from textwrap import dedent

import pytest

from hermes_sdk.home import Home
from hermes_sdk.hosts import open_host


@pytest.fixture
def home():
    with Home.temporary() as home:
        yield home


@pytest.fixture
def hooked(home):
    """Open a host that accepts these hooks."""
    opened = []

    def open_with(release="0.19.0", **hooks):
        config = {"hooks": {event: [{"command": command, "timeout": 1}] for event, command in hooks.items()}}
        (home.path / "config.yaml").write_text(json.dumps(config))
        opened.append(open_host("embedded", release, home, accept_hooks=True))
        return opened[-1]

    yield open_with
    for host in opened:
        host.close()


def script(home, name, text):
    """Write an executable script and return the command that runs it."""
    file = home.path / name
    file.write_text(dedent(text))
    file.chmod(0o755)
    return str(file)


def warnings(host):
    return [one.message for one in host.log if one.level == "WARNING"]


def test_a_command_blocks_a_call_and_another_adds_context(home, hooked):
    guard = script(
        home,
        "guard.py",
        """\
        #!/usr/bin/env python3
        import json, sys
        call = json.load(sys.stdin)
        if "rm -rf" in call["tool_input"].get("command", ""):
            print(json.dumps({"decision": "block", "reason": "That would delete everything."}))
        """,
    )
    host = hooked(pre_tool_call=guard, pre_llm_call=script(home, "day.sh", '#!/bin/sh\necho \'{"context": "Friday"}\''))
    assert host.fire("pre_llm_call") == [{"context": "Friday"}]
    assert host.fire("pre_tool_call", tool_name="terminal", args={"command": "ls"}) == []
    blocked = host.fire("pre_tool_call", tool_name="terminal", args={"command": "rm -rf /"})
    assert blocked == [{"action": "block", "message": "That would delete everything."}]


def test_at_its_time_limit_a_command_is_killed_with_what_it_started(home, hooked):
    os.mkfifo(home.path / "pipe")
    command = script(home, "waits.sh", "#!/bin/sh\nsleep 60 >pipe & wait\n")
    host = hooked(pre_llm_call=command)
    descriptor = os.open(home.path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    poll = select.poll()
    poll.register(descriptor, select.POLLHUP)
    assert host.fire("pre_llm_call") == []
    assert warnings(host)[0].startswith("shell hook timed out after 1.")
    # Nobody writes to the pipe any more.
    assert poll.poll(10_000) == [(descriptor, select.POLLHUP)]
    os.close(descriptor)


def test_text_that_no_program_can_read_is_told(hooked):
    host = hooked(pre_llm_call="cat")
    assert host.fire("pre_llm_call", user_message="\ud800") == []
    assert "surrogates not allowed" in warnings(host)[0]


def test_a_command_need_not_read_its_input(hooked):
    host = hooked(pre_llm_call="true")
    assert host.fire("pre_llm_call", user_message="x" * 1_000_000) == []
    assert warnings(host) == []


def test_output_beyond_a_pipe_is_read(hooked):
    host = hooked(pre_llm_call="sh -c 'head -c 300000 /dev/zero | tr \"\\\\0\" x'")
    assert host.fire("pre_llm_call") == []
    assert warnings(host) == [f"shell hook stdout was not valid JSON (event=pre_llm_call): {'x' * 200}"]


def test_consent_that_cannot_be_written_holds_for_this_host(home, hooked):
    home.allowlist.path.mkdir()
    host = hooked(pre_llm_call="true")
    assert host.hooks == ["pre_llm_call"]
    assert warnings(host)[0].startswith(f"Failed to persist shell hook allowlist to {home.allowlist.path}: ")


def test_a_directory_that_is_gone_is_no_directory(home, hooked, tmp_path, monkeypatch):
    host = hooked(pre_llm_call="tee ${HERMES_HOME}/read")
    gone = tmp_path / "gone"
    gone.mkdir()
    os.chdir(gone)
    gone.rmdir()
    host.fire("pre_llm_call")
    assert json.loads((home.path / "read").read_text())["cwd"] == ""
