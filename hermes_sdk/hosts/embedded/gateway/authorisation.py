"""Who may write to the agent (H10)."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from hermes_sdk.hosts.embedded.gateway.pairing import PairingStore
from hermes_sdk.hosts.embedded.gateway.platforms import Platforms
from hermes_sdk.hosts.embedded.gateway.settings import GatewayConfig

_YES = frozenset({"1", "true", "yes"})
_GROUPS = frozenset({"channel", "forum", "group"})


class Authorisation:
    """Decides whom the gateway answers.

    Args:
        platforms: The platforms of plugins.
        config: What the gateway is told.
        pairing: The users who were let in.
        adapter: Gives the adapter of a platform, or None.
    """

    def __init__(
        self, platforms: Platforms, config: GatewayConfig, pairing: PairingStore, adapter: Callable[[Any], Any]
    ) -> None:
        self._platforms = platforms
        self._config = config
        self._pairing = pairing
        self._adapter = adapter

    @property
    def is_configured(self) -> bool:
        """Whether anything says who may write."""
        entries = self._platforms.by_name.values()
        lists = ["GATEWAY_ALLOWED_USERS", *(getattr(one, "allowed_users_env", "") for one in entries)]
        everybody = ["GATEWAY_ALLOW_ALL_USERS", *(getattr(one, "allow_all_env", "") for one in entries)]
        return any(map(_said, lists)) or any(_said(one).lower() in _YES for one in everybody)

    def allows(self, source: Any) -> bool:
        """Tell whether the user of a source may write."""
        adapter = self._adapter(source.platform)
        if getattr(adapter, "authorization_is_upstream", False):
            return True
        if not source.user_id:
            return False
        entry = self._platforms.by_name.get(source.platform.value)
        if (
            _said(getattr(entry, "allow_all_env", "")).lower() in _YES
            or getattr(source, "role_authorized", False) is True
        ):
            return True
        if self._pairing.is_approved(source.platform.value, source.user_id):
            return True
        lists = [_said(getattr(entry, "allowed_users_env", "")), _said("GATEWAY_ALLOWED_USERS")]
        if not any(lists):
            own = getattr(adapter, "enforces_own_access_policy", False) and self._adapter_decides(adapter, source)
            return own or _said("GATEWAY_ALLOW_ALL_USERS").lower() in _YES
        allowed = {one.strip() for listed in lists for one in listed.split(",") if one.strip()}
        return "*" in allowed or not {source.user_id, source.user_id.partition("@")[0]}.isdisjoint(allowed)

    def _adapter_decides(self, adapter: Any, source: Any) -> bool:
        """Whether the adapter lets only those through whom it knows."""
        kind = "group" if source.chat_type in _GROUPS else "dm"
        return self._policy(adapter, kind) == "allowlist"

    def _policy(self, adapter: Any, kind: str) -> str:
        own = getattr(adapter, f"_{kind}_policy", None)
        extra = getattr(getattr(adapter, "config", None), "extra", None) or {}
        return str(own or extra.get(f"{kind}_policy") or "").strip().lower()

    def pairs(self, platform: Any) -> bool:
        """Tell whether a stranger who writes in private is offered a code."""
        settings = self._config.platforms.get(platform)
        extra = settings.extra if settings else {}
        if "unauthorized_dm_behavior" in extra:
            return str(extra["unauthorized_dm_behavior"]).strip().lower() != "ignore"
        if self._config.unauthorized_dm_behavior != "pair":
            return False
        policy = self._policy(self._adapter(platform), "dm") or str(extra.get("dm_policy") or "").strip().lower()
        if policy in ("pairing", "allowlist", "disabled"):
            return policy == "pairing"
        return not _said("GATEWAY_ALLOWED_USERS")


def _said(variable: str) -> str:
    return os.environ.get(variable, "").strip() if variable else ""
