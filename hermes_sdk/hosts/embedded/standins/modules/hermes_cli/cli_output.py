"""Stands in for ``hermes_cli.cli_output``: what commands print and ask."""

from hermes_sdk.hosts.embedded.helpers.terminal import (
    CliPrompts,
    print_error,
    print_header,
    print_info,
    print_success,
    print_warning,
)
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager
from hermes_sdk.hosts.embedded.standins.refused import refused

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
prompt_yes_no = refused(__spec__, "prompt_yes_no")
