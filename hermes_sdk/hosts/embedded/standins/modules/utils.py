"""Stands in for ``utils``: small helper functions of Hermes."""

from hermes_sdk.hosts.embedded.helpers.files import AtomicFiles, atomic_replace
from hermes_sdk.hosts.embedded.helpers.texts import base_url_host_matches, base_url_hostname
from hermes_sdk.hosts.embedded.helpers.values import (
    env_bool,
    env_float,
    env_int,
    env_var_enabled,
    is_truthy_value,
    make_safe_load,
    safe_json_loads,
)
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager

__all__ = [
    "TRUTHY_STRINGS",
    "atomic_json_write",
    "atomic_replace",
    "atomic_yaml_write",
    "base_url_host_matches",
    "base_url_hostname",
    "env_bool",
    "env_float",
    "env_int",
    "env_var_enabled",
    "fast_safe_load",
    "is_truthy_value",
    "safe_json_loads",
]

_state = find_plugin_manager(__spec__).state
fast_safe_load = make_safe_load(_state.behaviour)

_files = AtomicFiles(_state)
atomic_json_write, atomic_yaml_write = _files.write_json, _files.write_yaml

TRUTHY_STRINGS = frozenset({"1", "true", "yes", "on"})
