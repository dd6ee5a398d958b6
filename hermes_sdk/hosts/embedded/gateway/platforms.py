"""The platforms that plugins registered, and the adapters that are made of them (H1, H3, H7)."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from types import SimpleNamespace
from typing import Any

from hermes_sdk.contract import Contract
from hermes_sdk.hosts.embedded.state import HostState

_log = logging.getLogger("gateway.platform_registry")


class Entry(SimpleNamespace):
    """A platform with what ``ctx.register_platform`` was given, and the release's default for the rest."""


class Platforms:
    """The platforms by name; of those with the same name the last one counts.

    Args:
        registered: The arguments of each registration, with who made it.
        state: What the parts of the host share.
    """

    def __init__(self, registered: Iterable[tuple[Any, dict[str, Any]]], state: HostState) -> None:
        self._state = state
        defaults = dict(_defaults(state.contract))
        self.by_name = {one["name"]: Entry(**{**defaults, **one}) for _, one in registered}

    def ask(self, entry: Entry, argument: str, *args: Any, default: Any = None) -> Any:
        """Call what a plugin gave for an argument; what it raises is hidden, and gives the default."""
        try:
            return getattr(entry, argument)(*args)
        except Exception as error:
            self._state.swallow(f"platform {entry.name} {argument}", error)
            return default

    def adapter(self, name: str, config: Any) -> Any:
        """Make an adapter, or None when the platform is not ready for it.

        Raises:
            Exception: Its ``check_fn`` does.
        """
        entry = self.by_name.get(name)
        if entry is None:
            return None
        if not entry.check_fn():
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


def _defaults(contract: Contract) -> Iterator[tuple[str, Any]]:
    import ast

    for field in contract.section("dataclasses")["PlatformEntry"]["fields"]:
        if "default" in field and field["default"] is not None:
            yield field["name"], ast.literal_eval(field["default"])
