"""Stands in for ``hermes_cli.profiles``: the name of the profile; what reads and changes profiles is refused."""

from __future__ import annotations

import re
from importlib import import_module

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
    home, root = _constants.get_hermes_home().resolve(), _constants.get_default_hermes_root().resolve()
    if home == root:
        return "default"
    is_named = home.parent == root / "profiles" and re.fullmatch(r"[a-z0-9][a-z0-9_-]{0,63}\n?", home.name)
    return home.name if is_named else "custom"


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
