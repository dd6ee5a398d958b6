"""The settings of a gateway: platforms, expiry of sessions, messages during a turn (H4 to H6)."""

from __future__ import annotations

import ast
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hermes_sdk.contract import Contract
from hermes_sdk.hosts.embedded.gateway.classes import TYPED_KEYS, GatewayClasses, as_mapping
from hermes_sdk.hosts.embedded.gateway.platforms import Entry, Platforms
from hermes_sdk.hosts.embedded.process.environment import is_on

_log = logging.getLogger("gateway.config")

_EXPIRY = "SessionResetPolicy"
"""Hermes' class of settings for session expiry."""
_EXPLICIT = "_enabled_explicit"
_SHARED_KEYS = (
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
"""Keys of a platform's block that are copied to its ``extra``."""


@dataclass
class ResetPolicy:
    """Rules for when a session expires."""

    mode: str = "none"
    at_hour: int = 4
    idle_minutes: float = 1440
    notify: bool = True

    @classmethod
    def load(cls, section: Any, default_mode: str) -> ResetPolicy:
        """Read the section ``session_reset``."""
        policy = cls(default_mode)
        for name, value in as_mapping(section).items():
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
    """The settings of a gateway."""

    platforms: dict[Any, Any] = field(default_factory=dict)
    """Settings of each platform that is known or enabled."""
    default_reset_policy: ResetPolicy = field(default_factory=ResetPolicy)
    group_sessions_per_user: bool = True
    thread_sessions_per_user: bool = False
    unauthorized_dm_behavior: str = "pair"
    quick_commands: dict[str, Any] = field(default_factory=dict)
    """The user's own slash commands."""
    busy_input_mode: str = "interrupt"
    """The effect of a message on the current turn: ``interrupt``, ``queue`` or ``steer``."""
    busy_text_mode: str = "interrupt"
    """The effect of a text message: ``interrupt`` or ``queue``, which merges it with the next messages."""

    def get_home_channel(self, platform: Any) -> Any:
        """Return the chat of a platform for messages that are not replies, or None."""
        found = self.platforms.get(platform)
        return found.home_channel if found else None

    @property
    def sessions_per_user(self) -> dict[str, bool]:
        """The settings that give each user of a group or a thread their own session."""
        return {name: getattr(self, name) for name in ("group_sessions_per_user", "thread_sessions_per_user")}


def load(config: Mapping[str, Any], platforms: Platforms, classes: GatewayClasses) -> GatewayConfig:
    """Read the settings of a gateway from the content of ``config.yaml``."""
    contract = classes.state.contract
    section = as_mapping(config.get("gateway"))
    display = as_mapping(config.get("display"))

    def read_setting(name: str, default: Any = None) -> Any:
        return config[name] if name in config else section.get(name, default)

    def choose(value: Any, *allowed: str, default: str) -> str:
        word = str(value or "").strip().lower()
        return word if word in allowed else default

    input_mode = choose(display.get("busy_input_mode"), "queue", "steer", default="interrupt")
    text_mode = "queue" if input_mode == "queue" else "interrupt"
    blocks = _PlatformBlocks(config, section, platforms, classes)
    return GatewayConfig(
        default_reset_policy=(
            ResetPolicy.load(read_setting("session_reset"), _read_reset_mode(contract))
            if contract.behaviour.sessions_expire
            else ResetPolicy()
        ),
        group_sessions_per_user=is_on(read_setting("group_sessions_per_user", True)),
        thread_sessions_per_user=is_on(read_setting("thread_sessions_per_user", False)),
        unauthorized_dm_behavior=choose(read_setting("unauthorized_dm_behavior"), "pair", "ignore", default="pair"),
        quick_commands=as_mapping(read_setting("quick_commands")),
        busy_input_mode=input_mode,
        busy_text_mode=choose(display.get("busy_text_mode"), "interrupt", "queue", default=text_mode),
        platforms=blocks.load(),
    )


def _read_reset_mode(contract: Contract) -> str:
    """Return the release's default mode of session expiry."""
    fields = contract.section("dataclasses")[_EXPIRY]["fields"]
    return str(ast.literal_eval(next(one["default"] for one in fields if one["name"] == "mode")))


class _PlatformBlocks:
    """Configuration blocks with settings of platforms; `section` is the ``gateway`` section of `config`."""

    def __init__(
        self, config: Mapping[str, Any], section: Mapping[str, Any], platforms: Platforms, classes: GatewayClasses
    ) -> None:
        self._classes = classes
        self._config = config
        self._section = section
        self._platforms = platforms
        self._sources = [as_mapping(source.get("platforms")) for source in (section, config)]
        self._behaviour = classes.state.behaviour
        self._data: dict[str, dict[str, Any]] = {}
        self._authored: dict[str, dict[str, Any]] = {}
        self._warned: set[tuple[str, str]] = set()

    def load(self) -> dict[Any, Any]:
        """Return the settings by platform, in the order of the configuration."""
        for source in self._sources:
            self._merge(source)
        if self._behaviour.platforms_beside_settings:
            others = {name: one for name, one in self._section.items() if name != "platforms"}
            self._merge({name: one for name, one in others.items() if self._find_platform(name) is not None})
        self._authored = {name: dict(as_mapping(data.get("extra"))) for name, data in self._data.items()}
        entries = self._platforms.by_name.values()
        for entry in entries:
            self._copy_shared_keys(entry.name)
        for entry in entries:
            self._apply_yaml(entry)
        make = self._classes.PlatformConfig.from_dict
        known = ((self._find_platform(name), data) for name, data in self._data.items())
        found = {platform: make(data) for platform, data in known if platform is not None}
        for entry in entries:
            self._enable(entry, found)
        for settings in found.values():
            settings.extra.pop(_EXPLICIT, None)
        return found

    def _find_platform(self, name: Any) -> Any:
        try:
            return self._classes.Platform(name)
        except ValueError:
            return None

    def _merge(self, source: Mapping[str, Any]) -> None:
        for name, block in source.items():
            if isinstance(block, dict):
                before = self._data.get(name, {})
                extra = {**as_mapping(before.get("extra")), **as_mapping(block.get("extra"))}
                if "enabled" in block:
                    extra[_EXPLICIT] = True
                self._data[name] = {**before, **block, **({"extra": extra} if extra else {})}

    def _find_block(self, name: str) -> tuple[Any, bool]:
        """Return the block of a platform, and whether it is at the top level."""
        own = self._config.get(name)
        if isinstance(own, dict):
            return own, True
        return next((one[name] for one in self._sources if isinstance(one.get(name), dict)), None), False

    def _copy_shared_keys(self, name: str) -> None:
        if self._find_platform(name) is None:
            return
        block, is_top_level = self._find_block(name)
        block = self._override(name, block, is_top_level=is_top_level)
        shared: dict[str, Any] = {}
        if is_top_level and self._behaviour.platform_keys_in_extra:
            shared = {key: one for key, one in as_mapping(block).items() if key not in TYPED_KEYS}
            shared |= as_mapping(as_mapping(block).get("extra"))
        shared |= {key: block[key] for key in _SHARED_KEYS if block and key in block}
        explicit = is_top_level and "enabled" in block
        if not shared and not explicit:
            return
        extra = self._ensure_extra(name)
        if explicit:
            self._data[name]["enabled"] = block["enabled"]
            extra[_EXPLICIT] = True
        extra.update(shared)

    def _override(self, name: str, block: Any, *, is_top_level: bool) -> Any:
        """Return a block whose values are overridden by those in the platform's ``extra``."""
        if block is None or not self._behaviour.extra_goes_first:
            return block
        extra = self._authored.get(name, {})
        where = f"the top-level '{name}:' block" if is_top_level else f"platforms.{name}"
        effective = self._prefer(block, extra, name, where)
        own = block.get("extra")
        if isinstance(own, dict):
            effective["extra"] = self._prefer(own, extra, name, where)
            effective |= {key: extra[key] for key in own if key in extra and key not in TYPED_KEYS}
        return effective

    def _prefer(self, source: Mapping[str, Any], extra: Mapping[str, Any], name: str, where: str) -> dict[str, Any]:
        preferred = {key: extra[key] for key in source if key in extra}
        for key, value in preferred.items():
            if source[key] != value and (name, key) not in self._warned:
                self._warned.add((name, key))
                message = "%s set in both %s and platforms.%s.extra; platforms.%s.extra took precedence"
                _log.warning(message, key, where, name, name)
        return {**source, **preferred}

    def _ensure_extra(self, name: str) -> dict[str, Any]:
        data = self._data.setdefault(name, {})
        data["extra"] = as_mapping(data.get("extra"))
        extra: dict[str, Any] = data["extra"]
        return extra

    def _apply_yaml(self, entry: Entry) -> None:
        block, is_top_level = self._find_block(entry.name)
        block = self._override(entry.name, block, is_top_level=is_top_level)
        if entry.apply_yaml_config_fn is not None and block is not None:
            seeded = self._platforms.ask(entry, "apply_yaml_config_fn", dict(self._config), block)
            if isinstance(seeded, dict) and seeded:
                self._ensure_extra(entry.name).update(seeded)

    def _enable(self, entry: Entry, found: dict[Any, Any]) -> None:
        """Enable a platform that is configured and not disabled by the user."""
        platform = self._find_platform(entry.name)
        if platform is None:
            return
        before = found.get(platform)
        is_on = before is not None and before.enabled
        if not is_on and before is not None and before.extra.get(_EXPLICIT):
            return
        seed = self._platforms.ask(entry, "env_enablement_fn") if entry.env_enablement_fn is not None else None
        seed = dict(seed) if isinstance(seed, dict) else {}
        home = seed.pop("home_channel", None)
        if not is_on and not self._is_configured(entry, before, seed):
            return
        has_requirements = self._platforms.ask(entry, "check_fn", default=False)
        if not has_requirements and getattr(entry, "ensure_deps_fn", None) is None:
            return
        settings = found.setdefault(platform, self._classes.PlatformConfig())
        settings.enabled = True
        settings.extra.update(seed)
        if isinstance(home, dict) and home.get("chat_id"):
            settings.home_channel = self._classes.HomeChannel.from_dict({"platform": entry.name, **home})

    def _is_configured(self, entry: Entry, before: Any, seed: dict[str, Any]) -> bool:
        if entry.is_connected is None:
            return True
        extra = {**seed, **(before.extra if before is not None else {})}
        probe = self._classes.PlatformConfig(enabled=True, extra=extra)
        return bool(self._platforms.ask(entry, "is_connected", probe, default=False))
