"""The provider of models that the configuration chooses, and what the host has to have to ask it (statement G24)."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from hermes_sdk.contract import Contract

_ADDRESSES = ("_BASE_URL", "_URL")


class AuthError(Exception):
    """The host cannot use the provider of models that is chosen."""


@dataclass(frozen=True)
class Access:
    """What ``model`` in ``config.yaml`` comes to.

    Attributes:
        provider: The name of the provider.
        profile: Its ``ProviderProfile``, if it is that of a plugin.
        base_url: Where its requests go.
        is_own_address: Whether that is the provider's own address, not the one of the configuration.
    """

    provider: str
    profile: Any
    base_url: str
    is_own_address: bool

    @classmethod
    def of(cls, section: Mapping[str, Any], profiles: Callable[[str], Any]) -> Access:
        """Find what a configuration chooses.

        A variable of the provider that ends like an address goes before ``model.base_url``, and that belongs to the
        name of a provider: it does not count for an alias.

        Args:
            section: The section ``model``.
            profiles: Gives the provider that a plugin registered under a name or an alias, or None.
        """
        chosen = str(section.get("provider", "")).strip().lower()
        profile, configured = profiles(chosen), str(section.get("base_url", ""))
        if profile is None:
            return cls(chosen, None, configured, is_own_address=False)
        listed = next((os.environ.get(name, "") for name in profile.env_vars if name.endswith(_ADDRESSES)), "").strip()
        if configured and chosen == profile.name and not listed:
            return cls(chosen, profile, configured, is_own_address=False)
        return cls(profile.name, profile, (listed or profile.base_url).rstrip("/"), is_own_address=True)

    def demand(self, contract: Contract) -> None:
        """Refuse a provider of a plugin that cannot be chosen, or whose key is missing.

        Args:
            contract: The release.

        Raises:
            AuthError: It has no variables for keys, or, since 0.19.0, none of them is set.
            RuntimeError: Before, none of them is set.
        """
        profile = self.profile
        # What the host knows of a provider of its own counts, whatever a plugin says of it.
        if profile is None or f"model-providers/{profile.name}" in contract.section("bundled_plugins"):
            return
        if profile.auth_type != "api_key" or not profile.env_vars:
            hint = "Check 'hermes model' for available providers, or run 'hermes doctor' to diagnose config issues."
            raise AuthError(f"Unknown provider '{self.provider}'. {hint}")
        keys = [name for name in profile.env_vars if not name.endswith(_ADDRESSES)] or list(profile.env_vars)
        if any(os.environ.get(name, "").strip() for name in keys):
            return
        if contract.behaviour.missing_key_is_auth_error:
            raise AuthError(f"No usable credentials found for provider '{self.provider}'. Set {', '.join(keys)}.")
        raise RuntimeError(
            f"Provider '{self.provider}' is set in config.yaml but no API key was found. Set the {keys[0]} environment"
            " variable, or switch to a different provider with `hermes model`."
        )
