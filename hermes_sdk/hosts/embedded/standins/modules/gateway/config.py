"""Stands in for ``gateway.config``: platforms and their settings."""

from __future__ import annotations

from typing import Any

from hermes_sdk.hosts.embedded.host_classes import Classes, Defaults
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager

__all__ = [
    "ChannelOverride",
    "HomeChannel",
    "Platform",
    "PlatformConfig",
]

_host = find_plugin_manager(__spec__)

TYPED_KEYS = frozenset(
    {
        "api_key",
        "channel_overrides",
        "enabled",
        "extra",
        "gateway_restart_notification",
        "home_channel",
        "reply_to_mode",
        "token",
        "typing_indicator",
        "typing_status_text",
    }
)
"""The keys of a platform's block that have a meaning to the host."""


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _flag(value: Any, default: bool) -> bool:
    if isinstance(value, str):
        return value.strip().lower() in ("1", "on", "true", "yes")
    return default if value is None else bool(value)


class _Platform(Defaults):
    """Where a message comes from; a platform of a plugin is one as well, once it is registered."""

    @classmethod
    def _missing_(cls: Any, value: Any) -> Any:
        name = value.strip().lower() if isinstance(value, str) else ""
        if name in cls._value2member_map_:
            return cls._value2member_map_[name]
        bundled = (one.partition("/")[2] for one in _host.state.contract.section("bundled_plugins"))
        registered = (platform["name"] for _, platform in _host.registrations.platforms.entries)
        if not name or name not in {*bundled, *registered}:
            return None
        made = object.__new__(cls)
        made._value_, made._name_ = name, name.upper().replace("-", "_").replace(" ", "_")
        cls._value2member_map_[name] = cls._member_map_[made._name_] = made
        return made


class _HomeChannel(Defaults):
    """Where messages go that answer nothing."""

    def to_dict(self: Any) -> dict[str, Any]:
        thread = {"thread_id": self.thread_id} if self.thread_id else {}
        return {"platform": self.platform.value, "chat_id": self.chat_id, "name": self.name, **thread}

    @staticmethod
    def from_dict(kind: Any, data: dict[str, Any]) -> Any:
        thread = str(data["thread_id"]) if data.get("thread_id") else None
        return kind(Platform(data["platform"]), str(data["chat_id"]), data.get("name", "Home"), thread)


class _ChannelOverride(Defaults):
    """What is different in one channel."""

    def to_dict(self: Any) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if value is not None}

    @staticmethod
    def from_dict(kind: Any, data: Any) -> Any:
        return kind(**{name: (data or {}).get(name) for name in ("model", "provider", "system_prompt")})


class _PlatformConfig(Defaults):
    """The settings of one platform."""

    def to_dict(self: Any) -> dict[str, Any]:
        always = ("enabled", "extra", "reply_to_mode", "gateway_restart_notification", "typing_indicator")
        shown = {name: getattr(self, name) for name in always if hasattr(self, name)}
        if getattr(self, "typing_status_text", None) is not None:
            shown["typing_status_text"] = self.typing_status_text
        shown |= {name: getattr(self, name) for name in ("token", "api_key") if getattr(self, name)}
        if self.home_channel:
            shown["home_channel"] = self.home_channel.to_dict()
        if overrides := getattr(self, "channel_overrides", None):
            shown["channel_overrides"] = {key: one.to_dict() for key, one in overrides.items()}
        return shown

    @staticmethod
    def from_dict(kind: Any, data: Any) -> Any:
        data = _mapping(data)
        extra = _mapping(data.get("extra"))
        if _host.state.behaviour.platform_keys_in_extra:
            extra = {**{key: one for key, one in data.items() if key not in TYPED_KEYS}, **extra}
        home = data.get("home_channel")
        found: dict[str, Any] = {
            "enabled": _flag(data.get("enabled"), False),
            "token": data.get("token"),
            "api_key": data.get("api_key"),
            "home_channel": HomeChannel.from_dict(home) if isinstance(home, dict) else None,
            "reply_to_mode": data.get("reply_to_mode", "first"),
            "typing_status_text": data.get("typing_status_text", extra.get("typing_status_text")),
            "channel_overrides": {
                str(key): ChannelOverride.from_dict(one)
                for key, one in _mapping(data.get("channel_overrides")).items()
                if isinstance(one, dict)
            },
            "extra": extra,
        }
        for name in ("gateway_restart_notification", "typing_indicator"):
            given = data.get(name)
            found[name] = _flag(extra.get(name) if given is None else given, True)
        return kind(**{name: value for name, value in found.items() if name in kind.__dataclass_fields__})


_classes = Classes(_host.state, globals())
Platform = _classes.made("Platform", _Platform)
HomeChannel = _classes.made("HomeChannel", _HomeChannel)
ChannelOverride = _classes.made("ChannelOverride", _ChannelOverride)
PlatformConfig = _classes.made("PlatformConfig", _PlatformConfig)
