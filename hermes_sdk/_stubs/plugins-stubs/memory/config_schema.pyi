"""Types of ``plugins.memory.config_schema``."""

from hermes_sdk.hosts.embedded.standins.modules.plugins.memory.config_schema import (
    KIND_BOOL as KIND_BOOL,
    KIND_JSON as KIND_JSON,
    KIND_NUMBER as KIND_NUMBER,
    KIND_SECRET as KIND_SECRET,
    KIND_SELECT as KIND_SELECT,
    KIND_TEXT as KIND_TEXT,
    STORAGE_FLAT_JSON as STORAGE_FLAT_JSON,
    STORAGE_HONCHO_HOST_BLOCK as STORAGE_HONCHO_HOST_BLOCK,
    ProviderConfigSchema as ProviderConfigSchema,
    ProviderField as ProviderField,
    ProviderFieldOption as ProviderFieldOption,
)
