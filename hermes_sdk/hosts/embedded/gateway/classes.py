"""The classes of the gateway that plugins see, made once for each host."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

from hermes_sdk.hosts.embedded.gateway.adapter import media
from hermes_sdk.hosts.embedded.gateway.adapter.adapter import Adapter
from hermes_sdk.hosts.embedded.gateway.adapter.sending import SendErrors
from hermes_sdk.hosts.embedded.host_classes import Classes, Defaults, of_module
from hermes_sdk.hosts.embedded.registrations import Registrations
from hermes_sdk.hosts.embedded.state import HostState

_CLASSES = "gateway_classes"
_OPTIONAL = ("user_id_alt", "chat_id_alt", "parent_chat_id", "message_id", "profile")
_FLAGS = ("auto_thread_created", "auto_thread_initial_name")
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
"""The keys of a platform's block that have a meaning to the host."""


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _flag(value: Any, default: bool) -> bool:
    if isinstance(value, str):
        return value.strip().lower() in ("1", "on", "true", "yes")
    return default if value is None else bool(value)


class _Platform(Defaults):
    """The platform of a message; a plugin's platform becomes a member when it is registered."""

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
        made = object.__new__(cls)
        made._value_, made._name_ = name, name.upper().replace("-", "_").replace(" ", "_")
        cls._value2member_map_[name] = cls._member_map_[made._name_] = made
        return made


class _HomeChannel(Defaults):
    """The chat for messages that answer nothing."""

    def to_dict(self: Any) -> dict[str, Any]:
        thread = {"thread_id": self.thread_id} if self.thread_id else {}
        return {"platform": self.platform.value, "chat_id": self.chat_id, "name": self.name, **thread}

    @staticmethod
    def from_dict(kind: Any, data: dict[str, Any]) -> Any:
        thread = str(data["thread_id"]) if data.get("thread_id") else None
        return kind(kind._gateway.Platform(data["platform"]), str(data["chat_id"]), data.get("name", "Home"), thread)


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
        data = _mapping(data)
        extra = _mapping(data.get("extra"))
        if kind._gateway.state.behaviour.platform_keys_in_extra:
            extra = {**{key: one for key, one in data.items() if key not in TYPED_KEYS}, **extra}
        home = data.get("home_channel")
        found: dict[str, Any] = {
            "enabled": _flag(data.get("enabled"), False),
            "token": data.get("token"),
            "api_key": data.get("api_key"),
            "home_channel": kind._gateway.HomeChannel.from_dict(home) if isinstance(home, dict) else None,
            "reply_to_mode": data.get("reply_to_mode", "first"),
            "typing_status_text": data.get("typing_status_text", extra.get("typing_status_text")),
            "channel_overrides": {
                str(key): kind._gateway.ChannelOverride.from_dict(one)
                for key, one in _mapping(data.get("channel_overrides")).items()
                if isinstance(one, dict)
            },
            "extra": extra,
        }
        for name in ("gateway_restart_notification", "typing_indicator"):
            given = data.get(name)
            found[name] = _flag(extra.get(name) if given is None else given, True)
        return kind(**{name: value for name, value in found.items() if name in kind.__dataclass_fields__})


class _Source(Defaults):
    """The origin of a message."""

    def __post_init__(self: Any) -> None:
        # Two names of one thing; the newer one counts.
        if hasattr(self, "scope_id"):
            self.scope_id = self.guild_id = self.guild_id if self.scope_id is None else self.scope_id

    def description(self: Any) -> str:
        if self.platform.value == "local":
            return "CLI terminal"
        place = self.chat_name or self.chat_id
        whom = self.user_name or self.user_id or "user"
        told = {"dm": f"DM with {whom}", "group": f"group: {place}", "channel": f"channel: {place}"}
        thread = [f"thread: {self.thread_id}"] if self.thread_id else []
        return ", ".join([str(told.get(self.chat_type, place)), *thread])

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


@of_module("gateway.platforms.base")
class EphemeralReply(str):
    """A text of the host itself, which it may delete after a while."""

    ttl_seconds: int | None

    def __new__(cls, text: str, ttl_seconds: int | None = None) -> EphemeralReply:
        """Make one of a text."""
        made = super().__new__(cls, text)
        made.ttl_seconds = ttl_seconds
        return made

    @property
    def text(self) -> str:
        """The text alone."""
        return str.__str__(self)


class _Message(Defaults):
    """A message that came in."""

    def is_command(self: Any) -> bool:
        text = self.text.lstrip() if self._gateway.state.behaviour.commands_may_be_indented else self.text
        return bool(text.startswith("/")) and getattr(self, "allow_gateway_control", True)

    def get_command(self: Any) -> str | None:
        word = self.text.split(maxsplit=1)[0] if self.is_command() else ""
        name = word[1:].lower().partition("@")[0]
        return None if not word or "/" in name else name

    def get_command_args(self: Any) -> str:
        if not self.is_command():
            return str(self.text)
        rest = [*self.text.split(maxsplit=1), ""][1]
        # What a keyboard makes of two hyphens.
        return re.sub("——|—|–", "--", rest)

    def absorb_reply_expected(self: Any, other: Any) -> None:
        if self.reply_expected is not True and other.reply_expected is not False:
            self.reply_expected = other.reply_expected


class Host(Protocol):
    """Parts of a host that the classes need."""

    @property
    def state(self) -> HostState:
        """Return the state that every part shares."""
        ...

    @property
    def registrations(self) -> Registrations:
        """Return the registrations of plugins."""
        ...


class GatewayClasses:
    """The classes of ``gateway.config``, ``gateway.session`` and ``gateway.platforms.base`` of one host."""

    EphemeralReply = EphemeralReply

    def __init__(self, host: Host) -> None:
        state = self.state = host.state
        self.platforms = host.registrations.platforms
        self.platform_handlers = host.registrations.platform_handlers
        self.constants = state.contract.section("constants")["gateway.platforms.base"]
        self.files = media.Files(self.constants, state.home_path)
        self.errors = SendErrors(self.constants)
        classes = Classes(state, vars(self))
        self.Platform = classes.made("Platform", _Platform, _gateway=self)
        self.HomeChannel = classes.made("HomeChannel", _HomeChannel, _gateway=self)
        self.ChannelOverride = classes.made("ChannelOverride", _ChannelOverride, _gateway=self)
        self.PlatformConfig = classes.made("PlatformConfig", _PlatformConfig, _gateway=self)
        self.SessionSource = classes.made("SessionSource", _Source, _gateway=self)
        self.ProcessingOutcome = classes.made("ProcessingOutcome")
        self.MessageType = classes.made("MessageType")
        self.SendResult = classes.made("SendResult")
        self.MessageEvent = classes.made("MessageEvent", _Message, _gateway=self)
        self.BasePlatformAdapter = classes.made("BasePlatformAdapter", self._bind(Adapter), **self._list_facts())

    @classmethod
    def of(cls, host: Host) -> GatewayClasses:
        """Return the classes of a host, which are made once."""
        if _CLASSES not in host.state.memory:
            host.state.memory[_CLASSES] = cls(host)
        made: GatewayClasses = host.state.memory[_CLASSES]
        return made

    def describe_thread(self, source: Any, reply_to_message_id: str | None = None) -> dict[str, Any] | None:  # noqa: ARG002
        """Return what `send` needs to know of the thread of a source."""
        if source is None or source.thread_id is None:
            return None
        if source.platform.value == "telegram":
            raise self.state.unsupported("address a topic of Telegram")
        return {"thread_id": source.thread_id}

    def _bind(self, defaults: type[Adapter]) -> type[Adapter]:
        """Add the static members that handle the files of this host."""
        files = self.files
        members: dict[str, Callable[..., Any]] = {
            "extract_local_files": files.extract_named,
            "extract_media": files.extract_tagged,
            "filter_local_delivery_paths": files.filter_paths,
            "filter_media_delivery_paths": files.filter_tagged,
            "strip_media_directives_for_display": files.strip_tags_for_display,
            "validate_media_delivery_path": files.validate,
        }
        return type("BoundAdapter", (defaults,), {name: staticmethod(one) for name, one in members.items()})

    def _is_builtin(self, command: str) -> bool:
        return self.state.contract.resolve_slash_command(command) is not None

    def _list_facts(self) -> dict[str, Any]:
        """Return what the defaults of an adapter need of the host, by attribute."""
        state = self.state
        return {
            "_gateway": self,
            "_behaviour": state.behaviour,
            "_wording": state.wording,
            "_swallow": staticmethod(partial(state.swallow, "gateway.platforms.base")),
            "_errors": self.errors,
            "_outcomes": self.ProcessingOutcome,
            "_is_builtin": staticmethod(self._is_builtin),
            "_is_retryable_error": staticmethod(self.errors.is_network_error),
        }
