"""Types of ``hermes_cli.cli_output``."""

from hermes_sdk.hosts.embedded.standins.modules.hermes_cli.cli_output import (
    print_error as print_error,
    print_header as print_header,
    print_info as print_info,
    print_success as print_success,
    print_warning as print_warning,
    prompt as prompt,
    prompt_yes_no as prompt_yes_no,
)
