"""Settings of a plugin: those that its manifest declares, and values that the author enters for a run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from hermes_sdk import manifest
from hermes_sdk.documents import parse_json
from hermes_sdk.errors import UsageError
from hermes_sdk.manifest import Located

_TEXT = {"str", "string", "secret", ""}
_TYPES = {
    "int": "integer",
    "integer": "integer",
    "float": "number",
    "number": "number",
    "bool": "boolean",
    "boolean": "boolean",
}


@dataclass(frozen=True)
class Field:
    """A setting or variable that a manifest declares.

    Attributes:
        place: Whether it is a setting in ``config.yaml`` or an environment variable.
        kind: Its type in the manifest.
        default: Its default as text for the form; empty for none.
        choices: The allowed values; empty if any value is allowed.
        secret: Whether to hide its value.
    """

    place: Literal["settings", "variables"]
    name: str
    kind: str
    description: str = ""
    default: str = ""
    choices: tuple[str, ...] = ()
    secret: bool = False

    @property
    def key(self) -> str:
        """Its name in the form."""
        return f"{self.place}.{self.name}"


@dataclass(frozen=True)
class Settings:
    """Settings that an author entered, stored only in memory.

    Attributes:
        secrets: The names of the variables to hide.
    """

    values: Mapping[str, Any] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict, repr=False)
    secrets: frozenset[str] = frozenset()


def read_fields(located: Located) -> list[Field]:
    """Read the settings and variables that a plugin declares; empty if its manifest cannot be read."""
    file = manifest.manifest_file(located.directory)
    try:
        value = manifest.parse(file).value if file else None
    except (OSError, ValueError, UsageError):
        value = None
    declared = value if isinstance(value, dict) else {}
    key = str(declared.get("name") or located.directory.resolve().name)
    listed, required = declared.get("config_schema"), declared.get("requires_env")
    settings = [_read_setting(key, str(name), rule) for name, rule in _list_items(listed) if isinstance(rule, dict)]
    variables = [_read_variable(one) for one in required] if isinstance(required, list) else []
    found = {one.key: one for one in [*settings, *filter(None, variables)]}
    return list(found.values())


def parse_settings(fields: list[Field], given: Mapping[str, str], before: Settings) -> Settings:
    """Parse a submitted form; empty fields have their defaults, and empty secrets keep their values.

    Raises:
        UsageError: A value does not have the type that the manifest declares.
    """
    declared = {one.name for one in fields}
    # Scenarios and `--env` set variables that the manifest does not declare.
    variables = {name: value for name, value in before.variables.items() if name not in declared}
    values: dict[str, Any] = {}
    for one in fields:
        text = given.get(one.key, "")
        if one.secret and not text and f"forget.{one.key}" not in given:
            text = before.variables.get(one.name, "")
        if not text:
            continue
        if one.place == "variables":
            if "\0" in text:
                raise UsageError(f"{one.name} cannot contain a null character.")
            variables[one.name] = text
        else:
            values[one.name] = _parse_value(one, text)
    secrets = {one.name for one in fields if one.secret} | (before.secrets - declared)
    return Settings(values, variables, frozenset(secrets))


def merge_config(config: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Merge mappings key by key, like `Home.update_config`."""
    merged = dict(config)
    for key, value in changes.items():
        both = isinstance(value, Mapping) and isinstance(merged.get(key), Mapping)
        merged[key] = merge_config(merged[key], value) if both else value
    return merged


def contains(config: Mapping[str, Any], part: Mapping[str, Any]) -> bool:
    """Return whether a configuration already contains a part."""
    return merge_config(config, part) == config


def _parse_value(field: Field, text: str) -> Any:
    if field.kind.lower() in _TEXT:
        return text
    try:
        return parse_json(text)
    except ValueError:
        kind = _TYPES.get(field.kind.lower(), field.kind)
        raise UsageError(
            f"{field.name} must be of type {kind}, not {text!r}.", fix="Write the value as JSON."
        ) from None


def _list_items(value: Any) -> list[tuple[Any, Any]]:
    return list(value.items()) if isinstance(value, dict) else []


def _read_setting(plugin: str, name: str, rule: Mapping[str, Any]) -> Field:
    kind = str(rule.get("type") or "")
    listed = rule.get("choices") or rule.get("enum") or ()
    choices = tuple(map(str, listed)) if isinstance(listed, list) else ()
    if kind.lower() == "secret":
        # The host stores a secret as a variable, never in its configuration.
        variable = str(rule.get("env") or f"{plugin}_{name}".upper().replace("-", "_"))
        return Field("variables", variable, kind, str(rule.get("description") or ""), secret=True)
    if kind.lower() in ("bool", "boolean"):
        choices = ("true", "false")
    return Field("settings", name, kind, str(rule.get("description") or ""), write_value(rule.get("default")), choices)


def write_value(value: Any) -> str:
    """Format a setting for the form; empty for None."""
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False, default=str)


def _read_variable(entry: Any) -> Field | None:
    about = {"name": entry} if isinstance(entry, str) else entry
    if not isinstance(about, dict) or not isinstance(about.get("name"), str) or not _is_variable(about["name"]):
        return None
    description = " ".join(str(about.get(key) or "") for key in ("description", "url")).strip()
    # Treat the variable as a secret unless the manifest says otherwise.
    return Field("variables", about["name"], "", description, secret=about.get("secret") is not False)


def _is_variable(name: str) -> bool:
    return bool(name) and name not in ("HERMES_HOME", "HOME") and not {"=", "\0"} & set(name)
