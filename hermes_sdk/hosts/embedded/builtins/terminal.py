"""``terminal``: commands in the foreground, on the machine that the host runs on (statements D21 and D32)."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hermes_sdk.errors import HermesSdkError
from hermes_sdk.hosts.embedded.builtins import command_approval
from hermes_sdk.hosts.embedded.builtins.shell_session import HEAD, Shell
from hermes_sdk.hosts.embedded.builtins.tool import DEFAULT_TASK, Builtin, Turnside, answer

_log = logging.getLogger("tools.terminal_tool")

STATE = "terminal"
DIRECTORIES = "terminal directories"
SECONDS = 180
MOST_SECONDS = 600
MOST_CHARACTERS = 50_000
_ESCAPES = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\].*?(?:\x07|\x1b\\)|[PX^_].*?\x1b\\|[ -/]+[0-~]|[0-~])"
    r"|\x9b[0-?]*[ -/]*[@-~]|\x9d.*?(?:\x07|\x9c)|[\x80-\x9f]",
    re.DOTALL,
)
_SAFE_PATH = re.compile(r"[A-Za-z0-9/\\:_\-.~ +@=,]")
_WRAPPER = re.compile(r"(?im)(?:^|[;&|]\s*|\$\(\s*)(?:nohup|disown|setsid)\b")
_AMPERSAND = re.compile(r"\s&(?:\s|$)")
_QUOTED = re.compile(r"""'[^']*'|"(?:[^"\\]|\\.)*"|`[^`]*`""", re.DOTALL)
_SERVERS = re.compile(
    r"(?i)\b(?:(?:npm|pnpm|yarn|bun)\s+(?:run\s+)?(?:dev|start|serve|watch)\b|docker\s+compose\s+up\b|next\s+dev\b"
    r"|vite(?:\s|$)|(?:nodemon|uvicorn|gunicorn)\b|python3?\s+-m\s+http\.server\b)"
)
_NO_MATCH = {1: "No matches found (not an error)"}
_DIFFERENT = {1: "Files differ (expected, not an error)"}
_FALSE = {1: "Condition evaluated to false (expected, not an error)"}
MEANINGS: Mapping[str, Mapping[int, str]] = {
    **dict.fromkeys(("grep", "egrep", "fgrep", "rg", "ag", "ack"), _NO_MATCH),
    **dict.fromkeys(("diff", "colordiff"), _DIFFERENT),
    **dict.fromkeys(("test", "["), _FALSE),
    "find": {1: "Some directories were inaccessible (partial results may still be valid)"},
    "curl": {
        6: "Could not resolve host",
        7: "Failed to connect to host",
        22: "HTTP response code indicated error (e.g. 404, 500)",
        28: "Operation timed out",
    },
    "git": {1: "Non-zero exit (often normal — e.g. 'git diff' returns 1 when files differ)"},
}


def _run(args: dict[str, Any], side: Turnside) -> str:
    command, seconds = args.get("command"), args.get("timeout")
    if not isinstance(command, str):
        kind = type(command).__name__
        _log.warning("Rejected invalid terminal command value: %s", kind)
        return answer(**_failed(f"Invalid command: expected string, got {kind}"))
    if args.get("background"):
        raise HermesSdkError(
            "The embedded host does not run commands in the background.",
            fix="Run this test on the real host (--hermes-host=real).",
        )
    if seconds and not isinstance(seconds, int | float):
        kind = type(seconds).__name__
        return answer(
            **_failed(f"Failed to execute command: '>' not supported between instances of '{kind}' and 'int'")
        )
    if seconds and seconds > MOST_SECONDS:
        return answer(
            error=f"Foreground timeout {seconds}s exceeds the maximum of {MOST_SECONDS}s. Use background=true with"
            " notify_on_complete=true for long-running commands."
        )
    if advice := _belongs_in_background(command):
        return answer(**_failed(advice))
    verdict = command_approval.verdict(command, side)
    if verdict.refused:
        return answer(**verdict.refused)
    workdir = args.get("workdir")
    if workdir and (bad := next((sign for sign in workdir if not _SAFE_PATH.match(sign)), None)):
        _log.warning("Blocked dangerous workdir: %s (command: %s)", workdir[:200], command[:200])
        advice = "Use a simple filesystem path without shell metacharacters."
        return answer(**_failed(f"Blocked: workdir contains disallowed character {bad!r}. {advice}", status="blocked"))
    return _executed(command, workdir, seconds, side, verdict.note)


def shell_of(side: Turnside) -> Shell:
    """The shell that the tools of a host share; it knows where its last command ended."""
    if STATE not in side.host_state:
        side.host_state[STATE] = Shell()
    shell: Shell = side.host_state[STATE]
    return shell


def directory_of(side: Turnside) -> str | None:
    """Where the last command ended, None when there was none; since 0.19 that is one of the same task."""
    if side.behaviour.terminal_directory_per_task:
        found: str | None = side.host_state.get(DIRECTORIES, {}).get(side.task_id)
        return found
    return shell_of(side).cwd


def _failed(message: str, status: str = "error") -> dict[str, Any]:
    return {"output": "", "exit_code": -1, "error": message, "status": status}


def _executed(command: str, workdir: str | None, seconds: float | None, side: Turnside, note: str | None) -> str:
    config = side.config()
    most = _positive(config, "tool_output", "max_bytes", MOST_CHARACTERS)
    shell = shell_of(side)
    kept = directory_of(side) if side.behaviour.terminal_keeps_directory else None
    finished = shell.run(
        command,
        workdir or kept or os.environ.get("TERMINAL_CWD") or str(Path.cwd()),
        seconds or _positive(config, "terminal", "timeout", SECONDS),
        most if side.behaviour.terminal_output_bounded else None,
    )
    side.host_state.setdefault(DIRECTORIES, {})[side.task_id] = shell.cwd
    told = {"returncode": finished.status, "task_id": DEFAULT_TASK, "env_type": "local"}
    changed = side.hooks.fire("transform_terminal_output", command=command, output=finished.output, **told)
    output = next((text for text in changed if isinstance(text, str)), finished.output)
    meaning = _meaning(command, finished.status)
    return answer(
        output=_ESCAPES.sub("", _cut(output, most)).strip(),
        exit_code=finished.status,
        error=None,
        **({"approval": note} if note else {}),
        **({"exit_code_meaning": meaning} if meaning else {}),
    )


def _positive(config: Mapping[str, Any], section: str, key: str, default: int) -> int:
    found = config.get(section)
    try:
        value = int(found[key]) if isinstance(found, Mapping) else default
    except (KeyError, TypeError, ValueError):
        return default
    return value if value > 0 else default


def _belongs_in_background(command: str) -> str | None:
    """What the host says of a command that would not end by itself, or None."""
    words = " ".join(command.lower().split())
    if " --help" in words or " --version" in words or words.endswith((" -h", " -v")):
        return None
    bare = _QUOTED.sub("''", command)
    if _WRAPPER.search(bare):
        return (
            "Foreground command uses shell-level background wrappers (nohup/disown/setsid). Use"
            " terminal(background=true) so Hermes can track the process, then run readiness checks and tests in"
            " separate commands."
        )
    if _AMPERSAND.search(bare):
        return (
            "Foreground command uses '&' backgrounding. Use terminal(background=true) for long-lived processes, then"
            " run health checks and tests in follow-up terminal calls."
        )
    if _SERVERS.search(bare):
        return (
            "This foreground command appears to start a long-lived server/watch process. Run it with background=true,"
            " verify readiness (health endpoint/log signal), then execute tests in a separate command."
        )
    return None


def _cut(output: str, most: int) -> str:
    if len(output) <= most:
        return output
    head = int(most * HEAD)
    notice = f"\n\n... [OUTPUT TRUNCATED - {len(output) - most} chars omitted out of {len(output)} total] ...\n\n"
    return output[:head] + notice + output[len(output) - (most - head) :]


def _meaning(command: str, status: int) -> str | None:
    """What the status of a command's last part means where it is no failure."""
    last = re.split(r"\|\||&&|[|;]", command)[-1]
    words = (word for word in last.split() if "=" not in word or word.startswith("-"))
    return MEANINGS.get(next(words, "").rpartition("/")[2], {}).get(status)


TOOLS = {
    "terminal": Builtin(
        "Run a command in a shell; directory and exported variables stay from one command to the next.",
        {
            "type": "object",
            "properties": {
                "command": {"type": "string", "description": "The command."},
                "background": {"type": "boolean", "description": "Whether not to wait for its end.", "default": False},
                "timeout": {"type": "integer", "description": "Seconds to wait, at most 600.", "minimum": 1},
                "workdir": {"type": "string", "description": "The directory to run it in."},
                "pty": {"type": "boolean", "description": "Whether it needs a terminal of its own.", "default": False},
                "notify_on_complete": {
                    "type": "boolean",
                    "description": "Whether to tell when a command in the background ends.",
                    "default": False,
                },
                "watch_patterns": {
                    "type": "array",
                    "items": {"type": "string"},
                    "description": "Texts to tell of when a command in the background prints them.",
                },
            },
            "required": ["command"],
        },
        _run,
    )
}
