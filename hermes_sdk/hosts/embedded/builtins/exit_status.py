"""Recognises the commands on whose exit status Hermes advises the model; the advice is not modelled."""

from __future__ import annotations

import re
import signal
from collections.abc import Mapping

_SCANNED = 4000
"""How many characters of the output are searched."""
_ONE = frozenset({1})
_MEANT: Mapping[str, frozenset[int]] = {
    **dict.fromkeys(("[", "ack", "ag", "colordiff", "diff", "egrep"), _ONE),
    **dict.fromkeys(("fgrep", "find", "git", "grep", "rg", "test"), _ONE),
    "curl": frozenset({6, 7, 22, 28}),
}
"""Command -> the statuses that have a meaning of their own."""
_SIGNALS = frozenset(["QUIT", "ILL", "ABRT", "BUS", "FPE", "KILL", "SEGV", "PIPE", "TERM", "XCPU", "XFSZ"])
_TIMED_OUT, _NOT_EXECUTABLE = 124, 126
_RECOGNISED = re.compile(
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
"""Failures in the output."""
_READS = re.compile(r"ag|awk|cat|dmesg|echo|find|grep|head|journalctl|jq|ls|printf|rg|sed|strings|tail|zcat")
"""Commands whose output may report failures of other commands."""
_FAILURES = re.compile(
    r"(?m)error\[E\d+\]|error: could not compile|error: aborting due to|Traceback \(most recent call last\)"
    r"|^(?:=+ )?\d+ failed|^FAILED \S+(?:::|\.py)|compilation terminated\.|npm ERR!|B(?:UILD|uild) FAILED|FAILED: "
    r"|^make(?:\[\d+\])?: \*\*\*"
)
_ENDS_IN_PIPE = re.compile(r"(?<!\|)\|(?!\|)\s*(?:cat|head|less|more|sort|tail|tee|uniq|wc)\b[^|]*$")
_FALLS_BACK = re.compile(r"\|\|\s*(?:(?:echo|printf|true)\b|:\s|:$)")


def has_meaning(command: str, status: int) -> bool:
    """Return whether an exit status has a meaning that is specific to the last part of a command."""
    return status in _MEANT.get(_find_program(re.split(r"\|\||&&|[|;]", command)[-1], "-"), ())


def has_advice(command: str, status: int, output: str) -> bool:
    """Return whether a later release advises the model after a command."""
    start = output[:_SCANNED]
    if status == 0:
        is_reader = _READS.fullmatch(_find_program(command, ("=", "./", "/")))
        hides = _ENDS_IN_PIPE.search(command) or _FALLS_BACK.search(command)
        return bool(not is_reader and hides and _FAILURES.search(start))
    return _is_signal(status) or status in (_TIMED_OUT, _NOT_EXECUTABLE) or _RECOGNISED.search(start) is not None


def _is_signal(status: int) -> bool:
    """Return whether a status stands for a signal, as Python (-9) or as a shell (137) reports it."""
    if status < 0:
        return -status != signal.SIGINT
    return status - 128 in {getattr(signal, f"SIG{name}") for name in _SIGNALS}


def _find_program(command: str, prefixes: str | tuple[str, ...]) -> str:
    """Return the name of the program in a command, after its assignments; words with the prefixes are none."""
    words = (word for word in command.split() if "=" not in word or word.startswith(prefixes))
    return next(words, "").rpartition("/")[2]
