"""Secrets by context, for gateways with several profiles."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextvars import ContextVar, Token

from hermes_sdk.hosts.embedded.host_classes import of_module


@of_module("agent.secret_scope")
class UnscopedSecretError(RuntimeError):
    """Raised if a secret is requested outside of a scope, in a gateway that requires one."""


class SecretScope:
    """Secrets of the current context; with `overlays`, missing secrets are taken from the process."""

    def __init__(self, *, overlays: bool) -> None:
        self._overlays = overlays
        self._scope: ContextVar[Mapping[str, str] | None] = ContextVar("secret_scope", default=None)

    def set(self, secrets: Mapping[str, str] | None) -> Token[Mapping[str, str] | None]:
        """Set the secrets of this context."""
        return self._scope.set(secrets)

    def reset(self, token: Token[Mapping[str, str] | None]) -> None:
        """Restore the previous scope."""
        self._scope.reset(token)

    def current(self) -> Mapping[str, str] | None:
        """Return the secrets of this context, or None if they are those of the process."""
        return self._scope.get()

    def get(self, name: str, default: str | None = None) -> str | None:
        """Return a secret of this context, otherwise of the process."""
        scope = self._scope.get()
        if scope is None or (self._overlays and scope.get(name) is None):
            return os.environ.get(name, default)
        return scope.get(name, default)
