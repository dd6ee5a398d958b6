"""`hermes-sdk hooks` and `hermes hooks` on identical homes: same output, same recorded consent."""

import json
import os
import re
from pathlib import Path

import pytest

from hermes_sdk.cli.main import run
from hermes_sdk.home import Home
from hermes_sdk.home.allowlist import FILE_NAME
from hermes_sdk.hosts import open_host

SCRIPTS = {
    "block.sh": """printf '{"decision": "block", "reason": "no"}'""",
    "bare.sh": "#!/bin/sh\n",
    "echo.sh": "cat",
    "fails.sh": """echo '{"context": "c"}'; echo oops >&2; exit 3""",
    "quiet.sh": "",
    "slow.sh": "exec sleep 10",
    "text.sh": "echo no JSON",
}
HOOKS = {
    "pre_tool_call": [
        {"command": "sh block.sh", "matcher": "terminal", "timeout": 5},
        {"command": "./bare.sh"},
        {"command": "./missing.sh", "matcher": " term "},
    ],
    "post_tool_call": [{"command": "sh echo.sh"}, {"command": "sh echo.sh"}, {"matcher": "no command"}],
    "pre_llm_call": [
        {"command": "sh text.sh"},
        {"command": "sh quiet.sh", "timeout": 1000},
        {"command": "sh slow.sh", "timeout": 1},
        {"command": "sh 'unbalanced"},
    ],
    "on_session_start": [{"command": "sh fails.sh"}],
    "pre_tool": [{"command": "true"}],
}
ALLOWED = [
    *(("pre_tool_call", "sh block.sh"), ("pre_tool_call", "./missing.sh"), ("post_tool_call", "sh echo.sh")),
    *(("pre_llm_call", f"sh {name}.sh") for name in ("text", "quiet", "slow")),
    *(("on_session_start", "sh fails.sh"), ("post_llm_call", "sh block.sh")),
]


@pytest.fixture(scope="module")
def twins(real_python):
    """Yield a home for `hermes-sdk`, and a real host on a home with the same files and approvals."""
    real_python("0.19.0")
    before = Path.cwd()
    with Home.temporary() as ours, Home.temporary() as theirs:
        for home in (ours, theirs):
            os.chdir(home.path)
            for name, text in SCRIPTS.items():
                (home.path / name).write_text(text)
                os.utime(name, (1e9, 1e9))
            (home.path / "config.yaml").write_text("# Mine.\n" + json.dumps({"hooks": HOOKS}))
            for event, command in ALLOWED:
                home.allowlist.approve(event, command)
            os.utime("echo.sh", (2e9, 2e9))
            os.utime("quiet.sh", (5e8, 5e8))
        with open_host("real", "0.19.0", theirs) as host:
            yield ours, host
    os.chdir(before)


@pytest.fixture
def run_with_both(twins, monkeypatch, capsys):
    """Return a function that runs a command with both tools, and returns our JSON and the host's text."""
    home, host = twins
    monkeypatch.setenv("HERMES_HOME", str(home.path))
    monkeypatch.chdir(home.path)

    def run_both(*argv):
        with pytest.raises(SystemExit):
            run(["hooks", *argv, "--json", *([] if argv[0] == "revoke" else ["--release", "0.19.0"])])
        answer = json.loads(capsys.readouterr().out)
        done = host.cli("hooks", *argv)
        assert done.exit_code == 0, done.stderr
        return answer, done.stdout

    return run_both


LINE = re.compile(r" {4}- (.*?)(?: matcher='(.*?)')? \(timeout=(\d+)s, ([✓✗]) .*\)$")


def test_list_equals_that_of_hermes(run_with_both):
    ours, text = run_with_both("list")
    theirs = []
    for line in text.splitlines()[1:]:
        if line.startswith("  ["):
            event = line.strip(" []")
        elif found := LINE.match(line):
            theirs.append([event, found[1], found[2], int(found[3]), found[4] == "✓", False])
        elif "script modified since approval" in line:
            theirs[-1][-1] = True
    keys = ("event", "command", "matcher", "timeout", "allowed")
    listed = [[*(hook[key] for key in keys), bool(hook["changed"])] for hook in ours["hooks"]]
    assert sorted(map(repr, listed)) == sorted(map(repr, theirs))
    assert f"({len(listed)} total)" in text


SAID = {
    "✓ script exists": ("executable", "ok"),
    "✗ script missing": ("executable", "issue"),
    "✓ allowlisted": ("allowed", "ok"),
    "✗ not allowlisted": ("allowed", "issue"),
    "✓ script unchanged": ("unchanged", "ok"),
    "⚠ script modified": ("unchanged", "issue"),
    "✓ produced valid JSON": ("output", "ok"),
    "✓ ran clean": ("output", "ok"),
    "✗ stdout was not valid JSON": ("output", "issue"),
    "✗ timed out": ("output", "issue"),
    "ℹ skipped": ("output", "skipped"),
}


def test_doctor_equals_that_of_hermes(run_with_both):
    ours, text = run_with_both("doctor")
    theirs = []
    for line in map(str.strip, text.splitlines()[1:]):
        if line.startswith("["):
            theirs.append([line, []])
        elif theirs:
            theirs[-1][1].extend(found for start, found in SAID.items() if line.startswith(start))
    # The host prints nothing for a run that it skips because the script is missing.
    examined = [
        [
            f"[{hook['event']}] {hook['command']}",
            [
                (one["name"], one["state"])
                for one in hook["checks"]
                if not (one["state"] == "skipped" and hook["allowed"])
            ],
        ]
        for hook in ours["hooks"]
    ]
    assert examined == theirs
    assert f"{ours['issues']} issue(s) found." in text


@pytest.mark.parametrize(
    "argv",
    [
        ["pre_tool_call"],
        ["pre_tool_call", "--for-tool", "terminal"],
        ["pre_tool_call", "--for-tool", "term"],
        ["pre_llm_call"],
        ["on_session_start", "--for-tool", "any"],
        ["pre_verify"],
    ],
)
def test_hooks_test_equals_that_of_hermes(run_with_both, argv):
    ours, text = run_with_both("test", *argv)
    theirs = []
    for line in text.splitlines()[1:]:
        name, _, value = line.strip().partition(": ")
        if line.startswith("  → "):
            theirs.append({"command": line[4:], "exit_status": None, "stdout": "", "stderr": "", "answer": None})
        elif found := re.match(r" +exit=(\d+)", line):
            theirs[-1]["exit_status"] = int(found[1])
        elif name in ("stdout", "stderr"):
            theirs[-1][name] = value
        elif name == "parsed (Hermes wire shape)":
            theirs[-1]["answer"] = json.loads(value)
        elif name == "✗ error":
            theirs[-1]["error"] = value
        elif name.startswith("✗ timed out"):
            theirs[-1]["timed_out"] = True
    defaults = {"error": None, "timed_out": False}
    runs = [{**one, "stdout": one["stdout"].strip(), "stderr": one["stderr"].strip()} for one in ours["runs"]]
    assert [{key: one[key] for key in (*theirs[0], *defaults)} for one in runs] == [
        {**defaults, **one} for one in theirs
    ]


@pytest.mark.parametrize("event", ["pre_tool_call", "post_tool_call", "subagent_stop", "pre_api_request", "pre_verify"])
def test_payload_contains_that_of_hermes(twins, run_with_both, tmp_path, event):
    home, host = twins
    for place in (home.path, host.home):
        config = {"hooks": {event: [{"command": f"tee {tmp_path}/{place.name}"}]}}
        (place / "config.yaml").write_text(json.dumps(config))
    (tmp_path / "payload.json").write_text('{"args": {"mine": 1}, "tool_name": "mine", "more": [null]}')
    run_with_both("test", event, "--payload-file", str(tmp_path / "payload.json"))
    ours, theirs = (json.loads((tmp_path / place.name).read_text()) for place in (home.path, host.home))
    kept = {key: ours["extra"][key] for key in theirs["extra"]}
    assert {**ours, "extra": {}, "cwd": ""} == {**theirs, "extra": {}, "cwd": ""}
    # Arguments that may be None are None in our payload.
    assert [key for key, value in kept.items() if type(value) not in (type(theirs["extra"][key]), type(None))] == []


def test_revoke_equals_that_of_hermes(twins, run_with_both):
    home, host = twins

    def consent(path):
        content = json.loads((path / FILE_NAME).read_text())
        assert all(one.pop("approved_at") for one in content["approvals"])
        return content

    for command in ("sh block.sh", "sh 'unbalanced", "sh block.sh", "sh block"):
        ours, text = run_with_both("revoke", command)
        assert f"Removed {ours['removed']} allowlist" in text or not ours["removed"]
        assert consent(home.path) == consent(host.home)
    assert len(consent(home.path)["approvals"]) == len(ALLOWED) - 2


def test_both_tools_report_a_home_without_hooks(twins, run_with_both):
    home, host = twins
    for path in (home.path, host.home):
        (path / "config.yaml").unlink()
    for argv, message in (
        (["list"], "No shell hooks configured"),
        (["doctor"], "No shell hooks configured"),
        (["test", "pre_llm_call"], "No shell hooks configured for event: pre_llm_call"),
    ):
        ours, text = run_with_both(*argv)
        assert message in text
        assert not ours.get("hooks", ours.get("runs"))
