"""Secrets, which a gateway with several profiles keeps apart."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextvars import ContextVar, Token

from hermes_sdk.hosts.embedded.host_classes import of_module


@of_module("agent.secret_scope")
class UnscopedSecretError(RuntimeError):
    """A secret was asked for outside a scope, in a gateway that needs one."""


class SecretScope:
    """The secrets of the current context; with `overlays`, those of the process are below them."""

    def __init__(self, *, overlays: bool) -> None:
        self._overlays = overlays
        self._scope: ContextVar[Mapping[str, str] | None] = ContextVar("secret_scope", default=None)

    def set(self, secrets: Mapping[str, str] | None) -> Token[Mapping[str, str] | None]:
        """Let these be the secrets in this context."""
        return self._scope.set(secrets)

    def reset(self, token: Token[Mapping[str, str] | None]) -> None:
        """Take a scope back."""
        self._scope.reset(token)

    def current(self) -> Mapping[str, str] | None:
        """Return the secrets of this context, or None when they are those of the process."""
        return self._scope.get()

    def get(self, name: str, default: str | None = None) -> str | None:
        """Return a secret of this context, or else of the process."""
        scope = self._scope.get()
        if scope is None or (self._overlays and scope.get(name) is None):
            return os.environ.get(name, default)
        return scope.get(name, default)
