"""Commands and pytest with the user's installed Hermes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import on_disk
import pytest
from hosts.user_hermes import RELEASE, UserHermes, make_home, name_program_differently, start_by_wrapper, start_managed

from hermes_sdk.cli.main import run

tmp_path = on_disk.tmp_path

PLUGIN = """
def register(ctx):
    ctx.register_tool("where", "notes", {"name": "where", "parameters": {}}, lambda args, **more: __import__(
        "hermes_cli.main").main.__file__)
"""
TESTS = """
def test_it(hermes):
    print(hermes.call_tool("where").text)
    assert hermes.release.startswith("0.22.2")
"""


@pytest.fixture
def user(tmp_path: Path, real_python: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> UserHermes:
    """Create a user's home, with a plugin as current directory."""
    python = real_python(RELEASE)
    home = make_home(tmp_path, monkeypatch)
    monkeypatch.setenv("HERMES_SDK_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("CI", raising=False)
    # The sandbox must be able to read the targets of the installation's links.
    monkeypatch.setenv("PATH", f"{os.environ['PATH']}:{python.parent}")
    Path("plugin.yaml").write_text("name: notes\nkind: standalone\nversion: '1'\ndescription: Takes notes.\n")
    Path("__init__.py").write_text(PLUGIN)
    Path("tests").mkdir()
    Path("tests", "test_it.py").write_text(TESTS)
    return UserHermes(home, python)


def output(capsys: pytest.CaptureFixture[str], *argv: object) -> tuple[object, str, str]:
    with pytest.raises(SystemExit) as stop:
        run([*map(str, argv)])
    printed = capsys.readouterr()
    return stop.value.code, printed.out, printed.err


@pytest.mark.real_host
@pytest.mark.parametrize("install", [start_by_wrapper, pytest.param(name_program_differently, marks=pytest.mark.slow)])
def test_show_pytest_and_compat_name_the_hermes_used(
    install: Callable[[UserHermes], Path], user: UserHermes, capsys: pytest.CaptureFixture[str]
) -> None:
    place = install(user)
    wanted = "installed" if place.name == "hermes" else str(place)
    named = f"{RELEASE}.post1 (nearest known: {RELEASE}) at {place}"
    before = user.list_files()
    status, printed, errors = output(capsys, "show", ".", "--release", wanted)
    assert (status, errors) == (0, f"Running Hermes {named} without changing it.\n")
    assert " ".join(printed.split()).startswith(f"notes 1 loaded on real {named}")
    document = json.loads(output(capsys, "show", ".", "--release", wanted, "--json")[1])
    assert (document["host"], document["release"]) == ("real", f"{RELEASE}.post1")
    assert (document["installed"], document["grade"]) == (str(place), None)
    _, printed, _ = output(capsys, "compat", ".", "--only", f"real:{wanted}", "--json")
    (cell,) = json.loads(printed)["releases"]
    assert (cell["release"], cell["verdict"]) == (f"{RELEASE}.post1@{place}", "passes")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--hermes-release", wanted, "-v", "-s"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ)
    assert f"hermes: auto {named}" in done.stdout
    assert f"{user.checkout}/hermes_cli/main.py" in done.stdout
    done = subprocess.run([*command, "--hermes-check"], capture_output=True, text=True, check=False, env=os.environ)
    assert "2 passed" in done.stdout
    assert user.list_files() == before


@pytest.mark.real_host
def test_real_host_defaults_to_the_users_hermes(user: UserHermes, capsys: pytest.CaptureFixture[str]) -> None:
    program = start_managed(user)
    named = f"{RELEASE} at {program}"
    status, printed, errors = output(capsys, "call", "where", "--host", "real")
    assert (status, errors) == (0, f"Running Hermes {named} without changing it.\n")
    assert " ".join(printed.split()).startswith(f"notes on real {named}")
    assert f"{user.checkout}/hermes_cli/main.py" in printed.replace("\n", "")


@pytest.mark.slow
@pytest.mark.real_host
def test_traces_and_recordings_do_not_contain_the_path_of_hermes(
    user: UserHermes, capsys: pytest.CaptureFixture[str]
) -> None:
    start_by_wrapper(user)
    Path("s.yaml").write_text("plugins: ['.']\nscript: {main: [{text: hello}]}\nturns: [hi]\n")
    _, printed, errors = output(capsys, "trace", "s.yaml", "--host", "real", "--json")
    assert "Running Hermes" in errors
    (header, *_) = map(json.loads, printed.splitlines())
    assert header["release"] == f"{RELEASE}.post1"
    assert output(capsys, "record", "--scenario", "s.yaml", "--host", "real", "-o", "a.trace")[0] == 0
    assert "bin/hermes" not in Path("a.trace").read_text()
    status, printed, errors = output(capsys, "replay", "a.trace")
    assert (status, f"Replaying on Hermes {RELEASE}: " in errors) == (0, True), printed
    assert output(capsys, "replay", "a.trace", "--host", "real", "--release", "installed")[0] == 0


@pytest.mark.real_host
@pytest.mark.parametrize("release", [[], pytest.param(["--release", RELEASE], marks=pytest.mark.slow)])
def test_auto_reruns_in_the_users_hermes(
    release: list[str], user: UserHermes, capsys: pytest.CaptureFixture[str]
) -> None:
    program = start_managed(user)
    Path("__init__.py").write_text(f"import gateway.slash_commands\n{PLUGIN}")
    status, _, errors = output(capsys, "show", ".", *release)
    assert status == 0
    assert errors.startswith(f"Ran in the real Hermes {RELEASE} at {program}, because ")
    document = json.loads(output(capsys, "show", ".", *release, "--json")[1])
    assert (document["host"], document["rerun"], document["installed"]) == ("real", True, str(program))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ,
    )
    assert f"1 test ran in the real Hermes {RELEASE} at {program}; the embedded host does not model:" in done.stdout


@pytest.mark.real_host
def test_auto_does_not_use_the_users_hermes_for_another_release(
    user: UserHermes, capsys: pytest.CaptureFixture[str]
) -> None:
    start_managed(user)
    Path("__init__.py").write_text(f"import gateway.slash_commands\n{PLUGIN}")
    _, _, errors = output(capsys, "show", ".", "--release", "0.20.2")
    assert "the real Hermes 0.20.2 is not installed: run `hermes-sdk hosts install 0.20.2`" in errors


def test_embedded_host_rejects_an_installed_hermes(user: UserHermes, capsys: pytest.CaptureFixture[str]) -> None:
    start_managed(user)
    expected = (2, "", "hermes-sdk: installed is a real Hermes, not a release.\n  Use --host real.\n")
    assert output(capsys, "show", ".", "--host", "embedded", "--release", "installed") == expected


def test_missing_hermes_is_reported_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    make_home(tmp_path, monkeypatch)
    assert output(capsys, "show", ".", "--release", "installed")[2].startswith(
        "hermes-sdk: your own Hermes was not found\n  Pass the path of its program, Python or checkout"
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--hermes-release", "installed"],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ,
    )
    assert "ERROR: your own Hermes was not found" in done.stderr


SCENARIO = """
plugins: [.]
turns: [hello]
script: {main: [{text: hi}]}
"""


@pytest.mark.real_host
def test_check_trace_and_fire_run_in_the_users_hermes(user: UserHermes, capsys: pytest.CaptureFixture[str]) -> None:
    place = name_program_differently(user)
    named = f"{RELEASE}.post1 (nearest known: {RELEASE}) at {place}"
    status, printed, errors = output(capsys, "check", "--release", place, ".")
    assert (status, errors) == (0, f"Running Hermes {named} without changing it.\n")
    assert "2 warnings in project" in printed
    assert output(capsys, "fire", "no_such_hook", "--host", "real", "--release", place)[0] == 2
    Path("s.yaml").write_text(SCENARIO)
    status, printed, _ = output(capsys, "trace", "s.yaml", "--compare", "embedded", f"real:{place}")
    assert "show the same" in printed
    assert status == 0
    Path("__init__.py").write_text("import hermes_cli.main\nraise ValueError(hermes_cli.main.__file__)\n")
    status, printed, _ = output(capsys, "check", "--release", place, ".", "--json")
    assert status == 1
    assert f"ValueError: {user.checkout}/hermes_cli/main.py" in str(json.loads(printed)["findings"])
