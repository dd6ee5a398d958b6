"""Types of ``plugins.memory``."""

from hermes_sdk.hosts.embedded.standins.modules.plugins.memory import (
    discover_memory_providers as discover_memory_providers,
    find_provider_dir as find_provider_dir,
    list_memory_provider_names as list_memory_provider_names,
    load_memory_provider as load_memory_provider,
)
