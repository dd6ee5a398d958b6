"""Stands in for ``hermes_cli.dashboard_auth.base``."""

from hermes_sdk.hosts.embedded.providers.backends import assert_protocol_compliance
from hermes_sdk.hosts.embedded.providers.classes import provider_class
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

_state = find_plugin_manager(__spec__).state
Session = provider_class("Session", _state)
TokenPrincipal = provider_class("TokenPrincipal", _state)
LoginStart = provider_class("LoginStart", _state)
ProviderError = provider_class("ProviderError", _state)
InvalidCodeError = provider_class("InvalidCodeError", _state)
InvalidCredentialsError = provider_class("InvalidCredentialsError", _state)
RefreshExpiredError = provider_class("RefreshExpiredError", _state)
DashboardAuthProvider = provider_class("DashboardAuthProvider", _state)
