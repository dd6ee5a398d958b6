"""Shell hooks: commands under ``hooks.<event>`` in ``config.yaml`` that run in addition to plugins' callbacks (I)."""

from __future__ import annotations

import logging

from hermes_sdk.hosts.embedded.hooks import Hooks
from hermes_sdk.hosts.embedded.process.environment import truthy
from hermes_sdk.hosts.embedded.state import HostState


def register(hooks: Hooks, state: HostState, *, accept: bool) -> None:
    """Add the shell hooks of a home to the callbacks of its plugins; `accept` allows all, like ``--accept-hooks``."""
    config = state.config.read()
    if truthy("HERMES_SAFE_MODE"):
        logging.getLogger("agent.shell_hooks").info("HERMES_SAFE_MODE=1 — shell-hook registration skipped")
    elif config.get("hooks"):
        # Imported on demand: most homes have no shell hooks, and the import takes time.
        from hermes_sdk.hosts.embedded.shell_hooks.registration import register_allowed

        register_allowed(hooks, state.contract, config, state.home.allowlist, accept=accept)
