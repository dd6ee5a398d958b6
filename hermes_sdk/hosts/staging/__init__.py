"""Preparation of homes with plugins, and of the requirements that a host needs to run them.

The layers above open their hosts here, and `host_choice` selects the host: embedded, real or auto. The package must not
import `inspection`.
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
