"""Classes of the gateway that plugins see, created once per host."""

from __future__ import annotations

from typing import Any, Protocol, Self

from hermes_sdk.hosts.embedded.host_classes import Classes, Defaults
from hermes_sdk.hosts.embedded.process.environment import is_on
from hermes_sdk.hosts.embedded.registrations import Registrations
from hermes_sdk.hosts.embedded.state import HostState

_OPTIONAL = ("user_id_alt", "chat_id_alt", "parent_chat_id", "message_id", "profile")
_FLAGS = ("auto_thread_created", "auto_thread_initial_name", "prospective_thread_id")
_ALWAYS = ("chat_id", "chat_name", "chat_type", "user_id", "user_name", "thread_id", "chat_topic")
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
"""Keys of a platform's configuration block that the host interprets."""

_HOME_IDS = ("thread_id", "user_id", "scope_id")


def as_mapping(value: Any) -> dict[str, Any]:
    """Return a value if it is a mapping, otherwise an empty mapping."""
    return value if isinstance(value, dict) else {}


class _Platform(Defaults):
    """The platform of a message; platforms of plugins become members on first use."""

    _gateway: GatewayClasses

    @classmethod
    def _missing_(cls: Any, value: Any) -> Any:
        name = value.strip().lower() if isinstance(value, str) else ""
        if name in cls._value2member_map_:
            return cls._value2member_map_[name]
        bundled = (one.partition("/")[2] for one in cls._gateway.state.contract.section("bundled_plugins"))
        registered = (platform["name"] for _, platform in cls._gateway.platforms.entries)
        if not name or name not in {*bundled, *registered}:
            return None
        created = object.__new__(cls)
        created._value_, created._name_ = name, name.upper().replace("-", "_").replace(" ", "_")
        cls._value2member_map_[name] = cls._member_map_[created._name_] = created
        return created


class _HomeChannel(Defaults):
    """The chat for messages that are not replies."""

    def to_dict(self: Any) -> dict[str, Any]:
        known = {name: getattr(self, name, None) for name in _HOME_IDS}
        given = {name: value for name, value in known.items() if value}
        return {"platform": self.platform.value, "chat_id": self.chat_id, "name": self.name, **given}

    @staticmethod
    def from_dict(kind: Any, data: dict[str, Any]) -> Any:
        fields = kind.__dataclass_fields__
        ids = {name: str(data[name]) if data.get(name) else None for name in _HOME_IDS if name in fields}
        return kind(kind._gateway.Platform(data["platform"]), str(data["chat_id"]), data.get("name", "Home"), **ids)


class _ChannelOverride(Defaults):
    """Settings of one channel."""

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
        data = as_mapping(data)
        extra = as_mapping(data.get("extra"))
        if kind._gateway.state.behaviour.platform_keys_in_extra:
            extra = {**{key: one for key, one in data.items() if key not in TYPED_KEYS}, **extra}
        home = data.get("home_channel")
        found: dict[str, Any] = {
            "enabled": is_on(data.get("enabled")),
            "token": data.get("token"),
            "api_key": data.get("api_key"),
            "home_channel": kind._gateway.HomeChannel.from_dict(home) if isinstance(home, dict) else None,
            "reply_to_mode": data.get("reply_to_mode", "first"),
            "typing_status_text": data.get("typing_status_text", extra.get("typing_status_text")),
            "channel_overrides": {
                str(key): kind._gateway.ChannelOverride.from_dict(one)
                for key, one in as_mapping(data.get("channel_overrides")).items()
                if isinstance(one, dict)
            },
            "extra": extra,
        }
        for name in ("gateway_restart_notification", "typing_indicator"):
            given = data.get(name)
            given = extra.get(name) if given is None else given
            found[name] = True if given is None else is_on(given)
        return kind(**{name: value for name, value in found.items() if name in kind.__dataclass_fields__})


class _Source(Defaults):
    """The origin of a message."""

    def __post_init__(self: Any) -> None:
        # `scope_id` is the newer name of `guild_id`, and takes precedence.
        if hasattr(self, "scope_id"):
            self.scope_id = self.guild_id = self.guild_id if self.scope_id is None else self.scope_id

    def description(self: Any) -> str:
        if self.platform.value == "local":
            return "CLI terminal"
        place = self.chat_name or self.chat_id
        whom = self.user_name or self.user_id or "user"
        descriptions = {"dm": f"DM with {whom}", "group": f"group: {place}", "channel": f"channel: {place}"}
        thread = [f"thread: {self.thread_id}"] if self.thread_id else []
        return ", ".join([str(descriptions.get(self.chat_type, place)), *thread])

    @staticmethod
    def from_dict(kind: Any, data: dict[str, Any]) -> Any:
        known = {name: value for name, value in data.items() if name in kind.__dataclass_fields__}
        return kind(**{**known, "platform": kind._gateway.Platform(data["platform"]), "chat_id": str(data["chat_id"])})

    def to_dict(self: Any) -> dict[str, Any]:
        shown = {"platform": self.platform.value, **{name: getattr(self, name) for name in _ALWAYS}}
        shown |= {name: getattr(self, name) for name in _OPTIONAL if getattr(self, name, None)}
        if scope := getattr(self, "scope_id", getattr(self, "guild_id", None)):
            shown |= {name: scope for name in ("scope_id", "guild_id") if hasattr(self, name)}
        return shown | {name: getattr(self, name) for name in _FLAGS if getattr(self, name, None)}


class Host(Protocol):
    """The parts of a host that the classes use."""

    @property
    def state(self) -> HostState:
        """Return the shared state of the host."""
        ...

    @property
    def registrations(self) -> Registrations:
        """Return the registrations of plugins."""
        ...


class GatewayClasses:
    """The classes of ``gateway.config`` and ``gateway.session`` for one host."""

    def __init__(self, host: Host) -> None:
        state = self.state = host.state
        self.platforms = host.registrations.platforms
        self.platform_handlers = host.registrations.platform_handlers
        classes = Classes(state, vars(self))
        self.Platform = classes.make("Platform", _Platform, _gateway=self)
        self.HomeChannel = classes.make("HomeChannel", _HomeChannel, _gateway=self)
        self.ChannelOverride = classes.make("ChannelOverride", _ChannelOverride, _gateway=self)
        self.PlatformConfig = classes.make("PlatformConfig", _PlatformConfig, _gateway=self)
        self.SessionSource = classes.make("SessionSource", _Source, _gateway=self)

    @classmethod
    def of(cls, host: Host) -> Self:
        """Return the classes of a host, which are created once."""
        created = host.state.memory.get(cls.__name__)
        if created is None:
            created = host.state.memory[cls.__name__] = cls(host)
        assert isinstance(created, cls)
        return created
