"""Intended differences between `hermes-sdk hooks` and `hermes hooks`, shown with both tools."""

import json
from dataclasses import dataclass, field

import pytest

from hermes_sdk.cli.main import run
from hermes_sdk.home import Home
from hermes_sdk.home.allowlist import FILE_NAME
from hermes_sdk.hosts import open_host

ALLOWED = json.dumps(
    {"approvals": [{"event": "pre_llm_call", "command": "true", "approved_at": "2026-01-01T00:00:00Z"}]}
)
ONE = '{"hooks": {"pre_llm_call": [{"command": "true"}]}}'


@dataclass(frozen=True)
class Deviation:
    """One difference.

    Attributes:
        name: Subject of the difference.
        why: Reason for it.
        argv: The command.
        ours: Exit code and message of `hermes-sdk`, and the consent file afterwards.
        theirs: The same for `hermes`.
        files: The files of the home.
    """

    name: str
    why: str
    argv: list[str]
    ours: tuple[int, str, str | None]
    theirs: tuple[int, str, str | None]
    files: dict[str, str] = field(default_factory=dict)


DEVIATIONS = [
    Deviation(
        "unknown_hook",
        "Scripts must be able to detect a wrong call.",
        ["test", "pre_llm"],
        ours=(2, "Hermes 0.19.0 has no hook 'pre_llm'; did you mean", None),
        theirs=(0, "Unknown event: 'pre_llm'", None),
    ),
    Deviation(
        "missing_payload",
        "Scripts must be able to detect a wrong call.",
        ["test", "pre_llm_call", "--payload-file", "nowhere.json"],
        ours=(2, "nowhere.json: cannot read the file", None),
        theirs=(0, "Error reading payload file", None),
    ),
    Deviation(
        "payload_of_another_form",
        "Hooks run only with the requested arguments.",
        ["test", "pre_llm_call", "--payload-file", "/dev/null"],
        ours=(2, "/dev/null:1:1: not valid JSON", None),
        theirs=(0, "Error reading payload file", None),
    ),
    Deviation(
        "broken_configuration",
        "A message about no configured hooks would be wrong.",
        ["list"],
        ours=(2, "the configuration cannot be read", None),
        theirs=(0, "No shell hooks configured", None),
        files={"config.yaml": "hooks: ["},
    ),
    Deviation(
        "number_too_large",
        "Invalid input causes an error message.",
        ["doctor"],
        ours=(2, "hooks.pre_llm_call[0]: cannot convert float infinity to integer", None),
        theirs=(1, "OverflowError: cannot convert float infinity to integer", None),
        files={"config.yaml": "hooks: {pre_llm_call: [{command: 'true', timeout: .inf}]}"},
    ),
    Deviation(
        "nothing_to_withdraw",
        "A command without changes writes no file.",
        ["revoke", "true"],
        ours=(0, "There is no consent to true.", None),
        theirs=(0, "No allowlist entry found", '{\n  "approvals": []\n}'),
    ),
    Deviation(
        "unreadable_consent",
        "Users can repair an unreadable file, so it is kept.",
        ["revoke", "true"],
        ours=(2, "the list of allowed shell hooks cannot be read", "{"),
        theirs=(0, "No allowlist entry found", '{\n  "approvals": []\n}'),
        files={FILE_NAME: "{"},
    ),
    Deviation(
        "managed_home",
        "Only the manager of the home changes it.",
        ["revoke", "true"],
        ours=(3, "managed", ALLOWED),
        theirs=(0, "Removed 1 allowlist entry", '{\n  "approvals": []\n}'),
        files={
            FILE_NAME: ALLOWED,
            "config.yaml": ONE,
            ".managed": "",
            **{f"{name}/.keep": "" for name in ("cron", "logs", "memories", "sessions")},
        },
    ),
]


@pytest.fixture(scope="module")
def real_home(real_python):
    """Yield a home, and a function that runs ``hermes hooks …`` on it."""
    real_python("0.19.0")
    with Home.temporary() as home, open_host("real", "0.19.0", home) as host:
        yield home, lambda *argv: host.cli("hooks", *argv)


def write_home(home, files):
    """Replace the files of a home that affect shell hooks."""
    for name in ("config.yaml", FILE_NAME, ".managed"):
        (home.path / name).unlink(missing_ok=True)
    for name, text in files.items():
        file = home.path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)


def consent(home):
    file = home.path / FILE_NAME
    return file.read_text() if file.exists() else None


@pytest.mark.real_host
@pytest.mark.parametrize("one", DEVIATIONS, ids=lambda one: one.name)
def test_deviation(one, home, real_home, capsys):
    write_home(home, one.files)
    with pytest.raises(SystemExit) as stop:
        run(["hooks", *one.argv, *([] if one.argv[0] == "revoke" else ["--release", "0.19.0"])])
    output = "".join(capsys.readouterr())
    code, words, left = one.ours
    assert (stop.value.code, words in output, consent(home)) == (code, True, left), output
    theirs, hermes = real_home
    write_home(theirs, one.files)
    done = hermes(*one.argv)
    code, words, left = one.theirs
    assert (done.exit_code, words in done.stdout + done.stderr, consent(theirs)) == (code, True, left), done
