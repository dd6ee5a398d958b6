"""The platforms that plugins registered, and their adapters (H1, H3, H7)."""

from __future__ import annotations

import ast
import logging
from collections.abc import Iterable, Iterator, Mapping
from types import SimpleNamespace
from typing import Any

from hermes_sdk.hosts.embedded.state import HostState

_log = logging.getLogger("gateway.platform_registry")


class Entry(SimpleNamespace):
    """A platform: the arguments of ``ctx.register_platform``, with the release's defaults."""


class Platforms:
    """Platforms by name; the last registration of a name wins."""

    def __init__(self, registered: Iterable[tuple[Any, dict[str, Any]]], state: HostState) -> None:
        self._state = state
        fields = state.contract.section("dataclasses")["PlatformEntry"]["fields"]
        given = {one["name"]: one["default"] for one in fields if one.get("default") is not None}
        defaults = {name: ast.literal_eval(default) for name, default in given.items()}
        self.by_name = {one["name"]: Entry(**{**defaults, **one}) for _, one in registered}

    def ask(self, entry: Entry, argument: str, *args: Any, default: Any = None) -> Any:
        """Call a function of a registration; if it raises, swallow the exception and return the default."""
        try:
            return getattr(entry, argument)(*args)
        except Exception as error:
            self._state.swallow(f"platform {entry.name} {argument}", error)
            return default

    def home_variable(self, name: str) -> str:
        """Return the environment variable with the home channel of a platform."""
        return getattr(self.by_name.get(name), "cron_deliver_env_var", "") or f"{name.upper()}_HOME_CHANNEL"

    def find_connected(self, settings: Mapping[Any, Any]) -> Iterator[Any]:
        """Yield the enabled platforms that report that they can connect, sorted (H6)."""
        for platform, own in sorted(settings.items(), key=lambda one: str(one[0].value)):
            entry = self.by_name.get(platform.value)
            if own.enabled and (own.token or own.api_key or (entry and self._can_connect(entry, own))):
                yield platform

    def _can_connect(self, entry: Entry, settings: Any) -> bool:
        check = next((name for name in ("is_connected", "validate_config") if getattr(entry, name)), None)
        return check is None or bool(self.ask(entry, check, settings, default=False))

    def make_adapter(self, name: str, config: Any) -> Any:
        """Create an adapter, or return None if the platform is not ready.

        Exceptions of ``check_fn`` propagate in releases that do not log them.
        """
        entry = self.by_name.get(name)
        if entry is None:
            return None
        if not self._has_requirements(entry):
            hint = f" ({entry.install_hint})" if entry.install_hint else ""
            _log.warning("Platform '%s' requirements not met%s", entry.label, hint)
            return None
        if entry.validate_config is not None and not self._is_valid(entry, config):
            return None
        try:
            return entry.adapter_factory(config)
        except Exception as error:
            _log.error("Failed to create adapter for platform '%s': %s", entry.label, error, exc_info=True)
            self._state.swallow(f"platform {entry.name} adapter_factory", error)
            return None

    def _has_requirements(self, entry: Entry) -> bool:
        """Call ``check_fn``, and let ``ensure_deps_fn`` install missing dependencies (N91)."""
        if not self._state.behaviour.platform_checks_caught:
            return bool(entry.check_fn())
        if self._ask_logged(entry, "check_fn", "check_fn"):
            return True
        installs = getattr(entry, "ensure_deps_fn", None) is not None
        if installs:
            _log.info("Platform '%s' dependencies missing — attempting install...", entry.label)
        return installs and self._ask_logged(entry, "ensure_deps_fn", "dependency install")

    def _ask_logged(self, entry: Entry, argument: str, what: str) -> bool:
        try:
            return bool(getattr(entry, argument)())
        except Exception as error:
            _log.warning("Platform '%s' %s raised: %s", entry.label, what, error)
            self._state.swallow(f"platform {entry.name} {argument}", error)
            return False

    def _is_valid(self, entry: Entry, config: Any) -> bool:
        try:
            valid = bool(entry.validate_config(config))
        except Exception as error:
            _log.warning("Platform '%s' config validation error: %s", entry.label, error)
            self._state.swallow(f"platform {entry.name} validate_config", error)
            return False
        if not valid:
            _log.warning("Platform '%s' config validation failed", entry.label)
        return valid
