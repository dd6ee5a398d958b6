"""From a located plugin to a running host: a home with the plugin in it, and everything else that the host needs.

The layers above open their hosts here. Must not import `inspection`.
"""

from __future__ import annotations

from hermes_sdk.hosts.staging.staged_home import StagedHome, preload

__all__ = ["StagedHome", "preload"]
