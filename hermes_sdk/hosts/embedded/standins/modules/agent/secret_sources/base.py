"""Stands in for ``agent.secret_sources.base``."""

from __future__ import annotations

import re
from typing import Any

from hermes_sdk.hosts.embedded.host_classes import Classes, Defaults
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager
from hermes_sdk.hosts.embedded.standins.refused import refused

__all__ = [
    "DEFAULT_CLI_TIMEOUT_SECONDS",
    "DEFAULT_FETCH_TIMEOUT_SECONDS",
    "SECRET_SOURCE_API_VERSION",
    "ErrorKind",
    "FetchResult",
    "SecretSource",
    "is_valid_env_name",
    "run_secret_cli",
    "scrub_ansi",
]

_host = find_plugin_manager(__spec__)
_constants = _host.state.contract.section("constants")[__name__]
SECRET_SOURCE_API_VERSION: int = _constants["SECRET_SOURCE_API_VERSION"]
DEFAULT_FETCH_TIMEOUT_SECONDS: float = _constants["DEFAULT_FETCH_TIMEOUT_SECONDS"]
DEFAULT_CLI_TIMEOUT_SECONDS: float = _constants["DEFAULT_CLI_TIMEOUT_SECONDS"]


_ADVICE = {
    "not_configured": "Run `hermes secrets {name} setup` to finish configuration.",
    "binary_missing": "Run `hermes secrets {name} setup` to install the helper CLI.",
    "auth_failed": "Credentials rejected — run `hermes secrets {name} setup` to re-authenticate.",
    "auth_expired": "Credentials expired — run `hermes secrets {name} setup` to re-authenticate.",
    "network": "Network problem reaching the secrets backend — check connectivity and retry.",
    "timeout": "Backend was slow — raise secrets.{name}.timeout_seconds if this recurs.",
}
"""What a user can do about an error, by its kind."""


class _Result(Defaults):
    """What a source found."""

    def ok(self: Any) -> bool:
        return self.error is None

    def fail(self: Any, **told: Any) -> Any:
        self.error, self.error_kind = told["error"], told["kind"]
        return self


class _Source(Defaults):
    """Brings secrets from where they are kept."""

    def is_enabled(self, cfg: Any) -> bool:
        return bool(isinstance(cfg, dict) and cfg.get("enabled"))

    def override_existing(self, cfg: Any) -> bool:
        default = getattr(self, "override_existing_default", False)
        return bool(isinstance(cfg, dict) and cfg.get("override_existing", default))

    def protected_env_vars(self: Any, cfg: Any) -> frozenset[str]:
        return frozenset([self.token_env(cfg)] if getattr(self, "token_env_key", None) else [])

    def fetch_timeout_seconds(self, cfg: Any) -> float:
        try:
            seconds = float((cfg or {}).get("timeout_seconds", DEFAULT_FETCH_TIMEOUT_SECONDS))
        except (TypeError, ValueError):
            return DEFAULT_FETCH_TIMEOUT_SECONDS
        return seconds if seconds > 0 else DEFAULT_FETCH_TIMEOUT_SECONDS

    def token_env(self: Any, cfg: Any) -> str:
        configured = cfg.get(self.token_env_key) if isinstance(cfg, dict) and self.token_env_key else None
        return str(configured or self.default_token_env)

    def remediation(self: Any, kind: Any, cfg: Any) -> str:
        hint = self.remediation_hints.get(kind) if hasattr(SecretSource, "remediation_hints") else None
        if hint:
            return str(hint.format(name=self.name, token_env=self.token_env(cfg)))
        advice = {one: _ADVICE.get(one.value, "") for one in ErrorKind}
        return advice.get(kind, "").format(name=self.name)

    def config_schema(self) -> dict[str, Any]:
        return {}


_classes = Classes(_host.state, globals())
run_secret_cli = refused(__spec__, "run_secret_cli")
ErrorKind = _classes.made("ErrorKind")
FetchResult = _classes.made("FetchResult", _Result)
SecretSource = _classes.made("SecretSource", _Source)


def is_valid_env_name(name: str) -> bool:
    """Tell whether a variable can have that name."""
    return bool(name) and re.match(r"^[A-Za-z_][A-Za-z0-9_]*$", name) is not None


def scrub_ansi(text: str) -> str:
    """Return a text without the codes that colour a terminal."""
    return re.sub(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?)", "", text or "")
