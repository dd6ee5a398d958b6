"""Settings of a memory provider for its panel."""

from __future__ import annotations

from dataclasses import dataclass

from hermes_sdk.hosts.embedded.host_classes import of_module


@of_module("plugins.memory.config_schema")
@dataclass(frozen=True)
class ProviderFieldOption:
    """A selectable value of a setting."""

    value: str
    label: str
    description: str = ""


@of_module("plugins.memory.config_schema")
@dataclass(frozen=True)
class ProviderField:
    """A setting of a provider."""

    key: str
    label: str
    kind: str = "text"
    default: str = ""
    description: str = ""
    placeholder: str = ""
    options: tuple[ProviderFieldOption, ...] = ()
    env_key: str | None = None
    aliases: tuple[str, ...] = ()
    env_fallbacks: tuple[str, ...] = ()
    inline: bool = False
    group: str = ""
    info: str = ""
    scope: str = "host"

    @property
    def is_secret(self) -> bool:
        """Return whether the value is stored in ``.env``."""
        return self.kind == "secret"

    def allowed_values(self) -> set[str]:
        """Return the selectable values."""
        return {one.value for one in self.options}


@of_module("plugins.memory.config_schema")
@dataclass(frozen=True)
class ProviderConfigSchema:
    """All settings of a provider."""

    name: str
    label: str
    storage: str = "flat_json"
    docs_url: str = ""
    fields: tuple[ProviderField, ...] = ()

    def inline_fields(self) -> tuple[ProviderField, ...]:
        """Return the settings that the small panel shows."""
        return tuple(one for one in self.fields if one.inline)
