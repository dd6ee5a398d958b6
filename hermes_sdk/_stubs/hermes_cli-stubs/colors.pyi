"""Types of ``hermes_cli.colors``."""

from hermes_sdk.hosts.embedded.standins.modules.hermes_cli.colors import (
    Colors as Colors,
    color as color,
    should_use_color as should_use_color,
)
