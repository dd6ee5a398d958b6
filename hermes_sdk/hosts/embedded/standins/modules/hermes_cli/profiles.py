"""Stands in for ``hermes_cli.profiles``: the name of the profile; what reads and changes profiles is refused."""

from __future__ import annotations

from importlib import import_module

from hermes_sdk.hosts.embedded.process.environment import name_profile
from hermes_sdk.hosts.embedded.standins.refused import refused

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
    """Name the profile of the home."""
    return name_profile(_constants.get_hermes_home(), _constants.get_default_hermes_root())


ProfileInfo = refused(__spec__, "ProfileInfo")
create_profile = refused(__spec__, "create_profile")
delete_profile = refused(__spec__, "delete_profile")
get_active_profile = refused(__spec__, "get_active_profile")
get_profile_dir = refused(__spec__, "get_profile_dir")
list_profiles = refused(__spec__, "list_profiles")
normalize_profile_name = refused(__spec__, "normalize_profile_name")
profile_exists = refused(__spec__, "profile_exists")
resolve_profile_env = refused(__spec__, "resolve_profile_env")
validate_profile_name = refused(__spec__, "validate_profile_name")
