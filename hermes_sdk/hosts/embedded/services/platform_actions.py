"""``ctx.platform_actions``: reactions and thread titles in chats (statement N36)."""

from __future__ import annotations

import logging
from typing import Any

from hermes_sdk.hosts.embedded.host_classes import of_module
from hermes_sdk.hosts.embedded.services.capabilities import PLATFORM_ACTIONS, is_granted
from hermes_sdk.hosts.embedded.state import HostState

logger = logging.getLogger("hermes_cli.platform_actions")

GATEWAY = "gateway"
"""Key of the running gateway in `HostState.memory`."""

_PLATFORMS_WITH_ACTIONS = frozenset({"discord", "telegram"})

Result = dict[str, Any]


@of_module("hermes_cli.platform_actions")
class PlatformActions:
    """Actions of a plugin in chats; every method returns ``ok``, or ``error`` and ``detail``."""

    def __init__(self, state: HostState, plugin_id: Any) -> None:
        self._state = state
        self._plugin_id = plugin_id

    async def add_reaction(self, platform: str, chat_id: str, message_id: str, emoji: str) -> Result:
        """React to a message."""
        return await self._act("add_reaction", platform, chat_id=chat_id, message_id=message_id, emoji=emoji)

    async def set_thread_title(self, platform: str, chat_id: str, thread_id: str, title: str) -> Result:
        """Set the title of a thread."""
        return await self._act("set_thread_title", platform, chat_id=chat_id, thread_id=thread_id, title=title)

    async def _act(self, verb: str, platform: Any, **arguments: Any) -> Result:
        result = self._find_refusal(platform, arguments)
        if result is None:
            if str(platform).strip().lower() in _PLATFORMS_WITH_ACTIONS:
                raise self._state.unsupported(f"act in chats of {platform}")
            result = _make_error("unsupported_platform_action", f"{verb} is not implemented for {platform}")
        message = "platform_action plugin=%s verb=%s platform=%s ok=%s error=%s"
        logger.info(message, self._plugin_id, verb, platform, result["ok"], result["error"])
        return result

    def _find_refusal(self, platform: Any, arguments: Result) -> Result | None:
        """Return why an action is not possible, or None."""
        if not is_granted(self._state, self._plugin_id, PLATFORM_ACTIONS):
            return _make_error(
                "capability_not_granted",
                f"plugin {self._plugin_id!r} lacks the {PLATFORM_ACTIONS!r} capability (grant via consent flow or"
                f" plugins.entries.{self._plugin_id}.allow_platform_actions)",
            )
        for name, value in arguments.items():
            if not isinstance(value, str) or not value.strip():
                return _make_error("invalid_argument", f"{name} must be a non-empty string")
        gateway = self._state.memory.get(GATEWAY)
        if gateway is None:
            return _make_error("gateway_unavailable", "no gateway runner is active in this process")
        try:
            known = gateway.classes.Platform(str(platform).strip().lower())
        except ValueError:
            return _make_error("unknown_platform", f"unknown platform {platform!r}")
        adapter = gateway.adapters.get(known)
        if adapter is None:
            return _make_error("adapter_not_registered", f"no {known.value} adapter is registered")
        if not adapter.is_connected:
            return _make_error("adapter_disconnected", f"the {known.value} adapter is not connected")
        return None


def _make_error(code: str, detail: str) -> Result:
    return {"ok": False, "error": code, "detail": detail}
