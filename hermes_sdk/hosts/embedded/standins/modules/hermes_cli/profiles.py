"""Stands in for ``hermes_cli.profiles``: the name of the profile. Reading and changing profiles is not supported."""

from __future__ import annotations

from importlib import import_module

from hermes_sdk.hosts.embedded.process.environment import name_profile
from hermes_sdk.hosts.embedded.standins.placeholders import make_placeholder

__all__ = [
    "ProfileInfo",
    "create_profile",
    "delete_profile",
    "get_active_profile",
    "get_active_profile_name",
    "get_profile_dir",
    "list_profiles",
    "normalize_profile_name",
    "profile_exists",
    "resolve_profile_env",
    "validate_profile_name",
]

_constants = import_module("hermes_constants")


def get_active_profile_name() -> str:
    """Return the name of the home's profile."""
    return name_profile(_constants.get_hermes_home(), _constants.get_default_hermes_root())


ProfileInfo = make_placeholder(__spec__, "ProfileInfo")
create_profile = make_placeholder(__spec__, "create_profile")
delete_profile = make_placeholder(__spec__, "delete_profile")
get_active_profile = make_placeholder(__spec__, "get_active_profile")
get_profile_dir = make_placeholder(__spec__, "get_profile_dir")
list_profiles = make_placeholder(__spec__, "list_profiles")
normalize_profile_name = make_placeholder(__spec__, "normalize_profile_name")
profile_exists = make_placeholder(__spec__, "profile_exists")
resolve_profile_env = make_placeholder(__spec__, "resolve_profile_env")
validate_profile_name = make_placeholder(__spec__, "validate_profile_name")
