"""Types of ``plugins.memory``."""

from hermes_sdk.hosts.embedded.shims.modules.plugins.memory import (
    find_provider_dir as find_provider_dir,
    list_memory_provider_names as list_memory_provider_names,
)
