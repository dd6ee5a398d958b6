"""The check of projects with shell hooks, and of single scripts."""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from hermes_sdk.check.engine import check
from hermes_sdk.check.model import Result
from hermes_sdk.check.options import Options
from hermes_sdk.check.rule import Example
from hermes_sdk.errors import UsageError

ENTRY = "command: ~/.hermes/agent-hooks/guard.py"
GUARD = "#!/usr/bin/env python3\nimport json\nimport sys\n\njson.load(sys.stdin)\n"
SHELL = "#!/bin/sh\n"


def write(
    folder: Path, script: str = GUARD, *, entry: str = ENTRY, event: str = "pre_tool_call", name: str = "guard.py"
) -> Path:
    """Write a project with one shell hook, and return its script."""
    file = folder / "agent-hooks" / name
    file.parent.mkdir()
    file.write_text(script, encoding="utf-8", newline="")
    file.chmod(0o755)
    (folder / "config.yaml.example").write_text(
        f"hooks:\n  {event}:\n    - {{{entry.replace('guard.py', name)}}}\n", encoding="utf-8"
    )
    return file


def describe(result: Result) -> list[tuple[str, str, str, int]]:
    return [(one.code, one.severity, one.path, one.line) for one in result.findings]


def test_working_hook_has_no_finding(tmp_path: Path) -> None:
    script = write(tmp_path, entry=f"{ENTRY}, matcher: terminal, timeout: 20")
    for path in (tmp_path, script, tmp_path / "config.yaml.example"):
        result = check(path, Options(strict=True))
        assert (result.findings, result.not_run, result.passes()) == ((), (), True)
        assert result.isolation.startswith("env tmp")


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        (GUARD.removeprefix("#!/usr/bin/env python3\n"), [("HS744", "error", "agent-hooks/guard.py", 1)]),
        (GUARD.replace("\n", "\r\n"), [("HS744", "error", "agent-hooks/guard.py", 1)]),
        ("#!/usr/bin/env python3\nprint('{}')\n", [("HS745", "warning", "agent-hooks/guard.py", 1)]),
        (f"{SHELL}echo '{{}}'\n", [("HS745", "warning", "agent-hooks/guard", 1)]),
        (f"{SHELL}cat >/dev/null\necho fine\n", [("HS748", "error", "agent-hooks/guard", 1)]),
        (f"{SHELL}cat >/dev/null\nexit 3\n", [("HS748", "warning", "agent-hooks/guard", 1)]),
        # With an answer, the exit status does not matter.
        (f'{SHELL}cat >/dev/null\necho \'{{"action": "block"}}\'\nexit 2\n', []),
        (f"{SHELL}cat >/dev/null\n: > made-here; echo said >&2\n", []),
    ],
)
def test_scripts_have_the_expected_findings(
    tmp_path: Path, script: str, expected: list[tuple[str, str, str, int]]
) -> None:
    write(tmp_path, script, name="guard" if script.startswith(SHELL) else "guard.py")
    assert describe(check(tmp_path)) == expected
    assert not (tmp_path / "made-here").exists()


def test_script_must_be_executable_without_an_interpreter(tmp_path: Path) -> None:
    script = write(tmp_path)
    script.chmod(stat.S_IRUSR | stat.S_IWUSR)
    assert describe(check(tmp_path)) == [("HS744", "error", "agent-hooks/guard.py", 1)]
    config = tmp_path / "config.yaml.example"
    text = config.read_text(encoding="utf-8").replace("command: ~", "command: 'python3 ${HOME}").replace(".py", ".py'")
    config.write_text(text, encoding="utf-8")
    assert describe(check(tmp_path)) == []


@pytest.mark.parametrize(
    ("command", "is_found"),
    [
        ("~/.hermes/agent-hooks/guard.py --fast", False),
        ("python3 ~/.hermes/agent-hooks/guard.py", True),
        ("python3 -u ~/.hermes/agent-hooks/guard.py --fast", True),
        ("python3 ${HOME}/.hermes/agent-hooks/guard.py", False),
        ("sh -c ~/.hermes/agent-hooks/guard.py", False),
    ],
)
def test_tilde_is_expanded_only_at_the_start(tmp_path: Path, command: str, is_found: bool) -> None:
    write(tmp_path, entry=f"command: '{command}'")
    found = [one for one in check(tmp_path, Options(static=True)).findings if one.code == "HS744"]
    assert [(one.severity, one.path, one.line) for one in found] == [("error", "config.yaml.example", 3)] * is_found
    assert all("${HOME}" in one.fix for one in found)


def test_cache_depends_on_the_executable_bit(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    script, options = write(project), Options(static=True, cache=tmp_path / "cache")
    assert describe(check(project, options)) == []
    script.chmod(0o644)
    assert [code for code, *_ in describe(check(project, options))] == ["HS744"]


@pytest.mark.parametrize(
    ("matcher", "meant"),
    [
        ("term", "terminal"),
        ("Bash", "terminal"),
        ("Edit|Write", "patch"),
        ("write_fil", "write_file"),
        ("Terminal", "terminal"),
        ("terminal|nothing", None),
        (".*", None),
        ("my_own_tool", None),
        ("mcp_github_.*", None),
    ],
)
def test_matcher_without_a_tool_gets_a_suggestion(tmp_path: Path, matcher: str, meant: str | None) -> None:
    write(tmp_path, entry=f"{ENTRY}, matcher: '{matcher}'")
    found = check(tmp_path, Options(static=True)).findings
    assert [one.code for one in found] == (["HS746"] if meant else [])
    if meant:
        assert found[0].message.endswith(f"did you mean '{meant}'?")


def test_command_is_killed_after_its_time_limit(tmp_path: Path) -> None:
    write(tmp_path, f"{GUARD}while True:\n    pass\n", entry=f"{ENTRY}, timeout: 1")
    assert describe(check(tmp_path)) == [("HS749", "error", "config.yaml.example", 3)]


def test_slow_command_is_a_warning_when_the_check_has_a_shorter_limit(tmp_path: Path) -> None:
    write(tmp_path, f"{GUARD}while True:\n    pass\n")
    assert describe(check(tmp_path, Options(time_limit=1))) == [("HS749", "warning", "config.yaml.example", 3)]


def test_misspelt_script_is_reported_as_missing(tmp_path: Path) -> None:
    write(tmp_path, entry="command: ~/.hermes/agent-hooks/gard.py")
    assert describe(check(tmp_path)) == [("HS747", "warning", "config.yaml.example", 3)]


def test_observing_hook_need_not_read_its_input(tmp_path: Path) -> None:
    write(tmp_path, "#!/usr/bin/env python3\nprint('{}')\n", event="on_session_start")
    assert describe(check(tmp_path)) == []


def test_script_without_a_configuration_is_checked(tmp_path: Path) -> None:
    script = tmp_path / "guard"
    script.write_text(f"{SHELL}cat >/dev/null\necho fine\n", encoding="utf-8")
    assert describe(check(script)) == [("HS744", "error", "guard", 1)]
    script.chmod(0o755)
    assert describe(check(script)) == [("HS748", "error", "guard", 1)]


def test_shell_hooks_of_a_plugin_are_checked(plugin: Callable[[Example], Path]) -> None:
    config = "hooks:\n  pre_tool_call:\n    - command: python3 ./guard.py\n"
    directory = plugin({"config.yaml.example": config, "guard.py": f"{GUARD}print('fine')\n"})
    assert describe(check(directory)) == [("HS748", "error", "guard.py", 1)]


def test_script_does_not_see_the_users_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "x")
    lines = (
        "import os, pathlib\nassert 'SECRET_TOKEN' not in os.environ\nassert not list(pathlib.Path.home().iterdir())\n"
    )
    write(tmp_path, f"{GUARD}{lines}")
    assert describe(check(tmp_path)) == []


@pytest.mark.parametrize("name", ["README.md", "module.py"])
def test_unsupported_file_is_an_error_with_advice(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("x = 1\n", encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        check(tmp_path / name)
    assert name in caught.value.message
    assert "registry.register(" in caught.value.fix
    assert "#!" in caught.value.fix
