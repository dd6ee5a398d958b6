"""Load one plugin in a child process, isolated from the machine, and report what a host gets from it.

Stands on top of both hosts: `parent` starts the process and asks, `child` opens the host and answers.
"""

from __future__ import annotations

from hermes_sdk.hosts.inspection.parent import (
    can_inspect_on_real_host,
    inspect_on_real_host,
    inspect_plugin,
    show,
)

__all__ = ["can_inspect_on_real_host", "inspect_on_real_host", "inspect_plugin", "show"]
