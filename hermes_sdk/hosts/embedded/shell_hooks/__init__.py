"""Shell hooks: commands under ``hooks.<event>`` in ``config.yaml`` that listen beside the callbacks of plugins (I)."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from hermes_sdk.contract import Contract
from hermes_sdk.home import Home
from hermes_sdk.hosts.embedded.hooks import Hooks
from hermes_sdk.hosts.embedded.loading.discovery import truthy


def register(hooks: Hooks, contract: Contract, config: Mapping[str, Any], home: Home, *, accept: bool) -> None:
    """Add the shell hooks of a home after the callbacks of its plugins.

    Args:
        hooks: The callbacks of the plugins.
        contract: The release.
        config: The configuration of the home.
        home: The home, whose allow-list says what may run.
        accept: Whether to allow every command, as ``--accept-hooks`` does.
    """
    if contract.behaviour.shell_hooks_safe_mode and truthy("HERMES_SAFE_MODE"):
        logging.getLogger("agent.shell_hooks").info("HERMES_SAFE_MODE=1 — shell-hook registration skipped")
    elif config.get("hooks"):
        # Most homes have none, and the start of a host is short.
        from hermes_sdk.hosts.embedded.shell_hooks.registration import register_allowed

        register_allowed(hooks, contract, config, home.allowlist, accept=accept)
