"""The commands of `hermes-sdk hooks`."""

import json
import os
import re
import signal
import subprocess
import sys

import pytest
from docs.schemas import validate

from hermes_sdk import contract
from hermes_sdk.cli.main import run
from hermes_sdk.operate import shell_hooks


@pytest.fixture(autouse=True)
def _change_to_home(home, monkeypatch):
    monkeypatch.chdir(home.path)


@pytest.fixture
def hooks(capsys):
    """Return a function that runs a command, and returns its exit code, stdout and stderr."""

    def run_hooks(*argv):
        with pytest.raises(SystemExit) as stop:
            run(["hooks", *argv])
        return stop.value.code, *capsys.readouterr()

    return run_hooks


def configure(home, **hooks):
    home.config_path.write_text(json.dumps({"hooks": hooks}))


def read_answer(ran):
    code, out, err = ran
    assert err == ""
    document = json.loads(out)
    validate(document, "")
    return code, document


def test_list_shows_hooks_and_consent(home, hooks):
    (home.path / "guard.sh").write_text("")
    configure(
        home,
        pre_tool_call=[{"command": "sh guard.sh", "matcher": "terminal", "timeout": 5}],
        pre_llm_call=[{"command": "sh day.sh"}, {}],
    )
    home.allowlist.approve("pre_tool_call", "sh guard.sh")
    since = home.allowlist.approval("pre_tool_call", "sh guard.sh")["approved_at"]
    listed = (
        "pre_llm_call\n  ✗ sh day.sh  (60 s)  not allowed\n"
        f"pre_tool_call\n  ✓ sh guard.sh  (matcher terminal, 5 s)  allowed since {since}\n"
        "To allow a command, start `hermes` in a terminal and answer its prompt.\n"
        "To allow all of them, use one of: `hermes --accept-hooks chat`,\n"
        "HERMES_ACCEPT_HOOKS=1 in the environment, `hooks_auto_accept: true` in config.yaml.\n"
        "warning hooks.pre_llm_call[1] is missing a non-empty 'command' field\n"
    )
    assert hooks("list") == (0, listed, "")
    os.utime("guard.sh", (2e9, 2e9))
    assert f"allowed since {since}, but the script was changed at 2033-05-18T03:33:20Z\n" in hooks("list")[1]
    home.allowlist.approve("pre_llm_call", "sh day.sh")
    assert "To allow" not in hooks("list")[1]


def test_list_prints_json(home, hooks):
    configure(home, pre_tool_call=[{"command": "sh guard.sh"}])
    hook = {"event": "pre_tool_call", "command": "sh guard.sh", "matcher": None, "timeout": 60, "allowed": False}
    hook |= {"approved_at": None, "changed": None, "script_mtime": None}
    wanted = {"schema": "hermes-sdk.hooks/1", "report": "list", "hooks": [hook], "warnings": []}
    assert read_answer(hooks("list", "--json")) == (0, wanted)


def test_hooks_test_shows_runs_and_results(home, hooks):
    configure(
        home,
        pre_tool_call=[
            {"command": """printf '{"decision": "block", "reason": "no"}'"""},
            {"command": "printf no"},
            {"command": "sh -c 'echo oops >&2; exit 3'"},
            {"command": "nowhere"},
            {"command": "sleep 9", "timeout": 1},
            {"command": "true", "matcher": "write_file"},
        ],
    )
    code, out, err = hooks("test", "pre_tool_call", "--for-tool", "terminal")
    assert (code, err) == (0, "")
    _, payload_and_runs = out.split("Payload on standard input:\n")
    payload, end = json.JSONDecoder().raw_decode(payload_and_runs)
    assert payload["tool_name"] == "terminal"
    assert payload["tool_input"] == {"command": "echo hello"}
    runs = payload_and_runs[end:].lstrip()
    assert re.sub(r"[0-9.]+ s$", "T s", runs, flags=re.MULTILINE).splitlines() == [
        """printf '{"decision": "block", "reason": "no"}'""",
        "  exit status 0, T s",
        '  stdout: {"decision": "block", "reason": "no"}',
        '  ✓ the host reads the output as {"action": "block", "message": "no"}',
        "printf no",
        "  exit status 0, T s",
        "  stdout: no",
        "  ✗ the output is not JSON, so the host ignores it",
        "sh -c 'echo oops >&2; exit 3'",
        "  exit status 3, T s",
        "  stderr: oops",
        "  ! the command failed without an answer, so Hermes 0.22.2 ignores it",
        "nowhere",
        "  ✗ the command could not run: command not found",
        "sleep 9",
        "  ✗ killed at its time limit, after T s",
    ]


@pytest.mark.parametrize("release", contract.releases())
def test_payload_matches_the_release(home, release):
    configure(home, post_tool_call=[{"command": "cat"}])
    (trial,) = shell_hooks.fire(home, "post_tool_call", tool="patch", arguments={"more": 1}, release=release)
    payload = json.loads(trial["stdout"])
    assert (payload["tool_name"], payload["session_id"]) == ("patch", "test-session")
    assert isinstance(payload["extra"]["duration_ms"], int)
    model = contract.load(release)
    added = {"more"} | ({"telemetry_schema_version"} if model.injected_hook_arguments else set())
    own = {"tool_name", "args", "session_id"}
    assert payload["extra"].keys() == {*model.hooks["post_tool_call"].always} - own | added


def test_payload_file_adds_arguments(home, hooks):
    configure(home, pre_llm_call=[{"command": "cat"}])
    (home.path / "payload.json").write_text('{"user_message": "mine", "session_id": "s"}')
    _, answer = read_answer(hooks("test", "pre_llm_call", "--payload-file", "payload.json", "--json"))
    payload = json.loads(answer["runs"][0]["stdout"])
    assert (payload["session_id"], payload["extra"]["user_message"]) == ("s", "mine")
    assert answer["runs"][0]["payload"] == payload


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "payload.json: cannot read the file"),
        ("{\n  x}", "payload.json:2:3: not valid JSON"),
        ("[1]", "payload.json: the file does not contain a JSON object"),
        ("\x00", "payload.json:1:1: not valid JSON"),
        ("[" * 100_000, "payload.json: not valid JSON"),
    ],
)
def test_invalid_payload_file_is_rejected(home, hooks, content, message):
    if content is not None:
        (home.path / "payload.json").write_text(content)
    code, out, err = hooks("test", "pre_llm_call", "--payload-file", "payload.json")
    assert (code, out) == (2, "")
    assert err.startswith(f"hermes-sdk: {message}")


def test_unknown_event_is_a_usage_error(home, hooks):
    code, out, err = hooks("test", "pre_verify", "--release", "0.17.0")
    listing = "To list all hooks, run `hermes-sdk contract show 0.17.0`.\n"
    assert (code, out) == (2, "")
    assert err == f"hermes-sdk: Hermes 0.17.0 has no hook 'pre_verify'; it exists since 0.18.0\n  {listing}"
    _, _, err = hooks("test", "pre_llm_cal", "--release", "0.17.0")
    assert err == f"hermes-sdk: Hermes 0.17.0 has no hook 'pre_llm_cal'; did you mean 'pre_llm_call'?\n  {listing}"


def test_doctor_fails_for_issues_only_with_strict(home, hooks):
    configure(home, pre_llm_call=[{"command": "sh missing.sh"}])
    assert hooks("doctor")[0] == 0
    code, out, _ = hooks("doctor", "--strict")
    assert (code, out.splitlines()[-1]) == (1, "2 issues.")
    (home.path / "missing.sh").write_text("")
    home.allowlist.approve("pre_llm_call", "sh missing.sh")
    code, out, _ = hooks("doctor", "--strict")
    assert (code, out.splitlines()[-1]) == (0, "All shell hooks look healthy.")


def test_strict_doctor_fails_for_warnings(home, hooks):
    configure(home, pre_llm=[])
    code, answer = read_answer(hooks("doctor", "--strict", "--json"))
    assert (code, answer["issues"], answer["hooks"]) == (1, 0, [])
    assert "did you mean 'pre_llm_call'?" in answer["warnings"][0]


def test_doctor_runs_only_allowed_commands(home, hooks):
    configure(home, pre_llm_call=[{"command": "sh touch.sh"}])
    (home.path / "touch.sh").write_text("touch ran")
    hooks("doctor")
    assert not (home.path / "ran").exists()
    home.allowlist.approve("pre_llm_call", "sh touch.sh")
    hooks("doctor")
    assert (home.path / "ran").exists()


def test_revoke_withdraws_consent(home, hooks):
    for event in ("pre_llm_call", "post_llm_call"):
        home.allowlist.approve(event, "sh x.sh")
    assert hooks("revoke", "sh x.sh") == (
        0,
        f"Withdrew the consent to sh x.sh for 2 hooks in {home.path}.\n"
        "A running Hermes keeps the consent until it restarts.\n",
        "",
    )
    assert hooks("revoke", "sh x.sh") == (0, "There is no consent to sh x.sh.\n", "")
    wanted = {"schema": "hermes-sdk.hooks/1", "report": "revoke", "command": "sh x.sh", "removed": 0}
    assert read_answer(hooks("revoke", "sh x.sh", "--json")) == (0, wanted)


def test_revoke_does_not_change_managed_home(home, hooks, monkeypatch):
    home.allowlist.approve("pre_llm_call", "sh x.sh")
    monkeypatch.setenv("HERMES_MANAGED", "nixos")
    code, out, err = hooks("revoke", "sh x.sh")
    assert (code, out) == (3, "")
    assert "managed" in err
    assert home.allowlist.approval("pre_llm_call", "sh x.sh")


@pytest.mark.parametrize("argv", [["list"], ["doctor"], ["test", "pre_llm_call"]])
def test_unreadable_configuration_is_a_usage_error(home, hooks, argv):
    home.config_path.write_text("hooks: 'a\nmodel: 'b'\n")
    code, out, err = hooks(*argv)
    assert (code, out) == (2, "")
    assert err.startswith(
        f"hermes-sdk: {home.config_path}: the configuration cannot be read: line 1, column 8: this quote is never"
    )
    assert sorted(path.name for path in home.path.iterdir()) == ["config.yaml", "plugins"]


@pytest.mark.parametrize("entry", ["{command: x, timeout: .inf}", "{command: x, matcher: 'x{99999999999}'}"])
def test_number_that_is_too_large_is_a_usage_error(home, hooks, entry):
    home.config_path.write_text(f"hooks: {{pre_tool_call: [{entry}]}}")
    code, out, err = hooks("list")
    assert (code, out) == (2, "")
    assert err.startswith("hermes-sdk: hooks.pre_tool_call[0]: ")


def test_unreadable_consent_file_is_reported(home, hooks):
    configure(home, pre_llm_call=[{"command": "true"}])
    home.allowlist.path.write_text("{")
    code, answer = read_answer(hooks("list", "--json"))
    assert (code, answer["hooks"][0]["allowed"]) == (0, False)
    assert answer["warnings"][0].startswith("shell-hooks-allowlist.json cannot be read")


def test_missing_home_has_no_hooks(home, hooks, monkeypatch):
    monkeypatch.setenv("HERMES_HOME", str(home.path / "nowhere"))
    assert hooks("list") == (0, "No shell hooks are configured.\n", "")
    assert hooks("doctor", "--strict") == (0, "No shell hooks are configured.\n", "")
    assert hooks("test", "pre_llm_call") == (0, "No shell hook is configured for pre_llm_call.\n", "")
    assert not (home.path / "nowhere").exists()


def test_control_characters_are_not_printed(home, hooks):
    configure(home, pre_llm_call=[{"command": "printf '\\033[2J\x1b[31m\\r'"}])
    for argv in (["list"], ["test", "pre_llm_call"], ["doctor"]):
        assert not set(hooks(*argv)[1]) & {"\x1b", "\r"}


def test_variables_of_the_home_are_expanded_and_passed_on(home, hooks, monkeypatch):
    monkeypatch.delenv("MINE", raising=False)
    home.env_path.write_text("MINE=value\n")
    configure(home, pre_llm_call=[{"command": "printf %s ${MINE}"}, {"command": "sh -c 'printf %s $MINE'"}])
    _, answer = read_answer(hooks("test", "pre_llm_call", "--json"))
    assert [one["stdout"] for one in answer["runs"]] == ["value", "value"]
    assert "MINE" not in os.environ


def test_interrupted_run_kills_child_processes(home):
    os.mkfifo(home.path / "pipe")
    (home.path / "waits.sh").write_text("sleep 60 >pipe & wait\n")
    configure(home, pre_llm_call=[{"command": "sh waits.sh"}])
    command = [sys.executable, "-c", "from hermes_sdk.cli.main import run; run(['hooks', 'test', 'pre_llm_call'])"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        # `open` returns when the command has opened the pipe; `read` returns when all writers have ended.
        with (home.path / "pipe").open() as pipe:
            process.send_signal(signal.SIGINT)
            assert pipe.read() == ""
        assert process.communicate()[1].strip() == "Aborted."
    assert process.returncode == 130


def test_secrets_are_not_shown(home, hooks, monkeypatch):
    monkeypatch.setenv("OTHER_TOKEN", "environment-secret")
    monkeypatch.setenv("EMPTY_KEY", "")
    home.env_path.write_text("MINE=file-secret\nMINE_TOO=file-secret-too\nSHORT=on\n")
    script = "printf on; echo $MINE_TOO $OTHER_TOKEN >&2; exit 1"
    configure(home, pre_llm_call=[{"command": f"sh -c '{script}' ${{MINE}}"}], post_llm_call=["${OTHER_TOKEN}"], x=1)
    home.allowlist.approve("pre_llm_call", f"sh -c '{script}' file-secret")
    for argv in (["list"], ["test", "pre_llm_call"], ["doctor"]):
        for extra in ([], ["--json"]):
            code, out, err = hooks(*argv, *extra)
            assert (code, err) == (0, "")
            assert "-secret" not in out
            assert "${MINE}" in out
    code, out, _ = hooks("revoke", f"sh -c '{script}' ${{MINE}}")
    assert (code, out.splitlines()[0]) == (
        0,
        f"Withdrew the consent to sh -c '{script}' ${{MINE}} for 1 hook in {home.path}.",
    )
