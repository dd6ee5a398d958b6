"""Stands in for ``hermes_cli.cli_output``: output and prompts of commands."""

from hermes_sdk.hosts.embedded.helpers.terminal import (
    CliPrompts,
    print_error,
    print_header,
    print_info,
    print_success,
    print_warning,
)
from hermes_sdk.hosts.embedded.standins.placeholders import make_placeholder
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager

__all__ = [
    "print_error",
    "print_header",
    "print_info",
    "print_success",
    "print_warning",
    "prompt",
    "prompt_yes_no",
]

prompt = CliPrompts(find_plugin_manager(__spec__).state).prompt
prompt_yes_no = make_placeholder(__spec__, "prompt_yes_no")
