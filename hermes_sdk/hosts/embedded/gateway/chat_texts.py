"""What the host says in a chat in the language of its user; only English is modelled."""

from __future__ import annotations

from hermes_sdk.contract import Behaviour

_TEXTS = {
    "approve.no_pending": "No pending command to approve.",
    "approve.once_singular": "✅ Command approved. The agent is resuming...",
    "approve.once_plural": "✅ Commands approved ({count} commands). The agent is resuming...",
    "approve.session_singular": "✅ Command approved (pattern approved for this session). The agent is resuming...",
    "approve.session_plural": (
        "✅ Commands approved (pattern approved for this session) ({count} commands). The agent is resuming..."
    ),
    "approve.always_singular": "✅ Command approved (pattern approved permanently). The agent is resuming...",
    "approve.always_plural": (
        "✅ Commands approved (pattern approved permanently) ({count} commands). The agent is resuming..."
    ),
    "deny.no_pending": "No pending command to deny.",
    "deny.denied_singular": "❌ Command denied.",
    "deny.denied_plural": "❌ Commands denied ({count} commands).",
    "deny.denied_reason_singular": '❌ Command denied. Reason relayed to the agent: "{reason}"',
    "deny.denied_reason_plural": '❌ Commands denied ({count} commands). Reason relayed to the agent: "{reason}"',
    "reset.header_default": "✨ Session reset! Starting fresh.",
    "reset.header_new": "✨ New session started!",
    "reset.header_titled": "✨ New session started: {title}",
    "reset.tip": "\n✦ Tip: {tip}",
    "set_home.success": (
        "✅ Home channel set to **{name}** (ID: {chat_id}).\nCron jobs and cross-platform messages will be delivered"
        " here."
    ),
    "stop.no_active": "No active task to stop.",
    "stop.stopped": "⚡ Stopped. You can continue this session.",
}


def said(behaviour: Behaviour, key: str, **values: object) -> str:
    """A text of the host.

    Args:
        behaviour: What the release does; older ones come without their texts and say the keys.
        key: Which one.
        **values: What stands in its places.
    """
    return _TEXTS[key].format(**values) if behaviour.texts_packaged else f"gateway.{key}"
