"""The message about a module or name of the host that the embedded host does not model."""

from __future__ import annotations

from hermes_sdk.contract.host_modules import find_replacement, is_public


def describe_unmodelled(name: str, release: str) -> str:
    """Report that a module or name of the host is not modelled, whether plugins may use it, and what to use instead."""
    what = f"{name} of Hermes Agent {release} is not modelled by the embedded host"
    if is_public(name):
        return f"{what}; it is public, so use the real host for this plugin"
    instead = find_replacement(name)
    advice = f"use {instead}, or the real host for this plugin" if instead else "use the real host for this plugin"
    return f"{what}; it is internal to the host and changes without notice: {advice}"
