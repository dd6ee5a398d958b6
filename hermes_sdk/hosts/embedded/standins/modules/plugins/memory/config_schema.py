"""Stands in for ``plugins.memory.config_schema``: the settings of a memory provider, as its panel shows them."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "KIND_BOOL",
    "KIND_JSON",
    "KIND_NUMBER",
    "KIND_SECRET",
    "KIND_SELECT",
    "KIND_TEXT",
    "STORAGE_FLAT_JSON",
    "STORAGE_HONCHO_HOST_BLOCK",
    "ProviderConfigSchema",
    "ProviderField",
    "ProviderFieldOption",
]

KIND_TEXT = "text"
KIND_SELECT = "select"
KIND_SECRET = "secret"
KIND_BOOL = "bool"
KIND_NUMBER = "number"
KIND_JSON = "json"
STORAGE_FLAT_JSON = "flat_json"
STORAGE_HONCHO_HOST_BLOCK = "honcho_host_block"


@dataclass(frozen=True)
class ProviderFieldOption:
    """One of the values that can be picked."""

    value: str
    label: str
    description: str = ""


@dataclass(frozen=True)
class ProviderField:
    """One setting."""

    key: str
    label: str
    kind: str = KIND_TEXT
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
        """Whether the value is stored in ``.env``."""
        return self.kind == KIND_SECRET

    def allowed_values(self) -> set[str]:
        """Return the values that can be picked."""
        return {one.value for one in self.options}


@dataclass(frozen=True)
class ProviderConfigSchema:
    """All settings of a provider."""

    name: str
    label: str
    storage: str = STORAGE_FLAT_JSON
    docs_url: str = ""
    fields: tuple[ProviderField, ...] = ()

    def inline_fields(self) -> tuple[ProviderField, ...]:
        """Return the settings that the small panel shows."""
        return tuple(one for one in self.fields if one.inline)
