"""Base classes of secret sources (``agent.secret_sources.base``)."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from typing import Any

from hermes_sdk.hosts.embedded.host_classes import Defaults
from hermes_sdk.hosts.embedded.state import HostState

_ADVICE = {
    "not_configured": "Run `hermes secrets {name} setup` to finish configuration.",
    "binary_missing": "Run `hermes secrets {name} setup` to install the helper CLI.",
    "auth_failed": "Credentials rejected — run `hermes secrets {name} setup` to re-authenticate.",
    "auth_expired": "Credentials expired — run `hermes secrets {name} setup` to re-authenticate.",
    "network": "Network problem reaching the secrets backend — check connectivity and retry.",
    "timeout": "Backend was slow — raise secrets.{name}.timeout_seconds if this recurs.",
}
"""Advice for users by kind of error."""


def require_no_fetch(sources: Iterable[Any], state: HostState) -> None:
    """Reject enabled secret sources of plugins, since Hermes loads their secrets into the environment.

    Raises:
        NotSupported: The configuration enables a source.
    """
    secrets = state.config.read().get("secrets")
    for source in sources:
        section = secrets.get(source.name) if isinstance(secrets, dict) else None
        is_enabled = False
        # Hermes skips a source whose method raises.
        with contextlib.suppress(Exception):
            is_enabled = bool(source.is_enabled(section if isinstance(section, dict) else {}))
        if is_enabled:
            raise state.unsupported(f"fetch the secrets of the source {source.name!r}")


class FetchResult(Defaults):
    """Result of fetching secrets from a source."""

    def ok(self: Any) -> bool:
        return self.error is None

    def fail(self: Any, **failure: Any) -> Any:
        self.error, self.error_kind = failure["error"], failure["kind"]
        return self


class SecretSource(Defaults):
    """Fetches secrets from an external store."""

    _embedded: HostState

    def is_enabled(self, cfg: Any) -> bool:
        return bool(isinstance(cfg, dict) and cfg.get("enabled"))

    def override_existing(self, cfg: Any) -> bool:
        default = getattr(self, "override_existing_default", False)
        return bool(isinstance(cfg, dict) and cfg.get("override_existing", default))

    def protected_env_vars(self: Any, cfg: Any) -> frozenset[str]:
        return frozenset([self.token_env(cfg)] if getattr(self, "token_env_key", None) else [])

    def fetch_timeout_seconds(self, cfg: Any) -> float:
        constants = self._embedded.contract.section("constants")["agent.secret_sources.base"]
        default: float = constants["DEFAULT_FETCH_TIMEOUT_SECONDS"]
        try:
            seconds = float((cfg or {}).get("timeout_seconds", default))
        except (TypeError, ValueError):
            return default
        return seconds if seconds > 0 else default

    def token_env(self: Any, cfg: Any) -> str:
        configured = cfg.get(self.token_env_key) if isinstance(cfg, dict) and self.token_env_key else None
        return str(configured or self.default_token_env)

    def remediation(self: Any, kind: Any, cfg: Any) -> str:
        has_hints = hasattr(self._embedded.classes["SecretSource"], "remediation_hints")
        hint = self.remediation_hints.get(kind) if has_hints else None
        if hint:
            return str(hint.format(name=self.name, token_env=self.token_env(cfg)))
        return _ADVICE.get(kind, "").format(name=self.name)

    def config_schema(self) -> dict[str, Any]:
        return {}
