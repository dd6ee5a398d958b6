"""Consent file of shell hooks: content, concurrent writers, and writers that are killed."""

import json
import os
import re
import subprocess
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hermes_sdk.errors import UnavailableError
from hermes_sdk.home.allowlist import FILE_NAME, Allowlist, is_executable
from hermes_sdk.journal import recover

MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")

# Reads operations as JSON lines, and answers each with its result and the content that the host reads from the file.
HOST = """
import json, sys
from agent import shell_hooks
for line in sys.stdin:
    operation, *words = json.loads(line)
    answer = {"approve": shell_hooks._record_approval, "revoke": shell_hooks.revoke}[operation](*words)
    print(json.dumps([answer, shell_hooks.load_allowlist()]), flush=True)
"""


@pytest.fixture
def allowlist(home):
    return home.allowlist


@pytest.fixture(scope="module")
def host(real_python, tmp_path_factory):
    """Yield a function that approves or revokes on the real host, and returns its result and consent file."""
    folder = tmp_path_factory.mktemp("host")
    variables = {"HOME": str(folder), "HERMES_HOME": str(folder), "HERMES_DISABLE_LAZY_INSTALLS": "1"}
    command = [real_python("0.19.0"), "-P", "-c", HOST]
    with subprocess.Popen(command, env=variables, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:

        def ask(*operation):
            process.stdin.write(json.dumps(operation) + "\n")
            process.stdin.flush()
            return json.loads(process.stdout.readline())

        ask.file = folder / FILE_NAME
        yield ask


def entries(content):
    """Return the entries of a file without their timestamps."""
    return [{**one, "approved_at": bool(MOMENT.fullmatch(one["approved_at"]))} for one in content["approvals"]]


def test_approval_applies_to_one_event_and_command(allowlist):
    allowlist.approve("pre_llm_call", "guard.sh")
    approval = allowlist.approval("pre_llm_call", "guard.sh")
    assert MOMENT.fullmatch(approval.pop("approved_at"))
    assert approval == {"event": "pre_llm_call", "command": "guard.sh", "script_mtime_at_approval": None}
    assert allowlist.approval("post_llm_call", "guard.sh") is None
    assert allowlist.approval("pre_llm_call", "guard.sh ") is None


def test_revoke_applies_to_all_events_of_command(allowlist):
    for event, command in (("a", "x"), ("b", "x"), ("a", "y")):
        allowlist.approve(event, command)
    assert allowlist.revoke("x") == 2
    assert allowlist.revoke("x") == 0
    assert [one["command"] for one in json.loads(allowlist.path.read_text())["approvals"]] == ["y"]


def test_revoke_of_unknown_command_creates_no_file(allowlist):
    assert allowlist.revoke("x") == 0
    assert list(allowlist.path.parent.glob(f"*{FILE_NAME}*")) == []


def test_consent_file_is_private_and_stays_a_link(allowlist, tmp_path):
    target = tmp_path / "elsewhere.json"
    allowlist.path.symlink_to(target)
    allowlist.approve("a", "x")
    assert allowlist.path.is_symlink()
    assert target.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"{", "Expecting property name"),
        (b"\xff", "can't decode byte 0xff"),
        (b"[]", "is not a JSON object"),
        (b'{"approvals": {}}', "`approvals` is not a list"),
        (b"[" * 100_000, "nested more than 200 levels deep"),
    ],
)
def test_unreadable_file_allows_nothing_and_is_reported(allowlist, content, problem):
    allowlist.path.write_bytes(content)
    assert allowlist.approval("a", "x") is None
    assert problem in allowlist.problem
    assert "\n" not in allowlist.problem
    assert allowlist.revoke("x") == 0
    assert allowlist.path.read_bytes() == content


def test_missing_file_is_not_a_problem(allowlist):
    assert allowlist.problem == ""


def test_lock_failure_is_reported(allowlist):
    allowlist.lock_path.mkdir()
    with pytest.raises(UnavailableError, match=r"shell-hooks-allowlist\.json\.lock: cannot lock the file"):
        allowlist.approve("a", "x")


@pytest.mark.parametrize(
    ("command", "mode", "can_run"),
    [
        ("{file}.sh", 0o755, True),
        ("{file}.sh", 0o644, False),
        ("sh {file}.sh", 0o644, True),
        ("env A=1 sh {file}.sh more words", 0o644, True),
        ("{file}", 0o755, True),
        ("sh {file} x", 0o644, True),
        ("{file}.nowhere", 0o755, False),
        ("sh '{file}.sh", 0o755, False),
        ("true", 0o755, False),
    ],
)
def test_command_is_executable_only_if_its_script_is_executable(tmp_path, command, mode, can_run):
    for name in ("script", "script.sh"):
        (tmp_path / name).write_text("")
        (tmp_path / name).chmod(mode)
    assert is_executable(command.format(file=tmp_path / "script")) is can_run


OPERATIONS = st.one_of(
    st.tuples(st.just("approve"), st.sampled_from("ab"), st.sampled_from(["x", "sh y.sh", "ü"])),
    st.tuples(st.just("revoke"), st.sampled_from(["x", "sh y.sh", "ü", "never"])),
)


@pytest.mark.real_host
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(operations=st.lists(st.tuples(OPERATIONS, st.booleans()), max_size=8))
def test_hermes_and_hermes_sdk_write_equal_consent(host, tmp_path, operations):
    host.file.unlink(missing_ok=True)
    shared, alone = Allowlist(host.file, durable=False), Allowlist(tmp_path / FILE_NAME, durable=False)
    alone.path.unlink(missing_ok=True)
    for (name, *words), by_host in operations:
        ours = getattr(alone, name)(*words)
        answer = host(name, *words)[0] if by_host else getattr(shared, name)(*words)
        assert answer == ours
    # Revoking an unknown command changes nothing, and returns the content that the host reads from the file.
    assert host("revoke", "nowhere")[0] == 0
    seen = json.loads(alone.path.read_text()) if alone.path.exists() else {"approvals": []}
    assert entries(json.loads(shared.path.read_text())) == entries(host("revoke", "nowhere")[1]) == entries(seen)


WRITER = """
import sys
from pathlib import Path
from hermes_sdk.home.allowlist import Allowlist
for number in range(20):
    Allowlist(Path(sys.argv[1]), durable=False).approve(sys.argv[2], f"command {number}")
"""


@pytest.mark.real_host
def test_concurrent_writers_lose_no_approval(host):
    host.file.unlink(missing_ok=True)
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, host.file, str(number)]) for number in range(3)]
    wanted = {(event, f"command {number}") for event in "012" for number in range(20)}
    while any(writer.poll() is None for writer in writers):
        command = f"command {len(wanted)}"
        host("approve", "host", command)
        wanted.add(("host", command))
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    assert {(one["event"], one["command"]) for one in json.loads(host.file.read_text())["approvals"]} == wanted


REVOKE = "import sys; from hermes_sdk.cli.main import run; run(['hooks', 'revoke', 'x'])"
CHANGING = "write,renameat,fsync,fchmod,unlink,unlinkat,flock,mkdir,mkdirat,ftruncate,link,symlink,rmdir"


@pytest.mark.skipif(sys.platform != "linux", reason="strace is a tool of Linux")
def test_killed_writer_leaves_old_or_new_file(home, tmp_path, monkeypatch):
    # Journals are in the cache; `recover` must not see the journals of other processes.
    monkeypatch.setenv("HERMES_SDK_CACHE", str(tmp_path / "cache"))
    file = home.allowlist.path
    old = {"approvals": [{"event": "a", "command": "x"}, {"event": "a", "command": "y"}]}
    new = {"approvals": [{"event": "a", "command": "y"}]}

    def revoke(*kill):
        file.write_text(json.dumps(old))
        command = ["strace", "-f", "-e", f"trace={CHANGING}", *kill, sys.executable, "-c", REVOKE]
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    revoke()  # Creates the cache, so that all later runs make the same calls.
    calls = re.findall(r"^(?:\[pid +\d+\] )?(\w+)\(", revoke().stderr, re.MULTILINE)
    assert calls.count("renameat") == 1
    places = [(name, calls[: index + 1].count(name)) for index, name in enumerate(calls)]
    ended = []
    for name, count in places:
        done = revoke("-e", f"inject={name}:signal=KILL:when={count}")
        assert done.returncode != 0, (name, count)
        ended.append(json.loads(file.read_text()))
        assert ended[-1] in (old, new), (name, count)
        recover()
    # Early kills leave the old file, later ones the new file.
    assert ended == sorted(ended, key=[old, new].index)
    assert new in ended
    # The next writer gets the lock and removes temporary files.
    assert home.allowlist.revoke("y") == 1
    assert sorted(path.name for path in home.path.glob(f"*{FILE_NAME}*")) == [FILE_NAME, f"{FILE_NAME}.lock"]
