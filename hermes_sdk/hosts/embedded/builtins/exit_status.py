"""What the host tells a model of the exit status of a command, and of a failure that it recognises in the output."""

from __future__ import annotations

import re
import signal
from collections.abc import Mapping

SCANNED = 4000
"""How many characters of the output are searched."""

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
"""Command -> the meaning of a status that is specific to it."""

_SIGNALS = {
    signal.SIGQUIT: "SIGQUIT (quit from keyboard)",
    signal.SIGILL: "SIGILL (illegal instruction — corrupt binary or wrong architecture)",
    signal.SIGABRT: "SIGABRT (abort — assertion failure, fatal runtime error, or glibc abort)",
    signal.SIGBUS: "SIGBUS (bus error — misaligned or unmapped memory access)",
    signal.SIGFPE: "SIGFPE (fatal arithmetic error, e.g. integer division by zero)",
    signal.SIGKILL: "SIGKILL — often the kernel OOM killer on memory exhaustion, or an explicit kill -9",
    signal.SIGSEGV: "SIGSEGV (segmentation fault — the program crashed)",
    signal.SIGPIPE: "SIGPIPE (wrote to a closed pipe — e.g. output piped to a reader that exited)",
    signal.SIGTERM: "SIGTERM (terminated — kill/timeout or shutdown requested it to stop)",
    signal.SIGXCPU: "SIGXCPU (CPU time limit exceeded)",
    signal.SIGXFSZ: "SIGXFSZ (file size limit exceeded)",
}

_MISSING = {
    "python": (
        "This system has no bare `python` — use `python3`, or the project venv's interpreter (e.g. .venv/bin/python)."
    ),
    "pip": (
        "This system has no bare `pip` — use `pip3`, `python3 -m pip`, or the project venv's pip (e.g. .venv/bin/pip)."
    ),
}
_MISSING_OTHER = (
    "`{0}` is not installed or not on PATH. Verify with `which {0}`; install it or use an absolute path instead of"
    " retrying the same command."
)
_NOT_FOUND = re.compile(r"([\w.+-]+): command not found")
_ADVICE: Mapping[str, str] = {
    r'Unknown JSON field: "?(\w+)': (
        "The installed gh does not support the JSON field '{0}'. The valid field list is printed in the output above —"
        " retry using only fields from that list."
    ),
    r"(?m)^CONFLICT |Automatic merge failed|needs merge": (
        "Git merge conflict. Do not retry this command. Resolve the conflicted files listed above (edit, then `git"
        " add`), then continue (`git rebase --continue` / commit the merge) — or abort with `--abort`."
    ),
    _NOT_FOUND.pattern: _MISSING_OTHER,
    r"(?:ModuleNotFound|Import)Error: No module named '?([\w.]+)": (
        "Python cannot import '{0}'. Most often the wrong interpreter is running: activate the project venv (e.g."
        " `source .venv/bin/activate`) or invoke its python directly. Only pip install if the package is genuinely"
        " absent from that venv."
    ),
    r"(?:fatal|error):.*?'([^']+)' already exists": (
        "'{0}' already exists — retrying unchanged will keep failing. Reuse it, choose another name, or delete it first"
        " if it is genuinely stale."
    ),
    r"API rate limit|was submitted too quickly": (
        "GitHub API rate limit hit — immediate retries will keep failing. Continue with other work and retry this"
        " operation later."
    ),
    r"Permission denied|EACCES": (
        "Permission denied. Check ownership/mode of the target path (`ls -la`); prefer a user-writable location. Only"
        " escalate to sudo if the task genuinely requires it."
    ),
}
"""Pattern of a failure in the output -> the advice of the host, in the order in which it looks."""

_ADVICE_BY_STATUS = {
    124: (
        "Exit 124: the command hit its timeout. Raise timeout= (foreground max 600s) or run it with background=true and"
        " notify_on_complete=true."
    ),
    126: (
        "Exit 126: the file was found but is not executable — `chmod +x` it or invoke it via its interpreter (e.g."
        " `bash script.sh`)."
    ),
}

_READS = re.compile(r"ag|awk|cat|dmesg|echo|find|grep|head|journalctl|jq|ls|printf|rg|sed|strings|tail|zcat")
"""Commands whose output may report failures of other commands."""
_FAILURES = re.compile(
    r"(?m)error\[E\d+\]|error: could not compile|error: aborting due to|Traceback \(most recent call last\)"
    r"|^(?:=+ )?\d+ failed|^FAILED \S+(?:::|\.py)|compilation terminated\.|npm ERR!|B(?:UILD|uild) FAILED|FAILED: "
    r"|^make(?:\[\d+\])?: \*\*\*"
)
_ENDS_IN_PIPE = re.compile(r"(?<!\|)\|(?!\|)\s*(?:cat|head|less|more|sort|tail|tee|uniq|wc)\b[^|]*$")
_FALLS_BACK = re.compile(r"\|\|\s*(?:(?:echo|printf|true)\b|:\s|:$)")
_OF_PIPE = (
    "exit_code 0 here is the status of the last pipeline command (tail/head/cat/...), NOT of the command before the"
    " pipe — and the output contains failure indicators. Treat this run as FAILED until proven otherwise: re-run the"
    " command WITHOUT the pipe (output is auto-truncated and the full text is saved to a file, so piping through"
    " tail/head is never needed) to get the real exit code."
)
_OF_FALLBACK = (
    "exit_code 0 here is the status of the `||` fallback (echo/true), NOT of the command before it — and the output"
    " contains failure indicators. Treat this run as FAILED until proven otherwise: re-run the command bare to get its"
    " real exit code."
)


def explain_signal(status: int) -> str | None:
    """Return the meaning of a status that stands for a signal, as Python (-9) or as a shell (137) tells it."""
    number = -status if status < 0 else status - 128
    meaning = _SIGNALS.get(number)  # type: ignore[call-overload]
    if status < 0 and number != signal.SIGINT:
        known = meaning and f"Command terminated by signal {number}: {meaning}"
        return known or f"Command terminated by {_name(number)} (signal {number})"
    if status > 128 and meaning:
        return f"Exit code {status} usually means the command was terminated by signal {number}: {meaning}"
    return None


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def explain_status(command: str, status: int) -> str | None:
    """Return the meaning of an exit status that is specific to the last part of a command, or None."""
    last = re.split(r"\|\||&&|[|;]", command)[-1]
    words = (word for word in last.split() if "=" not in word or word.startswith("-"))
    return MEANINGS.get(next(words, "").rpartition("/")[2], {}).get(status)


def advise(command: str, status: int, output: str) -> str | None:
    """Return what the host advises after a command whose status has no meaning of its own, or None."""
    start = output[:SCANNED]
    if status == 0:
        return _doubt_success(command, start)
    for pattern, advice in _ADVICE.items():
        if found := re.search(pattern, start):
            given = _MISSING.get(found[1], advice) if pattern == _NOT_FOUND.pattern else advice
            return given.format(*found.groups())
    return _ADVICE_BY_STATUS.get(status)


def _doubt_success(command: str, output: str) -> str | None:
    """Return the warning for a status 0 that hides the failure of an earlier part of the command, or None."""
    words = (word for word in command.split() if "=" not in word or word.startswith(("=", "./", "/")))
    if _READS.fullmatch(next(words, "").rpartition("/")[2]) or not _FAILURES.search(output):
        return None
    return _OF_PIPE if _ENDS_IN_PIPE.search(command) else _OF_FALLBACK if _FALLS_BACK.search(command) else None
