"""Approval of shell commands: blocked commands, allowlist and prompts (D25)."""

from __future__ import annotations

import fnmatch
import logging
import os
import re
from collections import Counter
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

from hermes_sdk.hosts.embedded.approval.gate import (
    Surface,
    format_window,
    is_cron_approved,
    make_rule_keys,
    read_mode,
    select_ids,
)
from hermes_sdk.hosts.embedded.approval.prompts import Asker, asker
from hermes_sdk.hosts.embedded.builtins.tool import ToolContext, list_texts

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
    (_START + r"telinit\s+[06]\b", "telinit 0/6 (shutdown/reboot)"),
    (_START + r"systemctl\s+(?:poweroff|reboot|halt|kexec)\b", "systemctl poweroff/reboot"),
)
"""Blocked commands: patterns for the lower-case command, with the host's description of its effect."""
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
"""Commands that need approval, in the same form."""
_log = logging.getLogger("tools.approval")
_COMPOUND = re.compile(r"\n|[;&|<>`]|\$\(")
_QUOTED_OPERATOR = re.compile(r"(?s)(?=.*['\"\\\r]).*[\r\n;&|<>`$()]")
"""Matches operators that a release may read as part of a word, or as the end of a line."""
_POSSIBLY_DANGEROUS = re.compile(
    r"\brm\s.*\s(?:-[a-z]*r|--rec)|\b(?:chmod|chown)\s+--rec|\b(?:docker(?:-compose)?|podman)\b.*(?:\s-|stop|start|kill|down|use)"
    r"|\b(?:docker|container)_[a-z]+=|\bkill\b.*(?:pgrep|pidof)|\b(?:killall|pkill)\b.*(?:\s-|hermes|gateway|cli\.py)"
    r"|\b(?:eval|source|xxd|openssl)\b|(?:^|\s)\.\s*[$`]|\btr\b.*\||gateway\s+run\b|\blaunchctl\b|\b(?:ba|z|k)?sh\s+<<"
    r"|\bgit\s+branch\b.*-|\bsudo\b.*-|\b(?:cp|install|mv|perl|ruby|sed)\b.*(?:~|\$\{?home|/etc/|\.env|\.hermes|config\.yaml)"
    r"|\b(?:bcdedit|cipher|cmd|diskpart|icacls|iex|powershell|pwsh|taskkill|vssadmin|wbadmin)\b|\b(?:reg|sc)(?:\.exe)?\s"
    r"|\b(?:clear|format|invoke|remove|stop)-[a-z]+|\b(?:del|erase|format|rd|rmdir)\s.*[/:]|\bappdata\b|\\\.ssh",
    re.DOTALL,
)
"""Matches a superset of the other commands, in lower case, that some release treats as dangerous."""
_MAX_DENIALS = 2
_DENIALS = "denials of a judging model"


def find_forbidden(command: str) -> str | None:
    """Return the host's reason for blocking a command, or None."""
    return _find_match(NEVER_RUN, command)


def find_dangerous(command: str) -> str | None:
    """Return the host's reason for requiring approval of a command, or None."""
    return _find_match(NEEDS_APPROVAL, command)


def is_password_guess(command: str) -> bool:
    """Return whether a command passes ``sudo`` a password on its standard input."""
    return re.search(r"(?:^|[;&|`\n(])\s*sudo\s+-s\b", command.lower()) is not None


def _find_match(table: tuple[tuple[str, str], ...], command: str) -> str | None:
    text = command.lower()
    return next((name for pattern, name in _compile(table) if pattern.search(text)), None)


@cache
def _compile(table: tuple[tuple[str, str], ...]) -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(pattern, re.DOTALL), name) for pattern, name in table)


class Verdict(NamedTuple):
    """Decision about a command."""

    refused: dict[str, Any] | None = None
    """The result if the command may not run, else None."""
    note: str | None = None
    """The note about the approval in the result of a command that ran, or None."""


def judge_command(command: str, context: ToolContext) -> Verdict:
    """Decide whether a command may run, and ask for approval if there is a user to ask."""
    _refuse_quoted_line_breaks(command, context)
    if message := _find_block(command, context):
        return _block(message)
    waived, allowed = context.approval.waivers
    mode = read_mode(context.state.config.read())
    if waived or mode == "off" or _is_allowed(command, allowed, context):
        return Verdict()
    reason, surface = find_dangerous(command), Surface.from_environment()
    is_asked = asker.get() or surface.interactive or surface.gateway or surface.asks or surface.cron
    if reason is None and is_asked and _POSSIBLY_DANGEROUS.search(command.lower()):
        raise context.state.unsupported("decide whether a command needs approval that a release may take for dangerous")
    if reason is None or context.approval.is_approved(reason):
        return Verdict()
    if current := asker.get():
        return _ask_user(command, reason, mode, current, context)
    if surface.interactive or surface.gateway or surface.asks:
        return _deny_unattended(command, reason, surface, mode, context)
    if not surface.cron or is_cron_approved(context.state.config.read()):
        return Verdict()
    return _block(
        f"BLOCKED: Command flagged as dangerous ({reason}) but cron jobs run without a user present to"
        " approve it. Do it without this command. `approvals.cron_mode: approve` allows it."
    )


def _block(message: str) -> Verdict:
    return Verdict({"output": "", "exit_code": -1, "error": message, "status": "blocked"})


def _refuse(message: str, outcome: str, context: ToolContext) -> Verdict:
    """Block a command that was not approved; later releases add a summary for the user."""
    verdict = _block(message)
    if verdict.refused and context.behaviour.approval_outcomes_told:
        verdict.refused["user_summary"] = context.state.wording(
            f"approval.summary.{outcome}", window=format_window(context.state)
        )
    return verdict


def _ask_user(command: str, reason: str, mode: str, current: Asker, context: ToolContext) -> Verdict:
    """Ask the auxiliary model in smart mode, and the user of the chat unless the model approves."""
    request = {"command": command, "description": reason, **make_rule_keys(reason), **select_ids(context.ids)}
    decision = _ask_model(command, reason, current, context, request) if mode == "smart" else "escalate"
    _count_denial(decision, current.session_key, context)
    if decision == "approve":
        return Verdict(note=f"Command was flagged ({reason}) and auto-approved by smart approval.")
    refused = context.approval.ask(current, request, keeps=decision != "deny")
    if refused is None:
        _count_denial("approve", current.session_key, context)
        return Verdict(note=f"Command required approval ({reason}) and was approved by the user.")
    outcome = {"deny": "denied", "not asked": "notify_failed"}.get(refused.outcome, refused.outcome)
    return _refuse(refused.message("Command"), outcome, context)


def _count_denial(decision: str, session_key: str, context: ToolContext) -> None:
    """Count consecutive denials in a session.

    Raises:
        NotSupported: There were so many that later releases report them to the model.
    """
    denials: Counter[str] = context.state.memory.setdefault(_DENIALS, Counter())
    if decision == "approve":
        del denials[session_key]
    elif decision == "deny":
        denials[session_key] += 1
        if denials[session_key] > _MAX_DENIALS:
            raise context.state.unsupported("tell a model that many commands in a row were denied")


def _ask_model(command: str, reason: str, current: Asker, context: ToolContext, request: Mapping[str, Any]) -> str:
    event = {"session_key": current.session_key, **request, "surface": "smart"}
    context.registrations.hooks.fire("pre_approval_request", **event)
    decision = current.judge(command, reason)
    if decision in ("approve", "deny"):
        context.registrations.hooks.fire(
            "post_approval_response", **event, choice=f"smart_{decision}", decided_by="aux_llm"
        )
    return decision


def _find_block(command: str, context: ToolContext) -> str | None:
    """Return why a command is blocked regardless of approvals, or None."""
    if name := find_forbidden(command):
        _log.warning("Hardline block: %s (command: %s)", name, command[:200])
        return f"BLOCKED (hardline): {name}. No setting allows it; the user can run it in a terminal."
    if "SUDO_PASSWORD" not in os.environ and is_password_guess(command):
        name = "sudo password guessing via stdin (sudo -S)"
        _log.warning("Sudo stdin guard block: %s (command: %s)", name, command[:200])
        return f"BLOCKED: {name}. Set SUDO_PASSWORD, or let the user run it in a terminal."
    if rule := _find_deny_rule(command, context):
        _log.warning("User deny rule %r blocked command: %s", rule, command[:200])
        return (
            f"BLOCKED: this command matches the user-defined deny rule '{rule}' (approvals.deny in"
            " config.yaml). No mode allows it. Do not try it in other words."
        )
    return None


def _find_deny_rule(command: str, context: ToolContext) -> str | None:
    rules = context.section("approvals").get("deny")
    texts = list_texts(rules) if isinstance(rules, list) else []
    matched = next((rule for rule in texts if fnmatch.fnmatchcase(command.lower().strip(), rule.lower())), None)
    plain = " ".join(re.sub(r"[\\'\"]", "", command.lower()).split())
    if matched is None and any(fnmatch.fnmatchcase(plain, f"*{rule.lower()}*") for rule in texts):
        raise context.state.unsupported("judge a command with a part that a rule of `approvals.deny` forbids")
    return matched


def _is_allowed(command: str, allowed: frozenset[Any], context: ToolContext) -> bool:
    """Return whether a simple command is on the allowlist or matches a pattern on it.

    Raises:
        NotSupported: The result depends on quoted operators.
    """
    text = command.strip()
    rules = (rule.strip() for rule in allowed if isinstance(rule, str))
    is_listed = any(text == rule or (re.search(r"[*?\[]", rule) and fnmatch.fnmatchcase(text, rule)) for rule in rules)
    if text and is_listed and _QUOTED_OPERATOR.match(text):
        raise context.state.unsupported("find a command with operators in quotes on the allowlist")
    return bool(text) and is_listed and not _COMPOUND.search(text)


def _refuse_quoted_line_breaks(command: str, context: ToolContext) -> None:
    """Refuse a command whose classification depends on line breaks that may be quoted."""
    joined = command.replace("\n", " ")
    before, after = ((find_forbidden(one), find_dangerous(one)) for one in (command, joined))
    if before != after and re.search(r"['\"]", command):
        raise context.state.unsupported("judge a command with line breaks in quotes")


def _deny_unattended(command: str, reason: str, surface: Surface, mode: str, context: ToolContext) -> Verdict:
    """Handle a request that nobody can answer: deny it at a terminal, and leave it pending elsewhere."""
    request = {"command": command, "description": reason, **make_rule_keys(reason), **select_ids(context.ids)}
    if mode == "smart":
        # The call of the auxiliary model fails here, so the decision is left to the user.
        session_key = os.environ.get("HERMES_SESSION_KEY", "default")
        context.registrations.hooks.fire("pre_approval_request", session_key=session_key, **request, surface="smart")
    if surface.gateway or surface.asks:
        return Verdict(_report_pending(command, reason))
    context.approval.fire_unanswered(request)
    return _refuse(context.state.wording("terminal.no_consent"), "denied", context)


def _report_pending(command: str, reason: str) -> dict[str, Any]:
    return {
        "output": "",
        "exit_code": -1,
        "error": "",
        "status": "pending_approval",
        "approval_pending": True,
        "command": command,
        "description": reason,
        "pattern_key": reason,
        "smart_denied": False,
        "allow_permanent": True,
    }
