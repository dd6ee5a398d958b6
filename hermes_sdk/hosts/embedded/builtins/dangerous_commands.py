"""Patterns of the commands that the host never runs, and of those that a person has to approve.

These are only the common ones: a command that matches none of them may match another pattern of the host.
"""

from __future__ import annotations

import re
from functools import cache

_START = r"(?:^|[;&|\n`(])\s*(?:sudo\s+(?:-\S+\s+)*)?(?:env\s+(?:\w+=\S*\s+)*)?(?:(?:exec|nohup|setsid|time)\s+)*"
_END = r"[\"']?(?:[\s;&|)`]|$)"
_RM = _START + r"rm\s+(?:-\S*\s+)*[\"']?"
_DISK = r"/dev/(?:hd|mmcblk|nvme|sd|vd|xvd)"
_SHELL = r"(?:ba|z|k|da)?sh\b"
_SECRETS = r"(?:~|\$\{?home\}?)/\.(?:ssh/|bashrc|zshrc|profile|bash_profile|zprofile|netrc|pgpass|npmrc|pypirc)"
_PROJECT = r"[\"']?(?:\S*/)?(?:\.env(?:\.[\w-]+)*|config\.yaml)[\"']?(?=[\s;&|<>]|$)"

NEVER_RUN = (
    (_RM + r"/(?:\.{0,2}/)*\.{0,2}\**" + _END, "recursive delete of root filesystem"),
    (_RM + r"/(?:home|root|etc|usr|var|bin|sbin|boot|lib)(?:/\*)?" + _END, "recursive delete of system directory"),
    (_RM + r"(?:~|\$\{?home\}?)(?:/\*?)?" + _END, "recursive delete of home directory"),
    (r"\bmkfs(?:\.\w+)?\b", "format filesystem (mkfs)"),
    (r"\bdd\b[^\n]*\bof=" + _DISK, "dd to raw block device"),
    (r">\s*" + _DISK, "redirect to raw block device"),
    (r":\(\)\s*\{\s*:\s*\|\s*:\s*&\s*\}\s*;\s*:", "fork bomb"),
    (r"\bkill\s+(?:-\S+\s+)*-1\b", "kill all processes"),
    (_START + r"(?:shutdown|reboot|halt|poweroff)\b", "system shutdown/reboot"),
    (_START + r"init\s+[06]\b", "init 0/6 (shutdown/reboot)"),
    (_START + r"systemctl\s+(?:poweroff|reboot|halt|kexec)\b", "systemctl poweroff/reboot"),
)
"""A pattern for the command in lower case, and the host's name for its effect."""

NEEDS_APPROVAL = (
    (r"\brm\s+(?:-\S*\s+)*/", "delete in root path"),
    (r"\brm\s+-\S*r", "recursive delete"),
    (r"\brm\s+--recursive\b", "recursive delete (long flag)"),
    (r"\bchmod\s+(?:-\S*\s+)*(?:777|666|[oa]\+[rwx]*w)\b", "world/other-writable permissions"),
    (r"\bchown\s+(?:-\S*)?r\s+root", "recursive chown to root"),
    (r"\bdd\s.*if=", "disk copy"),
    (r"\bdrop\s+(?:table|database)\b", "SQL DROP"),
    (r"\bdelete\s+from\b(?![^\n]*\bwhere\b)", "SQL DELETE without WHERE"),
    (r"\btruncate\s+(?:table)?\s*\w", "SQL TRUNCATE"),
    (r">\s*/etc/", "overwrite system config"),
    (r"\bsystemctl\s+(?:-\S+\s+)*(?:stop|restart|disable|mask)\b", "stop/restart system service"),
    (r"\bpkill\s+-9\b", "force kill processes"),
    (r"\b(?:curl|wget)\b.*\|\s*(?:[\w/]*/)?(?:ba)?sh(?:\s|$)", "pipe remote content to shell"),
    (r"\b(?:ba|z|k)?sh\s+<\s*<?\s*\(\s*(?:curl|wget)\b", "execute remote script via process substitution"),
    (
        r"\bbase(?:64|32|16)\s+(?:-d|--decode)\b.*\|\s*" + _SHELL,
        "pipe decoded content to shell (possible command obfuscation)",
    ),
    (r"\btee\b.*[\"']?(?:/etc/|" + _SECRETS + ")", "overwrite system file via tee"),
    (r">>?\s*[\"']?(?:/etc/|" + _SECRETS + ")", "overwrite system file via redirection"),
    (r"\btee\b.*\s" + _PROJECT, "overwrite project env/config via tee"),
    (r">>?\s*" + _PROJECT, "overwrite project env/config via redirection"),
    (r"\bxargs\s.*\brm\b", "xargs with rm"),
    (r"\bfind\b.*-exec(?:dir)?\s+(?:/\S*/)?rm\b", "find -exec/-execdir rm"),
    (r"\bfind\b.*-delete\b", "find -delete"),
    (r"\bhermes\s+(?:-\S+\s+)*gateway\s+(?:stop|restart)\b", "stop/restart hermes gateway (kills running agents)"),
    (r"\bhermes\s+update\b", "hermes update (restarts gateway, kills running agents)"),
    (r"\b(?:cp|mv|install)\b.*\s/etc/", "copy/move file into system config path"),
    (r"\bsed\s+-\S*i.*\s/etc/", "in-place edit of system config"),
    (r"\bgit\s+reset\s+--hard\b", "git reset --hard (destroys uncommitted changes)"),
    (r"\bgit\s+push\b.*--force", "git force push (rewrites remote history)"),
    (r"\bgit\s+push\b.*-f\b", "git force push short flag (rewrites remote history)"),
    (r"\bgit\s+clean\s+-\S*f", "git clean with force (deletes untracked files)"),
    (r"\bchmod\s+\+x\b.*[;&|]+\s*\./", "chmod +x followed by immediate execution"),
    (_START + r"(?:\S*/)?(?:ba|z|k|da)?sh\s+(?:-\S+\s+)*-[a-z]*c\s", "shell command via -c/-lc flag"),
    (_START + r"(?:\S*/)?(?:python[\d.]*|perl|ruby|node)\s+(?:-\S+\s+)*-[ec]\s", "script execution via -e/-c flag"),
)
"""Commands that a person has to approve, in the same form."""


def find_forbidden(command: str) -> str | None:
    """Return the host's name for why a command never runs, or None."""
    return _find_match(NEVER_RUN, command)


def find_dangerous(command: str) -> str | None:
    """Return the host's name for why a command needs approval, or None."""
    return _find_match(NEEDS_APPROVAL, command)


def is_password_guess(command: str) -> bool:
    """Tell whether a command passes ``sudo`` a password on its standard input."""
    return re.search(r"(?:^|[;&|`\n(])\s*sudo\s+-s\b", command.lower()) is not None


def _find_match(table: tuple[tuple[str, str], ...], command: str) -> str | None:
    text = command.lower()
    return next((name for pattern, name in _compile(table) if pattern.search(text)), None)


@cache
def _compile(table: tuple[tuple[str, str], ...]) -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(pattern, re.DOTALL), name) for pattern, name in table)
