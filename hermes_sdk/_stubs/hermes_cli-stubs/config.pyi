"""Types of ``hermes_cli.config``."""

from hermes_sdk.hosts.embedded.standins.modules.hermes_cli.config import (
    DEFAULT_CONFIG as DEFAULT_CONFIG,
    OPTIONAL_ENV_VARS as OPTIONAL_ENV_VARS,
    cfg_get as cfg_get,
    ensure_hermes_home as ensure_hermes_home,
    get_config_path as get_config_path,
    get_env_path as get_env_path,
    get_env_value as get_env_value,
    get_env_value_prefer_dotenv as get_env_value_prefer_dotenv,
    get_hermes_home as get_hermes_home,
    is_managed as is_managed,
    load_config as load_config,
    load_config_readonly as load_config_readonly,
    load_env as load_env,
    read_raw_config as read_raw_config,
    remove_env_value as remove_env_value,
    save_config as save_config,
    save_env_value as save_env_value,
)
