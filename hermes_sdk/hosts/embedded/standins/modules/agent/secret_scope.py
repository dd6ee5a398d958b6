"""Stands in for ``agent.secret_scope``: secrets, which a gateway with several profiles keeps apart."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextvars import ContextVar, Token

from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager

__all__ = [
    "UnscopedSecretError",
    "current_secret_scope",
    "get_secret",
    "reset_secret_scope",
    "set_secret_scope",
]

_overlays = find_plugin_manager(__spec__).state.behaviour.secret_scope_overlays
_scope: ContextVar[Mapping[str, str] | None] = ContextVar("secret_scope", default=None)


class UnscopedSecretError(RuntimeError):
    """A secret was asked for outside a scope, in a gateway that needs one."""


def set_secret_scope(secrets: Mapping[str, str] | None) -> Token[Mapping[str, str] | None]:
    """Let these be the secrets in this context."""
    return _scope.set(secrets)


def reset_secret_scope(token: Token[Mapping[str, str] | None]) -> None:
    """Take a scope back."""
    _scope.reset(token)


def current_secret_scope() -> Mapping[str, str] | None:
    """Return the secrets of this context, or None when they are those of the process."""
    return _scope.get()


def get_secret(name: str, default: str | None = None) -> str | None:
    """Return a secret of this context, or else of the process."""
    scope = _scope.get()
    if scope is None or (_overlays and scope.get(name) is None):
        return os.environ.get(name, default)
    return scope.get(name, default)
