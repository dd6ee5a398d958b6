"""From a located plugin to a running host: a home with the plugin in it, and everything else that the host needs.

The layers above open their hosts here, and `host_choice` decides which one: embedded, real or auto. Must not import
`inspection`.
"""

from __future__ import annotations

from hermes_sdk.hosts.staging.host_choice import (
    HostChoice,
    Ran,
    default_choice,
    explain_no_real_host,
    find_real_host,
    list_unsupported_in,
    require_host,
    run_on_host,
    to_clause,
)
from hermes_sdk.hosts.staging.staged_home import StagedHome, preload

__all__ = [
    "HostChoice",
    "Ran",
    "StagedHome",
    "default_choice",
    "explain_no_real_host",
    "find_real_host",
    "list_unsupported_in",
    "preload",
    "require_host",
    "run_on_host",
    "to_clause",
]
