"""Stands in for ``hermes_cli.config_defaults``: the default configuration and the variables that Hermes describes."""

from importlib import import_module

__all__ = ["DEFAULT_CONFIG", "OPTIONAL_ENV_VARS"]

_config = import_module("hermes_cli.config")
DEFAULT_CONFIG = _config.DEFAULT_CONFIG
OPTIONAL_ENV_VARS = _config.OPTIONAL_ENV_VARS
