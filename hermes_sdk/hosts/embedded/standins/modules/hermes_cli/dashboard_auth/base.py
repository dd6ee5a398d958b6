"""Stands in for ``hermes_cli.dashboard_auth.base``."""

from __future__ import annotations

from typing import Any, NoReturn

from hermes_sdk.hosts.embedded.host_classes import Classes, Defaults
from hermes_sdk.hosts.embedded.providers.backends import assert_protocol_compliance
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager

__all__ = [
    "DashboardAuthProvider",
    "InvalidCodeError",
    "InvalidCredentialsError",
    "LoginStart",
    "ProviderError",
    "RefreshExpiredError",
    "Session",
    "TokenPrincipal",
    "assert_protocol_compliance",
]


class _Login(Defaults):
    """Lets people into the dashboard."""

    def complete_password_login(self, **_: Any) -> NoReturn:
        raise NotImplementedError(
            f"{type(self).__name__} does not support password login (set supports_password = True and override"
            " complete_password_login)"
        )

    def verify_token(self, **_: Any) -> NoReturn:
        raise NotImplementedError(
            f"{type(self).__name__} does not support token auth (set supports_token = True and override verify_token)"
        )


_classes = Classes(find_plugin_manager(__spec__).state, globals())
Session = _classes.made("Session")
TokenPrincipal = _classes.made("TokenPrincipal")
LoginStart = _classes.made("LoginStart")
ProviderError = _classes.made("ProviderError")
InvalidCodeError = _classes.made("InvalidCodeError")
InvalidCredentialsError = _classes.made("InvalidCredentialsError")
RefreshExpiredError = _classes.made("RefreshExpiredError")
DashboardAuthProvider = _classes.made("DashboardAuthProvider", _Login)
