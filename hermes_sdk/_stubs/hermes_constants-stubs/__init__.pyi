"""Types of ``hermes_constants``."""

from hermes_sdk.hosts.embedded.standins.modules.hermes_constants import (
    display_hermes_home as display_hermes_home,
    get_config_path as get_config_path,
    get_default_hermes_root as get_default_hermes_root,
    get_env_path as get_env_path,
    get_hermes_dir as get_hermes_dir,
    get_hermes_home as get_hermes_home,
    get_hermes_home_override as get_hermes_home_override,
    get_process_hermes_home as get_process_hermes_home,
    get_skills_dir as get_skills_dir,
    reset_hermes_home_override as reset_hermes_home_override,
    secure_parent_dir as secure_parent_dir,
    set_hermes_home_override as set_hermes_home_override,
)
