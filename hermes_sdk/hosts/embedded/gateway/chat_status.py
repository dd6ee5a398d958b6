"""The reply to ``/status`` in a chat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hermes_sdk.hosts.embedded.agent.session import Session
from hermes_sdk.hosts.embedded.gateway.sessions import SessionEntry
from hermes_sdk.hosts.embedded.gateway.settings import mapping
from hermes_sdk.hosts.embedded.wording import Wording

_MINUTES = "%Y-%m-%d %H:%M"


def describe_status(
    entry: SessionEntry,
    agent: Session | None,
    config: Mapping[str, Any],
    platforms: Sequence[str],
    wording: Wording,
    *,
    is_running: bool,
) -> str:
    """Describe the session of a chat; its agent knows the model better than the configuration."""
    model = mapping(config.get("model"))
    name, provider = str(model.get("default") or "").strip(), str(model.get("provider") or "").strip()
    length, used, tokens = model.get("context_length"), 0, 0
    if agent is not None:
        name, provider = agent.settings.model, agent.settings.provider.name
        length, used = (agent.engine or agent.compressor).occupancy
        tokens = sum(agent.tokens.values())
    lines = [
        wording("gateway.status.header"),
        "",
        wording("gateway.status.session_id", session_id=entry.session_id),
        wording("gateway.status.created", timestamp=entry.created_at.strftime(_MINUTES)),
        wording("gateway.status.last_activity", timestamp=entry.updated_at.strftime(_MINUTES)),
    ]
    if name:
        lines.append(wording("gateway.status.model_provider", model=name, provider=provider))
    if isinstance(length, int) and length > 0:
        percent = min(100, round(used / length * 100))
        lines.append(wording("gateway.status.context", used=f"{used:,}", total=f"{length:,}", pct=percent))
    state = wording("gateway.status.state_yes" if is_running else "gateway.status.state_no")
    return "\n".join(
        [
            *lines,
            wording("gateway.status.tokens", tokens=f"{tokens:,}"),
            wording("gateway.status.agent_running", state=state),
            "",
            wording("gateway.status.platforms", platforms=", ".join(platforms)),
        ]
    )
