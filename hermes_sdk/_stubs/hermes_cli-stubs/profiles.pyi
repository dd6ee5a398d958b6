"""Types of ``hermes_cli.profiles``."""

from hermes_sdk.hosts.embedded.standins.modules.hermes_cli.profiles import (
    ProfileInfo as ProfileInfo,
    create_profile as create_profile,
    delete_profile as delete_profile,
    get_active_profile as get_active_profile,
    get_active_profile_name as get_active_profile_name,
    get_profile_dir as get_profile_dir,
    list_profiles as list_profiles,
    normalize_profile_name as normalize_profile_name,
    profile_exists as profile_exists,
    resolve_profile_env as resolve_profile_env,
    validate_profile_name as validate_profile_name,
)
