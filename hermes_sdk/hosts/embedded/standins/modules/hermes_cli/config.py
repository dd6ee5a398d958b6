"""Stands in for ``hermes_cli.config``: the configuration and the variables of the home."""

from typing import Any

from hermes_sdk.hosts.embedded.services.optional_variables import OptionalVariables
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager
from hermes_sdk.hosts.embedded.user_config import cfg_get

__all__ = [
    "DEFAULT_CONFIG",
    "OPTIONAL_ENV_VARS",
    "cfg_get",
    "ensure_hermes_home",
    "get_config_path",
    "get_env_path",
    "get_env_value",
    "get_env_value_prefer_dotenv",
    "get_hermes_home",
    "is_managed",
    "load_config",
    "load_config_readonly",
    "load_env",
    "read_raw_config",
    "remove_env_value",
    "save_config",
    "save_env_value",
]

_state = find_plugin_manager(__spec__).state
_config = _state.user_config

DEFAULT_CONFIG: dict[str, Any] = _config.defaults
OPTIONAL_ENV_VARS: dict[str, Any] = OptionalVariables(_state)
get_hermes_home = _state.home_path
get_config_path = _config.get_config_path
get_env_path = _config.get_env_path
ensure_hermes_home = _config.ensure_hermes_home
is_managed = _config.is_managed
load_config = _config.load_config
load_config_readonly = _config.load_config
read_raw_config = _config.read_raw_config
save_config = _config.save_config
load_env = _config.load_env
get_env_value = _config.get_env_value
get_env_value_prefer_dotenv = _config.get_env_value_prefer_dotenv
save_env_value = _config.save_env_value
remove_env_value = _config.remove_env_value
