"""Types of ``hermes_cli.config_defaults``."""

from hermes_sdk.hosts.embedded.standins.modules.hermes_cli.config_defaults import (
    DEFAULT_CONFIG as DEFAULT_CONFIG,
    OPTIONAL_ENV_VARS as OPTIONAL_ENV_VARS,
)
