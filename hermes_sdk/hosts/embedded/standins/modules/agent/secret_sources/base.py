"""Stands in for ``agent.secret_sources.base``."""

from __future__ import annotations

import re
from typing import Any

from hermes_sdk.hosts.embedded.host_classes import Classes, Defaults
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager

__all__ = [
    "DEFAULT_CLI_TIMEOUT_SECONDS",
    "DEFAULT_FETCH_TIMEOUT_SECONDS",
    "SECRET_SOURCE_API_VERSION",
    "ErrorKind",
    "FetchResult",
    "SecretSource",
    "is_valid_env_name",
    "scrub_ansi",
]

_host = find_plugin_manager(__spec__)
_constants = _host.state.contract.section("constants")[__name__]
SECRET_SOURCE_API_VERSION: int = _constants["SECRET_SOURCE_API_VERSION"]
DEFAULT_FETCH_TIMEOUT_SECONDS: float = _constants["DEFAULT_FETCH_TIMEOUT_SECONDS"]
DEFAULT_CLI_TIMEOUT_SECONDS: float = _constants["DEFAULT_CLI_TIMEOUT_SECONDS"]


class _Result(Defaults):
    """What a source found."""

    def ok(self: Any) -> bool:
        return self.error is None


class _Source(Defaults):
    """Brings secrets from where they are kept."""

    def is_enabled(self, cfg: Any) -> bool:
        return bool(isinstance(cfg, dict) and cfg.get("enabled"))

    def override_existing(self, cfg: Any) -> bool:
        return bool(isinstance(cfg, dict) and cfg.get("override_existing"))

    def protected_env_vars(self, **_: Any) -> frozenset[str]:
        return frozenset()

    def fetch_timeout_seconds(self, cfg: Any) -> float:
        try:
            seconds = float((cfg or {}).get("timeout_seconds", DEFAULT_FETCH_TIMEOUT_SECONDS))
        except (TypeError, ValueError):
            return DEFAULT_FETCH_TIMEOUT_SECONDS
        return seconds if seconds > 0 else DEFAULT_FETCH_TIMEOUT_SECONDS

    def config_schema(self) -> dict[str, Any]:
        return {}


_classes = Classes(_host.state.contract, globals())
ErrorKind = _classes.made("ErrorKind")
FetchResult = _classes.made("FetchResult", _Result)
SecretSource = _classes.made("SecretSource", _Source)


def is_valid_env_name(name: str) -> bool:
    """Tell whether a variable can have that name."""
    return bool(name) and re.match(r"^[A-Za-z_][A-Za-z0-9_]*$", name) is not None


def scrub_ansi(text: str) -> str:
    """Return a text without the codes that colour a terminal."""
    return re.sub(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?)", "", text or "")
