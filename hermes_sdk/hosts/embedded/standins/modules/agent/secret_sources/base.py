"""Stands in for ``agent.secret_sources.base``."""

from hermes_sdk.hosts.embedded.helpers.texts import is_valid_env_name, scrub_ansi
from hermes_sdk.hosts.embedded.providers.classes import provider_class
from hermes_sdk.hosts.embedded.standins.placeholders import make_placeholder
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager

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

_state = find_plugin_manager(__spec__).state
_constants = _state.contract.section("constants")[__name__]
SECRET_SOURCE_API_VERSION: int = _constants["SECRET_SOURCE_API_VERSION"]
DEFAULT_FETCH_TIMEOUT_SECONDS: float = _constants["DEFAULT_FETCH_TIMEOUT_SECONDS"]
DEFAULT_CLI_TIMEOUT_SECONDS: float = _constants["DEFAULT_CLI_TIMEOUT_SECONDS"]
ErrorKind = provider_class("ErrorKind", _state)
FetchResult = provider_class("FetchResult", _state)
SecretSource = provider_class("SecretSource", _state)
run_secret_cli = make_placeholder(__spec__, "run_secret_cli")
