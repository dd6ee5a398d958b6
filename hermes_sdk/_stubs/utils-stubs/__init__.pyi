"""Types of ``utils``."""

from hermes_sdk.hosts.embedded.standins.modules.utils import (
    TRUTHY_STRINGS as TRUTHY_STRINGS,
    atomic_json_write as atomic_json_write,
    atomic_replace as atomic_replace,
    atomic_yaml_write as atomic_yaml_write,
    base_url_host_matches as base_url_host_matches,
    base_url_hostname as base_url_hostname,
    env_bool as env_bool,
    env_float as env_float,
    env_int as env_int,
    env_var_enabled as env_var_enabled,
    fast_safe_load as fast_safe_load,
    is_truthy_value as is_truthy_value,
    safe_json_loads as safe_json_loads,
)
