"""Texts that a gateway adds to a conversation: notes for the model, and notices for the user."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from hermes_sdk.hosts.embedded.gateway.classes import as_mapping
from hermes_sdk.hosts.embedded.wording import Wording
from hermes_sdk.llm import CONTEXT_LENGTH

EXPIRED = {
    "daily": (
        "[System note: The user's session was automatically reset by the daily schedule. Nothing said before is known.]"
    ),
    "idle": "[System note: The user's previous session expired due to inactivity. Nothing said before is known.]",
}
"""Notes for the model with the first message after a session expired."""


def format_reset_notice(reason: str, policy: Any) -> str:
    """Format the notice that a session expired."""
    why = f"daily schedule at {policy.at_hour}:00"
    if reason == "idle":
        hours, minutes = policy.idle_minutes // 60, policy.idle_minutes % 60
        parts = [f"{hours}h" if hours else "", f"{minutes}m" if minutes else ""]
        why = f"inactive for {' '.join(filter(None, parts))}"
    return (
        f"◐ Session automatically reset ({why}). Conversation history cleared.\n`/resume` restores a"
        " session; session_reset sets when this happens."
    )


def describe_model(config: Mapping[str, Any], wording: Wording) -> str:
    """Describe the model, its provider and its context length to the user."""
    model = as_mapping(config.get("model"))
    given = model.get("context_length")
    length = given if isinstance(given, int) else CONTEXT_LENGTH
    size = (
        f"{length / 1_000_000:.1f}M" if length >= 1_000_000 else f"{length // 1000}K" if length >= 1000 else str(length)
    )
    lines = [
        wording("gateway.session.info_model", model=model.get("default", "")),
        wording("gateway.session.info_provider", provider=model.get("provider") or "openrouter"),
        wording("gateway.session.info_context", size=size, source="config" if isinstance(given, int) else "detected"),
    ]
    url = str(model.get("base_url") or "")
    if any(host in url for host in ("localhost", "127.0.0.1", "0.0.0.0")):
        lines.append(wording("gateway.session.info_endpoint", url=url))
    return "\n".join(lines)


def describe_chat(source: Any, hint: str, platforms: Iterable[str], *, shared: bool) -> tuple[str, ...]:
    """Format the description of a chat for the system prompt.

    `hint` is the plugin's hint about the platform, `platforms` are the names of the connected platforms; `shared` says
    whether several users share the session.
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
