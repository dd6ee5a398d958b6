"""Behaviour of shell hooks on the embedded host that comparisons with the real host cannot show."""

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
def open_hooked(home):
    """Return a function that opens a host and accepts shell hooks."""
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


def test_commands_block_calls_and_add_context(home, open_hooked):
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
    host = open_hooked(
        pre_tool_call=guard, pre_llm_call=script(home, "day.sh", '#!/bin/sh\necho \'{"context": "Friday"}\'')
    )
    assert host.fire("pre_llm_call") == [{"context": "Friday"}]
    assert host.fire("pre_tool_call", tool_name="terminal", args={"command": "ls"}) == []
    blocked = host.fire("pre_tool_call", tool_name="terminal", args={"command": "rm -rf /"})
    assert blocked == [{"action": "block", "message": "That would delete everything."}]


def test_command_and_its_children_are_killed_after_timeout(home, open_hooked):
    os.mkfifo(home.path / "pipe")
    command = script(home, "waits.sh", "#!/bin/sh\nsleep 60 >pipe & wait\n")
    host = open_hooked(pre_llm_call=command)
    descriptor = os.open(home.path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    poll = select.poll()
    poll.register(descriptor, select.POLLHUP)
    assert host.fire("pre_llm_call") == []
    assert warnings(host)[0].startswith("shell hook timed out after 1.")
    # No process has the pipe open for writing.
    assert poll.poll(10_000) == [(descriptor, select.POLLHUP)]
    os.close(descriptor)


def test_payload_that_cannot_be_encoded_is_reported(open_hooked):
    host = open_hooked(pre_llm_call="cat")
    assert host.fire("pre_llm_call", user_message="\ud800") == []
    assert "surrogates not allowed" in warnings(host)[0]


def test_command_does_not_have_to_read_input(open_hooked):
    host = open_hooked(pre_llm_call="true")
    assert host.fire("pre_llm_call", user_message="x" * 1_000_000) == []
    assert warnings(host) == []


def test_output_larger_than_pipe_is_read(open_hooked):
    host = open_hooked(pre_llm_call="sh -c 'head -c 300000 /dev/zero | tr \"\\\\0\" x'")
    assert host.fire("pre_llm_call") == []
    assert warnings(host) == [f"shell hook stdout was not valid JSON (event=pre_llm_call): {'x' * 200}"]


def test_consent_that_cannot_be_saved_applies_to_this_host(home, open_hooked):
    home.allowlist.path.mkdir()
    host = open_hooked(pre_llm_call="true")
    assert host.hooks == ["pre_llm_call"]
    assert warnings(host)[0].startswith(f"Failed to persist shell hook allowlist to {home.allowlist.path}: ")


def test_payload_has_empty_directory_when_working_directory_was_removed(home, open_hooked, tmp_path, monkeypatch):
    host = open_hooked(pre_llm_call="tee ${HERMES_HOME}/read")
    gone = tmp_path / "gone"
    gone.mkdir()
    os.chdir(gone)
    gone.rmdir()
    host.fire("pre_llm_call")
    assert json.loads((home.path / "read").read_text())["cwd"] == ""
