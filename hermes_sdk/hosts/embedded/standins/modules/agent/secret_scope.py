"""Stands in for ``agent.secret_scope``: secrets by context, for gateways with several profiles."""

from hermes_sdk.hosts.embedded.secret_scope import UnscopedSecretError
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager

__all__ = [
    "UnscopedSecretError",
    "current_secret_scope",
    "get_secret",
    "reset_secret_scope",
    "set_secret_scope",
]

_scope = find_plugin_manager(__spec__).state.user_config.secrets
current_secret_scope = _scope.current
get_secret = _scope.get
reset_secret_scope = _scope.reset
set_secret_scope = _scope.set
