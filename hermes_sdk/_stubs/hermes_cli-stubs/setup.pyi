"""Types of ``hermes_cli.setup``."""

from hermes_sdk.hosts.embedded.standins.modules.hermes_cli.cli_output import (
    print_error as print_error,
    print_info as print_info,
    print_success as print_success,
    print_warning as print_warning,
)
from hermes_sdk.hosts.embedded.standins.modules.hermes_cli.config import (
    cfg_get as cfg_get,
    get_config_path as get_config_path,
    get_env_path as get_env_path,
    get_env_value as get_env_value,
    get_hermes_home as get_hermes_home,
    load_config as load_config,
    remove_env_value as remove_env_value,
    save_config as save_config,
    save_env_value as save_env_value,
)
from hermes_sdk.hosts.embedded.standins.modules.hermes_cli.setup import (
    is_interactive_stdin as is_interactive_stdin,
    print_header as print_header,
    prompt as prompt,
    prompt_checklist as prompt_checklist,
    prompt_choice as prompt_choice,
    prompt_yes_no as prompt_yes_no,
)
