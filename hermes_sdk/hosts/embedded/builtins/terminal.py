"""``terminal``: commands in the foreground, on the machine of the host (D21, D32)."""

from __future__ import annotations

import json
import logging
import os
import re
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hermes_sdk.hosts.embedded.builtins.command_approval import judge_command
from hermes_sdk.hosts.embedded.builtins.shell_session import HEAD, Completed, Shell
from hermes_sdk.hosts.embedded.builtins.tool import (
    ToolContext,
    answer,
    array,
    boolean,
    integer,
    refuse,
    string,
    to_int,
    tool,
)
from hermes_sdk.hosts.embedded.dispatch import DEFAULT_TASK

_SEARCHED_LENGTH = 4000
"""Number of characters of the output that are searched."""
_STATUS_ONE = frozenset({1})
_MEANINGFUL_STATUSES: Mapping[str, frozenset[int]] = {
    **dict.fromkeys(("[", "ack", "ag", "colordiff", "diff", "egrep"), _STATUS_ONE),
    **dict.fromkeys(("fgrep", "find", "git", "grep", "rg", "test"), _STATUS_ONE),
    "curl": frozenset({6, 7, 22, 28}),
}
"""Program -> exit statuses with a specific meaning."""
_SIGNALS = frozenset(["QUIT", "ILL", "ABRT", "BUS", "FPE", "KILL", "SEGV", "PIPE", "TERM", "XCPU", "XFSZ"])
_TIMED_OUT, _NOT_EXECUTABLE = 124, 126
_KNOWN_FAILURES = re.compile(
    "|".join(
        (
            r'Unknown JSON field: "?(\w+)',
            r"^CONFLICT |Automatic merge failed|needs merge",
            r"([\w.+-]+): command not found",
            r"(?:ModuleNotFound|Import)Error: No module named '?([\w.]+)",
            r"(?:fatal|error):.*?'([^']+)' already exists",
            r"API rate limit|was submitted too quickly",
            r"Permission denied|EACCES",
        )
    ),
    re.MULTILINE,
)
"""Matches failures that Hermes recognises in the output."""
_READERS = re.compile(r"ag|awk|cat|dmesg|echo|find|grep|head|journalctl|jq|ls|printf|rg|sed|strings|tail|zcat")
"""Matches programs whose output may quote failures of other programs."""
_FAILURES = re.compile(
    r"(?m)error\[E\d+\]|error: could not compile|error: aborting due to|Traceback \(most recent call last\)"
    r"|^(?:=+ )?\d+ failed|^FAILED \S+(?:::|\.py)|compilation terminated\.|npm ERR!|B(?:UILD|uild) FAILED|FAILED: "
    r"|^make(?:\[\d+\])?: \*\*\*"
)
_ENDS_IN_PIPE = re.compile(r"(?<!\|)\|(?!\|)\s*(?:cat|head|less|more|sort|tail|tee|uniq|wc)\b[^|]*$")
_FALLS_BACK = re.compile(r"\|\|\s*(?:(?:echo|printf|true)\b|:\s|:$)")
_log = logging.getLogger("tools.terminal_tool")
STATE = "terminal"
DIRECTORIES = "terminal directories"
DEFAULT_SECONDS = 180
MAX_SECONDS = 600
MAX_CHARACTERS = 50_000
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


def has_meaning(command: str, status: int) -> bool:
    """Return whether an exit status has a specific meaning for the last part of a command."""
    return status in _MEANINGFUL_STATUSES.get(_find_program(re.split(r"\|\||&&|[|;]", command)[-1], "-"), ())


def has_advice(command: str, status: int, output: str) -> bool:
    """Return whether later releases add advice to the result of a command."""
    start = output[:_SEARCHED_LENGTH]
    if status == 0:
        is_reader = _READERS.fullmatch(_find_program(command, ("=", "./", "/")))
        hides = _ENDS_IN_PIPE.search(command) or _FALLS_BACK.search(command)
        return bool(not is_reader and hides and _FAILURES.search(start))
    return _is_signal(status) or status in (_TIMED_OUT, _NOT_EXECUTABLE) or _KNOWN_FAILURES.search(start) is not None


def _is_signal(status: int) -> bool:
    """Return whether a status reports a signal, in Python's form (-9) or the shell's (137)."""
    if status < 0:
        return -status != signal.SIGINT
    return status - 128 in {getattr(signal, f"SIG{name}") for name in _SIGNALS}


def _find_program(command: str, prefixes: str | tuple[str, ...]) -> str:
    """Return the program of a command, after its variable assignments; words with a prefix are not assignments."""
    words = (word for word in command.split() if "=" not in word or word.startswith(prefixes))
    return next(words, "").rpartition("/")[2]


@tool(
    "Run a command in a shell; directory and exported variables stay from one command to the next.",
    command=string("The command.", required=True),
    background=boolean("Whether not to wait for its end.", default=False),
    timeout=integer("Seconds to wait, at most 600.", minimum=1),
    workdir=string("The directory to run it in."),
    pty=boolean("Whether it needs a terminal of its own.", default=False),
    notify_on_complete=boolean("Whether to tell when a command in the background ends.", default=False),
    watch_patterns=array(string(), "Texts to report when a command in the background prints them."),
    notify=boolean("Whether to tell when a command in the background ends; a list names texts to report."),
)
def terminal(args: dict[str, Any], context: ToolContext) -> str:
    """Run a command in the foreground if it is allowed."""
    if misplaced := _find_misplaced_arguments(args, context):
        return refuse(misplaced)
    command, seconds = args.get("command"), args.get("timeout")
    if not isinstance(command, str):
        kind = type(command).__name__
        _log.warning("Rejected invalid terminal command value: %s", kind)
        return _fail(f"Invalid command: expected string, got {kind}")
    if args.get("background"):
        raise context.state.unsupported("run commands in the background")
    if seconds and not isinstance(seconds, int | float):
        kind = type(seconds).__name__
        return _fail(f"Failed to execute command: '>' not supported between instances of '{kind}' and 'int'")
    if seconds and seconds > MAX_SECONDS and context.behaviour.long_commands_moved:
        raise context.state.unsupported(f"run a command for more than {MAX_SECONDS} seconds in the background")
    if seconds and seconds > MAX_SECONDS:
        return answer(
            error=f"Foreground timeout {seconds}s exceeds the maximum of {MAX_SECONDS}s. Run long"
            " commands in the background."
        )
    if advice := _find_background_advice(command, context):
        return _fail(advice)
    verdict = judge_command(command, context)
    if verdict.refused:
        return answer(**verdict.refused)
    workdir = args.get("workdir")
    if workdir and (bad := next((sign for sign in workdir if not _SAFE_PATH.match(sign)), None)):
        _log.warning("Blocked dangerous workdir: %s (command: %s)", workdir[:200], command[:200])
        advice = "Use a simple filesystem path without shell metacharacters."
        return _fail(f"Blocked: workdir contains disallowed character {bad!r}. {advice}", status="blocked")
    return _run_command(command, workdir, seconds, context, verdict.note)


def _find_misplaced_arguments(args: dict[str, Any], context: ToolContext) -> str | None:
    """Return the error for arguments of another tool or of background commands, or None."""
    if context.behaviour.commands_explained and "code" in args and "command" not in args:
        return (
            "terminal received a 'code' parameter, but it requires a shell command in 'command'. Pass"
            " a command as `command`, or Python to execute_code."
        )
    if args.get("background") or not context.behaviour.foreground_arguments_checked:
        return None
    if any(args.get(name) for name in ("notify", "watch_patterns", "notify_on_complete")):
        return context.state.wording("terminal.notify")
    if args.get("pty"):
        return "pty requires background=true (the process tool writes to it)."
    return None


def get_shell(context: ToolContext) -> Shell:
    """Return the shell that the tools of a chat or host share."""
    shells: dict[str, Shell] = context.state.memory.setdefault(STATE, {})
    owner = _find_owner(context)
    if owner not in shells:
        shells[owner] = Shell(
            announces_agent=context.behaviour.commands_explained, replaces_pager=context.behaviour.pager_replaced
        )
    return shells[owner]


def _find_owner(context: ToolContext) -> str:
    """Return the owner of a command's shell, which hooks receive as ``task_id``."""
    if context.behaviour.chats_have_shells:
        key = context.state.session_variables.get("HERMES_SESSION_KEY", "")
        return f"session:{key}" if key else DEFAULT_TASK
    return DEFAULT_TASK


def get_directory(context: ToolContext) -> str | None:
    """Return the working directory after the last command of the task, or None."""
    directory: str | None = context.state.memory.get(DIRECTORIES, {}).get(context.task_id)
    return directory


def _fail(message: str, status: str = "error") -> str:
    return answer(output="", exit_code=-1, error=message, status=status)


def _run_command(
    command: str, workdir: str | None, seconds: float | None, context: ToolContext, note: str | None
) -> str:
    limit = _read_limit(context)
    shell = get_shell(context)
    started = workdir or get_directory(context) or os.environ.get("TERMINAL_CWD") or str(Path.cwd())
    completed = shell.run(
        command,
        started,
        seconds or _read_positive(context, "terminal", "timeout", DEFAULT_SECONDS),
        limit,
    )
    explained = context.behaviour.commands_explained
    if not explained or (completed.cwd and not workdir):
        context.state.memory.setdefault(DIRECTORIES, {})[context.task_id] = shell.cwd
    transformed = _transform(command, completed.output, completed.status, context)
    output = completed.output if transformed is None else transformed
    shown = _ESCAPES.sub("", _truncate(output, limit)).strip()
    if explained and completed.is_cut:
        raise context.state.unsupported("save long outputs of commands")
    if has_meaning(command, completed.status) or (explained and has_advice(command, completed.status, shown)):
        raise context.state.unsupported("advise a model on the exit status of a command")
    return answer(
        output=shown,
        exit_code=completed.status,
        error=None,
        **(_report_directory(completed, started) if explained else {}),
        **({"approval": note} if note else {}),
    )


def _transform(command: str, output: str, status: int, context: ToolContext) -> str | None:
    """Return the output from ``transform_terminal_output``, or None."""
    texts = context.registrations.hooks.fire(
        "transform_terminal_output",
        command=command,
        output=output,
        returncode=status,
        task_id=_find_owner(context),
        tool_call_id=context.tool_call_id,
        env_type="local",
    )
    return next((text for text in texts if isinstance(text, str)), None)


def serve_command(args: Any, recorded: Mapping[str, Any], context: ToolContext) -> Any:
    """Return the recorded result of a command if it may run, with its output transformed by plugins."""
    command = args.get("command")
    if not isinstance(command, str):
        return recorded["result"]
    if refused := judge_command(command, context).refused:
        return answer(**refused)
    if "output" not in recorded:
        return recorded["result"]
    result = json.loads(recorded["result"])
    transformed = _transform(command, recorded["output"], result.get("exit_code", 0), context)
    output = recorded["output"] if transformed is None else transformed
    result["output"] = _ESCAPES.sub("", _truncate(output, _read_limit(context))).strip()
    return answer(**result)


def _read_limit(context: ToolContext) -> int:
    """Return the maximum length of the output for the model."""
    return _read_positive(context, "tool_output", "max_bytes", MAX_CHARACTERS)


def _report_directory(completed: Completed, started: str) -> dict[str, Any]:
    """Return the working directory after a command, as a field of the result, if it changed."""
    moved = completed.cwd and os.path.realpath(completed.cwd) != os.path.realpath(Path(started).expanduser())
    return {"cwd": completed.cwd} if moved else {}


def _read_positive(context: ToolContext, section: str, key: str, default: int) -> int:
    value = to_int(context.section(section).get(key), default)
    return value if value > 0 else default


def _find_background_advice(command: str, context: ToolContext) -> str | None:
    """Return the host's advice for a command that belongs in the background, or None."""
    words = " ".join(command.lower().split())
    if " --help" in words or " --version" in words or words.endswith((" -h", " -v")):
        return None
    bare = _QUOTED.sub("''", command)
    if _WRAPPER.search(bare):
        return context.state.wording("terminal.wrapper")
    if _AMPERSAND.search(bare):
        return context.state.wording("terminal.ampersand")
    if _SERVERS.search(bare):
        return (
            "This foreground command appears to start a long-lived server/watch process. Run it in"
            " the background and test it in another command."
        )
    return None


def _truncate(output: str, limit: int) -> str:
    if len(output) <= limit:
        return output
    head = int(limit * HEAD)
    notice = f"\n\n... [OUTPUT TRUNCATED - {len(output) - limit} chars omitted out of {len(output)} total] ...\n\n"
    return output[:head] + notice + output[len(output) - (limit - head) :]
