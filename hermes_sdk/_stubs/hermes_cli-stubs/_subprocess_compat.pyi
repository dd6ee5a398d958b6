"""Types of ``hermes_cli._subprocess_compat``."""

from hermes_sdk.hosts.embedded.standins.modules.hermes_cli._subprocess_compat import (
    IS_WINDOWS as IS_WINDOWS,
    windows_detach_flags as windows_detach_flags,
    windows_detach_popen_kwargs as windows_detach_popen_kwargs,
    windows_hide_flags as windows_hide_flags,
)
