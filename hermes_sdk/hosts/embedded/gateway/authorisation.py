"""Permission to write to the agent: lists in the environment, policies of adapters, and pairing (H10)."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping
from typing import Any

from hermes_sdk.hosts.embedded.gateway.classes import GatewayClasses
from hermes_sdk.hosts.embedded.gateway.pairing import PairingStore
from hermes_sdk.hosts.embedded.gateway.platforms import Platforms
from hermes_sdk.hosts.embedded.gateway.settings import GatewayConfig

_log = logging.getLogger("gateway.run")

_YES = frozenset({"1", "true", "yes"})
_GROUPS = frozenset({"channel", "forum", "group"})


class Authorisation:
    """Decides whom the gateway answers."""

    def __init__(
        self,
        classes: GatewayClasses,
        platforms: Platforms,
        config: GatewayConfig,
        pairing: PairingStore,
        adapters: Mapping[Any, Any],
    ) -> None:
        self._classes = classes
        self._wording = classes.state.wording
        self._behaviour = classes.state.behaviour
        self._platforms = platforms
        self._config = config
        self._pairing = pairing
        self._adapters = adapters

    def warn_if_unconfigured(self) -> None:
        """Log a warning if no setting allows any user."""
        entries = self._platforms.by_name.values()
        lists = ["GATEWAY_ALLOWED_USERS", *(getattr(one, "allowed_users_env", "") for one in entries)]
        switches = ["GATEWAY_ALLOW_ALL_USERS", *(getattr(one, "allow_all_env", "") for one in entries)]
        if not any(map(_read, lists)) and not any(map(_is_on, switches)):
            _log.warning(self._wording("log.nobody_allowed"))

    def allows(self, source: Any) -> bool:
        """Return whether the user of a source may write."""
        adapter = self._adapters.get(source.platform)
        if getattr(adapter, "authorization_is_upstream", False):
            return True
        if self._allows_chat(adapter, source):
            return True
        if not source.user_id:
            return False
        entry = self._platforms.by_name.get(source.platform.value)
        if _is_on(getattr(entry, "allow_all_env", "")) or getattr(source, "role_authorized", False) is True:
            return True
        if self._pairing.is_approved(source.platform.value, source.user_id):
            return True
        lists = [_read(getattr(entry, "allowed_users_env", "")), _read("GATEWAY_ALLOWED_USERS")]
        if not any(lists):
            return self._adapter_allows(adapter, source) or _is_on("GATEWAY_ALLOW_ALL_USERS")
        allowed = {one.strip() for listed in lists for one in listed.split(",") if one.strip()}
        names = {source.user_id}
        if self._behaviour.allowlists_match_addresses:
            names.add(source.user_id.partition("@")[0])
        return "*" in allowed or not names.isdisjoint(allowed)

    def make_check(self, platform: Any) -> Callable[..., bool]:
        """Return a function with which the adapter of a platform checks users."""
        make_source = self._classes.SessionSource

        def check(user_id: str, chat_type: str | None = None, chat_id: str | None = None) -> bool:
            where = {"chat_id": chat_id or "", "chat_type": chat_type or "group"}
            return bool(user_id) and self.allows(make_source(platform=platform, **where, user_id=user_id))

        return check

    def _allows_chat(self, adapter: Any, source: Any) -> bool:
        """Return whether the adapter's settings, on releases that read them, allow everyone in a group to write."""
        if not self._behaviour.allowlists_of_adapters or source.chat_type not in _GROUPS or not source.chat_id:
            return False
        return _has_name(_read_extra(adapter), "group_allowed_chats", source.chat_id)

    def _adapter_allows(self, adapter: Any, source: Any) -> bool:
        """Return whether the adapter allows the user, by its own allowlist or, on some releases, its settings."""
        is_group = source.chat_type in _GROUPS
        if self._has_allowlist(adapter, source):
            check = getattr(adapter, "_is_dm_allowed", None)
            if is_group or not self._behaviour.allowlists_of_adapters or not callable(check):
                return True
            return bool(check(source.user_id))
        setting = "group_allow_from" if is_group else "allow_from"
        return self._behaviour.allowlists_of_adapters and _has_name(_read_extra(adapter), setting, source.user_id)

    def _has_allowlist(self, adapter: Any, source: Any) -> bool:
        """Return whether the adapter itself enforces an allowlist."""
        kind = "group" if source.chat_type in _GROUPS else "dm"
        enforces = getattr(adapter, "enforces_own_access_policy", False)
        return bool(enforces) and self._read_policy(adapter, kind) == "allowlist"

    def _read_policy(self, adapter: Any, kind: str) -> str:
        own = getattr(adapter, f"_{kind}_policy", None)
        extra = _read_extra(adapter)
        return str(own or extra.get(f"{kind}_policy") or "").strip().lower()

    def offer_pairing(self, source: Any) -> str | None:
        """Return the message that offers a pairing code to an unauthorized user, or None without an offer."""
        platform = source.platform.value
        if source.chat_type != "dm" or not self._offers_pairing(source.platform):
            return None
        if self._pairing.is_rate_limited(platform, source.user_id):
            return None
        code = self._pairing.generate_code(platform, source.user_id, source.user_name or "")
        if code is None:
            self._pairing.record_rate_limit(platform, source.user_id)
            return "Too many pairing requests right now~ Please try again later!"
        return self._wording("gateway.pairing.code_reply", platform=platform, code=code)

    def _offers_pairing(self, platform: Any) -> bool:
        settings = self._config.platforms.get(platform)
        extra = settings.extra if settings else {}
        if "unauthorized_dm_behavior" in extra:
            return str(extra["unauthorized_dm_behavior"]).strip().lower() != "ignore"
        if self._config.unauthorized_dm_behavior != "pair":
            return False
        adapter = self._adapters.get(platform)
        policy = self._read_policy(adapter, "dm") or str(extra.get("dm_policy") or "").strip().lower()
        if policy in ("pairing", "allowlist", "disabled"):
            return policy == "pairing"
        return not _read("GATEWAY_ALLOWED_USERS")


def _read_extra(adapter: Any) -> Mapping[str, Any]:
    return getattr(getattr(adapter, "config", None), "extra", None) or {}


def _has_name(extra: Mapping[str, Any], setting: str, wanted: str) -> bool:
    """Return whether a setting, a list or comma-separated text, contains a name or ``*``."""
    listed = extra.get(setting) or ""
    names = {str(one).strip() for one in (listed if isinstance(listed, list) else str(listed).split(","))}
    return "*" in names or wanted in names


def _read(variable: str) -> str:
    return os.environ.get(variable, "").strip() if variable else ""


def _is_on(variable: str) -> bool:
    return _read(variable).lower() in _YES
