"""The consent file: what is in it, who else writes it, and what is left of it when a writer is killed."""

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

# Reads operations as JSON lines and answers each with what the host has in the file then.
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
    """Two callables that make the real host allow and withdraw in a home of its own; they return what it answered."""
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


def test_an_approval_is_for_an_event_and_a_command(allowlist):
    allowlist.approve("pre_llm_call", "guard.sh")
    approval = allowlist.approval("pre_llm_call", "guard.sh")
    assert MOMENT.fullmatch(approval.pop("approved_at"))
    assert approval == {"event": "pre_llm_call", "command": "guard.sh", "script_mtime_at_approval": None}
    assert allowlist.approval("post_llm_call", "guard.sh") is None
    assert allowlist.approval("pre_llm_call", "guard.sh ") is None


def test_a_command_is_withdrawn_for_all_events(allowlist):
    for event, command in (("a", "x"), ("b", "x"), ("a", "y")):
        allowlist.approve(event, command)
    assert allowlist.revoke("x") == 2
    assert allowlist.revoke("x") == 0
    assert [one["command"] for one in json.loads(allowlist.path.read_text())["approvals"]] == ["y"]


def test_what_is_not_there_is_withdrawn_without_a_trace(allowlist):
    assert allowlist.revoke("x") == 0
    assert list(allowlist.path.parent.glob(f"*{FILE_NAME}*")) == []


def test_only_the_owner_may_read_the_file_and_a_link_stays_one(allowlist, tmp_path):
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
        (b"[" * 100_000, "nests more than 200 levels deep"),
    ],
)
def test_a_file_that_cannot_be_read_allows_nothing_and_says_why(allowlist, content, problem):
    allowlist.path.write_bytes(content)
    assert allowlist.approval("a", "x") is None
    assert problem in allowlist.problem
    assert "\n" not in allowlist.problem
    assert allowlist.revoke("x") == 0
    assert allowlist.path.read_bytes() == content


def test_a_home_without_a_file_has_no_problem(allowlist):
    assert allowlist.problem == ""


def test_a_file_that_cannot_be_locked_is_told(allowlist):
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
def test_the_script_of_a_command(tmp_path, command, mode, can_run):
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
def test_both_tools_leave_the_same_and_read_what_the_other_wrote(host, tmp_path, operations):
    host.file.unlink(missing_ok=True)
    shared, alone = Allowlist(host.file, durable=False), Allowlist(tmp_path / FILE_NAME, durable=False)
    alone.path.unlink(missing_ok=True)
    for (name, *words), by_host in operations:
        ours = getattr(alone, name)(*words)
        answer = host(name, *words)[0] if by_host else getattr(shared, name)(*words)
        assert answer == ours
    # A command that is nowhere: the host answers with all that it reads.
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
def test_writers_at_the_same_time_lose_nothing(host):
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
def test_a_writer_that_is_killed_leaves_the_old_file_or_the_new_one(home, tmp_path, monkeypatch):
    # Journals lie in the cache, and those of other processes would be repaired here.
    monkeypatch.setenv("HERMES_SDK_CACHE", str(tmp_path / "cache"))
    file = home.allowlist.path
    old = {"approvals": [{"event": "a", "command": "x"}, {"event": "a", "command": "y"}]}
    new = {"approvals": [{"event": "a", "command": "y"}]}

    def revoke(*kill):
        file.write_text(json.dumps(old))
        command = ["strace", "-f", "-e", f"trace={CHANGING}", *kill, sys.executable, "-c", REVOKE]
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    revoke()  # Makes the cache, which the others find.
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
    # Killed early it is the old file, killed late the new one.
    assert ended == sorted(ended, key=[old, new].index)
    assert new in ended
    # The next writer finds no lock and leaves nothing of the others behind.
    assert home.allowlist.revoke("y") == 1
    assert sorted(path.name for path in home.path.glob(f"*{FILE_NAME}*")) == [FILE_NAME, f"{FILE_NAME}.lock"]
