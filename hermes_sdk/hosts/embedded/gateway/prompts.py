"""What a gateway tells the model beside what the user writes, and the user beside what the model says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

FIRST = (
    "[System note: This is the user's very first message ever. Briefly introduce yourself and mention that /help shows"
    " available commands. Keep the introduction concise -- one or two sentences max.]"
)
"""To the model, with the first message that ever came."""

FIRST_WITH_PROFILE = (
    "[System note: This is the user's very first message ever. After a one-sentence introduction (mention /help shows"
    " commands), OFFER — do not assume — to build a short profile of them so you can be more useful, and explain they"
    " can decline or do it later. If and ONLY IF they accept:\n  1. Ask for whatever they're comfortable sharing"
    " (name, what they do, how they like you to work). Volunteered facts come first.\n  2. Before ANY external lookup,"
    " say what you intend to look up and get explicit consent for that step. Never read their connected accounts"
    " (email, calendar, etc.) silently — ask each time.\n  3. With consent, you may use web_search to confirm public"
    " details (e.g. employer, public profiles) from the data points they gave.\n  4. Save each confirmed, durable fact"
    " with the"
    ' memory tool using target="user" — keep entries compact and high-signal.\nIf they decline at any point, stop'
    " immediately and continue normally. Keep the whole exchange light and conversational, not an interrogation.]"
)
"""The same, where the host offers to learn who the user is."""

EXPIRED = {
    "daily": (
        "[System note: The user's session was automatically reset by the daily schedule. This is a fresh conversation"
        " with no prior context.]"
    ),
    "idle": (
        "[System note: The user's previous session expired due to inactivity. This is a fresh conversation with no"
        " prior context.]"
    ),
}
"""To the model, with the first message after a session that ended by itself."""

NO_HOME = (
    "📬 No home channel is set for {name}. A home channel is where Hermes delivers cron job results and cross-platform"
    " messages.\n\nType /sethome to make this chat your home channel, or ignore to skip."
)
"""To the user, once in each session."""

HINTS = {
    "interrupt": (
        "💡 First-time tip — I just interrupted my current task to answer you. Send `/busy queue` to queue follow-ups"
        " for after the current task instead, `/busy steer` to inject them mid-run without interrupting, or `/busy"
        " status` to check. This notice won't appear again."
    ),
    "queue": (
        "💡 First-time tip — I queued your message instead of interrupting. Send `/busy interrupt` to make new messages"
        " stop the current task immediately, or `/busy status` to check. This notice won't appear again."
    ),
}
"""To the user who writes for the first time while the agent is busy."""

_UNFRAMED = (
    "You are a security reviewer for an AI coding agent. A terminal command was flagged by pattern matching as"
    " potentially dangerous.\n\nCommand: {command}\nFlagged reason: {reason}\n\nAssess the ACTUAL risk of this command."
    ' Many flagged commands are false positives — for example, `python -c "print(\'hello\')"` is flagged as "script'
    ' execution via -c flag" but is completely harmless.\n\nRules:\n- APPROVE if the command is clearly safe (benign'
    " script execution, safe file operations, development tools, package installs, git operations, etc.)\n- DENY if the"
    " command could genuinely damage the system (recursive delete of important paths, overwriting system files, fork"
    " bombs, wiping disks, dropping databases, etc.)\n- ESCALATE if you're uncertain\n\nRespond with exactly one word:"
    " APPROVE, DENY, or ESCALATE"
)


def reset_notice(reason: str, policy: Any) -> str:
    """What the user is told of a session that ended by itself."""
    why = f"daily schedule at {policy.at_hour}:00"
    if reason == "idle":
        hours, minutes = policy.idle_minutes // 60, policy.idle_minutes % 60
        parts = [f"{hours}h" if hours else "", f"{minutes}m" if minutes else ""]
        why = f"inactive for {' '.join(filter(None, parts))}"
    return (
        f"◐ Session automatically reset ({why}). Conversation history cleared.\nUse /resume to browse and restore a"
        " previous session.\nAdjust reset timing in config.yaml under session_reset."
    )


def model_info(config: Mapping[str, Any], default_length: int) -> str:
    """What the user is told of the model when a session begins."""
    section = config.get("model")
    model: Mapping[str, Any] = section if isinstance(section, Mapping) else {}
    given = model.get("context_length")
    length = given if isinstance(given, int) else default_length
    size = (
        f"{length / 1_000_000:.1f}M" if length >= 1_000_000 else f"{length // 1000}K" if length >= 1000 else str(length)
    )
    lines = [
        f"◆ Model: `{model.get('default', '')}`",
        f"◆ Provider: {model.get('provider') or 'openrouter'}",
        f"◆ Context: {size} tokens ({'config' if isinstance(given, int) else 'detected'})",
    ]
    url = str(model.get("base_url") or "")
    if any(host in url for host in ("localhost", "127.0.0.1", "0.0.0.0")):
        lines.append(f"◆ Endpoint: {url}")
    return "\n".join(lines)


def session_notes(source: Any, hint: str, platforms: Iterable[str], *, shared: bool) -> tuple[str, ...]:
    """What the system prompt says of the chat.

    Args:
        source: Where the message came from.
        hint: What the platform's plugin says of it.
        platforms: The platforms that are connected.
        shared: Whether several users share the session.
    """
    lines = ["## Current Session Context", "", f"**Source:** {source.platform.value.title()} ({source.description})"]
    if source.chat_topic:
        lines.append(f"**Channel Topic:** {source.chat_topic}")
    if shared:
        kind = "Multi-user thread" if source.thread_id else "Multi-user session"
        lines.append(f"**Session type:** {kind} — messages are prefixed with [sender name].")
    elif source.user_name or source.user_id:
        lines.append(f"**User:** {source.user_name or source.user_id}")
    lines.append(f"**Connected Platforms:** {', '.join(['local', *platforms])}")
    return tuple(filter(None, [hint, "\n".join(lines)]))


def approval_request(request: Mapping[str, Any], prefix: str, *, keeps: bool, one_operation: bool) -> str:
    """What the user is asked about a command.

    Args:
        request: What hooks are told of it.
        prefix: What commands begin with on the platform.
        keeps: Whether the answer may hold for more than this once.
        one_operation: Whether the release says that it otherwise holds for this once.
    """
    command = request["command"]
    shown = f"{command[:200]}..." if len(command) > 200 else command
    heading = "Dangerous command requires approval" if keeps else "Smart DENY — owner override for one operation"
    once = " this one operation" if one_operation else ""
    choices = [f"Reply `{prefix}approve` to execute{once}"]
    if keeps:
        choices.append(f"`{prefix}approve session` to approve this pattern for the session")
        choices.append(f"`{prefix}approve always` to approve permanently")
    return (
        f"⚠️ **{heading}:**\n```\n{shown}\n```\nReason: {request['description']}\n\n"
        f"{', '.join(choices)}, or `{prefix}deny` to cancel."
    )


def judge_messages(command: str, reason: str, *, framed: bool) -> list[dict[str, Any]]:
    """What a model is asked that judges a command for the user.

    Args:
        command: The command.
        reason: Why it is suspicious.
        framed: Whether the release tells apart what the host says and what the agent wrote.
    """
    if not framed:
        return [{"role": "user", "content": _UNFRAMED.format(command=command, reason=reason)}]
    return [
        {"role": "system", "content": "Judge whether a command is safe. Answer APPROVE, DENY or ESCALATE."},
        {
            "role": "user",
            "content": (
                f"The following command was flagged as: {reason}\n\n<command>\n{command}\n</command>\n\nAssess the"
                f" ACTUAL risk of the shell operations in this command. Many flagged commands are false positives —"
                f" for example,"
                ' `python -c "print(\'hello\')"` is flagged as "script execution via -c flag" but is completely'
                " harmless.\n\nRespond with exactly one word: APPROVE, DENY, or ESCALATE"
            ),
        },
    ]
