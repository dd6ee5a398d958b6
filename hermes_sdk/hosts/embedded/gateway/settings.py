"""What a gateway is told: which platforms are on, with which settings, and how sessions end (H4 to H6)."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from hermes_sdk.contract import Behaviour
from hermes_sdk.hosts.embedded.gateway.platforms import Entry, Platforms

_log = logging.getLogger("gateway.config")

_EXPLICIT = "_enabled_explicit"
_SHARED = (
    "unauthorized_dm_behavior",
    "notice_delivery",
    "reply_prefix",
    "reply_in_thread",
    "cron_continuable_surface",
    "require_mention",
    "free_response_channels",
    "mention_patterns",
    "exclusive_bot_mentions",
    "dm_policy",
    "allow_from",
    "allow_admin_from",
    "user_allowed_commands",
    "group_policy",
    "group_allow_from",
    "group_allow_admin_from",
    "group_user_allowed_commands",
    "channel_prompts",
    "gateway_restart_notification",
    "typing_indicator",
    "typing_status_text",
)
"""Keys of a platform's own block that are copied to its ``extra``."""


@dataclass
class ResetPolicy:
    """When a session ends by itself."""

    mode: str = "none"
    at_hour: int = 4
    idle_minutes: float = 1440
    notify: bool = True

    @classmethod
    def of(cls, section: Any, mode: str) -> ResetPolicy:
        """Read ``session_reset``.

        Args:
            section: The section; what is no mapping says nothing.
            mode: The release's default.
        """
        policy = cls(mode)
        for name, value in mapping(section).items():
            if name in cls.__dataclass_fields__ and value is not None:
                setattr(policy, name, value)
        if not 0 <= policy.at_hour <= 23:
            _log.warning("Invalid at_hour=%s (must be 0-23). Using default 4.", policy.at_hour)
            policy.at_hour = 4
        if policy.idle_minutes <= 0:
            _log.warning("Invalid idle_minutes=%s (must be positive). Using default 1440.", policy.idle_minutes)
            policy.idle_minutes = 1440
        return policy


@dataclass
class GatewayConfig:
    """What a gateway is told.

    Attributes:
        platforms: The settings of each platform that is known or switched on.
        default_reset_policy: When a session ends by itself.
        group_sessions_per_user: Whether users of a group have a session each.
        thread_sessions_per_user: Whether users of a thread have a session each.
        unauthorized_dm_behavior: ``pair`` or ``ignore``.
        quick_commands: The commands of the user.
        busy_input_mode: What a message does to the turn that runs: ``interrupt`` or ``queue``.
        busy_text_mode: The same of a text: one that waits is joined with those that follow it.
    """

    platforms: dict[Any, Any] = field(default_factory=dict)
    default_reset_policy: ResetPolicy = field(default_factory=ResetPolicy)
    group_sessions_per_user: bool = True
    thread_sessions_per_user: bool = False
    unauthorized_dm_behavior: str = "pair"
    quick_commands: dict[str, Any] = field(default_factory=dict)
    busy_input_mode: str = "interrupt"
    busy_text_mode: str = "interrupt"

    def get_home_channel(self, platform: Any) -> Any:
        """Where messages go that answer nothing, or None."""
        found = self.platforms.get(platform)
        return found.home_channel if found else None

    @property
    def sessions_per_user(self) -> dict[str, bool]:
        """Who has a session of their own."""
        return {
            "group_sessions_per_user": self.group_sessions_per_user,
            "thread_sessions_per_user": self.thread_sessions_per_user,
        }


def load(config: Mapping[str, Any], platforms: Platforms, behaviour: Behaviour) -> GatewayConfig:
    """Read the configuration of a gateway.

    Args:
        config: The content of ``config.yaml``.
        platforms: The platforms of plugins.
        behaviour: What the release does.
    """
    section = mapping(config.get("gateway"))

    def setting(name: str, default: Any) -> Any:
        return config[name] if name in config else section.get(name, default)

    reset = config["session_reset"] if "session_reset" in config else section.get("session_reset")
    unauthorized = str(setting("unauthorized_dm_behavior", "pair")).strip().lower()
    made = GatewayConfig(
        default_reset_policy=ResetPolicy.of(reset, "none" if behaviour.gateway_sessions_last else "both"),
        group_sessions_per_user=_flag(setting("group_sessions_per_user", True)),
        thread_sessions_per_user=_flag(setting("thread_sessions_per_user", False)),
        unauthorized_dm_behavior=unauthorized if unauthorized in ("pair", "ignore") else "pair",
        quick_commands=mapping(setting("quick_commands", {})),
        busy_input_mode=_busy_mode(config),
        busy_text_mode=_busy_text_mode(config, behaviour),
    )
    below = section if behaviour.gateway_platforms_read else {}
    made.platforms = _Blocks(config, below, platforms).platforms()
    return made


def _busy_mode(config: Mapping[str, Any]) -> str:
    mode = _said(config, "busy_input_mode")
    return mode if mode in ("queue", "steer") else "interrupt"


def _busy_text_mode(config: Mapping[str, Any], behaviour: Behaviour) -> str:
    mode = _said(config, "busy_text_mode")
    if mode in ("interrupt", "queue"):
        return mode
    follows = behaviour.busy_text_interrupts and _busy_mode(config) != "queue"
    return "interrupt" if follows else "queue"


def _said(config: Mapping[str, Any], key: str) -> str:
    return str(mapping(config.get("display")).get(key) or "").strip().lower()


class _Blocks:
    """The blocks of the configuration that tell of platforms."""

    def __init__(self, config: Mapping[str, Any], section: Mapping[str, Any], platforms: Platforms) -> None:
        self._module = import_module("gateway.config")
        self._config = config
        self._platforms = platforms
        self._sources = [mapping(section.get("platforms")), mapping(config.get("platforms"))]
        self._data: dict[str, dict[str, Any]] = {}

    def platforms(self) -> dict[Any, Any]:
        """The settings by platform, in the order in which the configuration names them."""
        for source in self._sources:
            self._merge(source)
        for entry in self._platforms.by_name.values():
            self._share(entry.name)
        for entry in self._platforms.by_name.values():
            self._apply_yaml(entry)
        found = {}
        for name, data in self._data.items():
            if (platform := self._known(name)) is not None:
                found[platform] = self._module.PlatformConfig.from_dict(data)
        for entry in self._platforms.by_name.values():
            self._switch_on(entry, found)
        for settings in found.values():
            settings.extra.pop(_EXPLICIT, None)
        return found

    def _known(self, name: Any) -> Any:
        try:
            return self._module.Platform(name)
        except ValueError:
            return None

    def _merge(self, source: Mapping[str, Any]) -> None:
        for name, block in source.items():
            if isinstance(block, dict):
                before = self._data.get(name, {})
                extra = {**mapping(before.get("extra")), **mapping(block.get("extra"))}
                if "enabled" in block:
                    extra[_EXPLICIT] = True
                self._data[name] = {**before, **block, **({"extra": extra} if extra else {})}

    def _block(self, name: str) -> tuple[Any, bool]:
        """The block of a platform, its own or one of those, and whether it is its own."""
        own = self._config.get(name)
        if isinstance(own, dict):
            return own, True
        return next((one[name] for one in self._sources if isinstance(one.get(name), dict)), None), False

    def _share(self, name: str) -> None:
        if self._known(name) is None:
            return
        block, is_own = self._block(name)
        shared = {key: block[key] for key in _SHARED if block and key in block}
        explicit = is_own and "enabled" in block
        if not shared and not explicit:
            return
        extra = self._extra(name)
        if explicit:
            self._data[name]["enabled"] = block["enabled"]
            extra[_EXPLICIT] = True
        extra.update(shared)

    def _extra(self, name: str) -> dict[str, Any]:
        data = self._data.setdefault(name, {})
        data["extra"] = mapping(data.get("extra"))
        extra: dict[str, Any] = data["extra"]
        return extra

    def _apply_yaml(self, entry: Entry) -> None:
        block, _ = self._block(entry.name)
        if getattr(entry, "apply_yaml_config_fn", None) is not None and block is not None:
            seeded = self._platforms.ask(entry, "apply_yaml_config_fn", dict(self._config), block)
            if isinstance(seeded, dict) and seeded:
                self._extra(entry.name).update(seeded)

    def _switch_on(self, entry: Entry, found: dict[Any, Any]) -> None:
        """Switch a platform on where nobody switched it off and it could work."""
        platform = self._known(entry.name)
        if platform is None:
            return
        before = found.get(platform)
        if before is not None and not before.enabled and before.extra.get(_EXPLICIT):
            return
        seeds = getattr(entry, "env_enablement_fn", None) is not None
        seed = self._platforms.ask(entry, "env_enablement_fn") if seeds else None
        seed = dict(seed) if isinstance(seed, dict) else {}
        home = seed.pop("home_channel", None)
        if (before is None or not before.enabled) and not self._is_configured(entry, before, seed):
            return
        if not self._platforms.ask(entry, "check_fn", default=False):
            return
        settings = found.setdefault(platform, self._module.PlatformConfig())
        settings.enabled = True
        settings.extra.update(seed)
        if isinstance(home, dict) and home.get("chat_id"):
            settings.home_channel = self._module.HomeChannel.from_dict({"platform": entry.name, **home})

    def _is_configured(self, entry: Entry, before: Any, seed: dict[str, Any]) -> bool:
        if entry.is_connected is None:
            return True
        extra = {**seed, **(before.extra if before is not None else {})}
        probe = self._module.PlatformConfig(enabled=True, extra=extra)
        return bool(self._platforms.ask(entry, "is_connected", probe, default=False))


def connected(config: GatewayConfig, platforms: Platforms) -> Iterator[Any]:
    """The platforms that are switched on and say that they could connect, sorted (H6)."""
    for platform, settings in sorted(config.platforms.items(), key=lambda one: str(one[0].value)):
        if not settings.enabled:
            continue
        entry = platforms.by_name.get(platform.value)
        if settings.token or settings.api_key:
            yield platform
        elif entry is not None:
            checks: Iterable[str] = (name for name in ("is_connected", "validate_config") if getattr(entry, name))
            check = next(iter(checks), None)
            if check is None or platforms.ask(entry, check, settings, default=False):
                yield platform


def mapping(value: Any) -> dict[str, Any]:
    """The value if it is a mapping, else an empty one."""
    return value if isinstance(value, dict) else {}


def _flag(value: Any) -> bool:
    return value.strip().lower() in ("1", "true", "yes", "on") if isinstance(value, str) else bool(value)
