"""Stands in for ``hermes_cli.setup``: output and prompts of the setup of a platform."""

from hermes_sdk.hosts.embedded.helpers.terminal import (
    SetupPrompts,
    is_interactive_stdin,
    print_error,
    print_info,
    print_success,
    print_warning,
)
from hermes_sdk.hosts.embedded.helpers.terminal import print_setup_header as print_header
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager
from hermes_sdk.hosts.embedded.user_config import cfg_get

__all__ = [
    "cfg_get",
    "get_config_path",
    "get_env_path",
    "get_env_value",
    "get_hermes_home",
    "is_interactive_stdin",
    "load_config",
    "print_error",
    "print_header",
    "print_info",
    "print_success",
    "print_warning",
    "prompt",
    "prompt_checklist",
    "prompt_choice",
    "prompt_yes_no",
    "remove_env_value",
    "save_config",
    "save_env_value",
]

_state = find_plugin_manager(__spec__).state
_config = _state.user_config
_prompts = SetupPrompts(_state)
get_hermes_home = _state.home_path
get_config_path = _config.get_config_path
get_env_path = _config.get_env_path
get_env_value = _config.get_env_value
load_config = _config.load_config
remove_env_value = _config.remove_env_value
save_config = _config.save_config
save_env_value = _config.save_env_value
prompt = _prompts.prompt
prompt_yes_no = _prompts.prompt_yes_no
prompt_choice = _prompts.prompt_choice
prompt_checklist = _prompts.prompt_checklist
