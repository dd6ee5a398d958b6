"""Manifest fields since 0.20.1 (statements N1 to N11); an invalid field only causes a warning."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Mapping
from typing import Any

from hermes_sdk.contract import Contract
from hermes_sdk.hosts.embedded.services.locales import read_declared

logger = logging.getLogger("hermes_cli.plugins")
_capabilities_log = logging.getLogger("hermes_cli.plugin_capabilities")

_SUPPORTED_VERSION = 2
_KNOWN = frozenset(
    {
        *("name", "version", "description", "author", "requires_env", "provides_tools", "provides_hooks", "kind"),
        *("hooks", "label", "optional_env", "platforms", "external_dependencies", "pip_dependencies"),
        *("provides_browser_providers", "provides_web_providers", "manifest_version", "api_version"),
        *("requires_plugins", "python_dependencies", "config_schema", "license", "homepage", "tags"),
        *("capabilities", "emits", "listens", "hermes", "depends"),
    }
)
_KNOWN_LATER = {
    "requires_hermes": frozenset({"requires_hermes"}),
    "provides_locales": frozenset({"provides_locales", "python_runtime", "requires_auth"}),
}
"""Field of Hermes' manifest class -> the fields of files that are known if the class has it."""

_TYPES: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("str", "string"), (str,)),
    **dict.fromkeys(("int", "integer"), (int,)),
    **dict.fromkeys(("float", "number"), (int, float)),
    **dict.fromkeys(("bool", "boolean"), (bool,)),
    **dict.fromkeys(("list", "array"), (list,)),
    **dict.fromkeys(("dict", "object"), (dict,)),
}
_TYPES_LATER = {**_TYPES, "secret": (str,)}
CAPABILITIES = frozenset(
    {
        "gateway.platform_actions",
        "llm.agent_id_override",
        "llm.model_override",
        "llm.profile_override",
        "llm.provider_override",
        "llm.task_override",
        "tools.override",
    }
)
"""Capabilities that an operator can grant to a plugin (N10)."""


def format_author(author: Any) -> str:
    """Format the author of a plugin (N11)."""
    if isinstance(author, Mapping):
        return ", ".join(str(author[name]) for name in ("name", "email", "url") if author.get(name))
    return "" if author is None else str(author)


def read_fields(raw: Mapping[str, Any], key: Any, contract: Contract) -> dict[str, Any]:
    """Read these fields of a manifest; `key` is the plugin's key for warnings."""
    known = _find_names(contract)
    schema_types = _list_types(contract)
    locales: dict[str, Any] = {}
    if "provides_locales" in known:
        declared = read_declared(raw.get("provides_locales"), key)
        locales = dict(zip(("provides_locales", "locale_metadata"), declared, strict=True))
    capabilities = None
    if "requires_hermes" in known:
        capabilities = list_known_capabilities(raw.get("capabilities"), raw.get("name", key))
    version = _parse_integer(raw.get("manifest_version", 1), key, "manifest_version", "treating as 1", 1)
    if version > _SUPPORTED_VERSION:
        newer = "Plugin %s: manifest_version %d is newer than this Hermes supports (%d); loading anyway and ignoring"
        logger.warning(f"{newer} unknown fields", key, version, _SUPPORTED_VERSION)
    api = raw.get("api_version")
    needed = _read_items(raw, key, "requires_plugins", "a list", _parse_dependency, _NOT_A_PLUGIN)
    requirements = "a list of requirement strings"
    fields = {
        "manifest_version": version,
        "api_version": None if api is None else _parse_integer(api, key, "api_version", "ignoring", None),
        "requires_plugins": needed,
        "python_dependencies": _read_items(
            raw, key, "python_dependencies", requirements, _parse_requirement, _NOT_A_REQUIREMENT
        ),
        "config_schema": _read_config_schema(raw, key, schema_types),
        "license": str(raw.get("license") or ""),
        "homepage": str(raw.get("homepage") or ""),
        "tags": [str(tag) for tag in _read_typed(raw, key, "tags", list, "a list") or []],
    }
    known_later = (fields for name, fields in _KNOWN_LATER.items() if name in known)
    if unknown := sorted((raw.keys() - _KNOWN).difference(*known_later)):
        ignored = "Plugin %s: unknown manifest field(s) ignored: %s (newer manifest schema or typo; plugin still loads)"
        logger.log(logging.WARNING if version >= 2 else logging.DEBUG, ignored, key, ", ".join(unknown))
    if "requires_hermes" in known:
        fields["requires_hermes"] = str(raw.get("requires_hermes") or "").strip()
    if capabilities is None:
        capabilities = list_known_capabilities(raw.get("capabilities"), raw.get("name", key))
    events = {name: raw.get(name) or [] for name in ("emits", "listens")}
    return {**fields, **locales, "capabilities": capabilities, **events}


@functools.cache
def _find_names(contract: Contract) -> frozenset[str]:
    """Return the names of the manifest fields of a release."""
    return frozenset(one["name"] for one in contract.section("dataclasses")["PluginManifest"]["fields"])


def _list_types(contract: Contract) -> dict[str, tuple[type, ...]]:
    """Return the types that a ``config_schema`` may use."""
    return _TYPES_LATER if contract.behaviour.secret_settings else _TYPES


def check_settings(plugin: Any, schema: Mapping[str, Any], settings: Mapping[str, Any], contract: Contract) -> None:
    """Warn about settings that do not match the schema of a plugin (N9)."""
    known = _list_types(contract)
    for name, rule in schema.items():
        place = f"plugins.entries.{plugin}.settings.{name}"
        if name not in settings:
            if rule.get("required") and "default" not in rule:
                missing = f"{place} is required by the plugin's config_schema but is not set"
                logger.warning("Plugin %s config: %s", plugin, missing)
            continue
        kind, value = rule.get("type"), settings[name]
        types = known.get(str(kind).lower()) if kind else None
        if types is not None and (not isinstance(value, types) or (isinstance(value, bool) and bool not in types)):
            message = f"{place} should be {kind} (got {type(value).__name__})"
            logger.warning("Plugin %s config: %s", plugin, message)


def list_known_capabilities(declared: Any, name: Any) -> list[str]:
    """Return the declared capabilities that Hermes knows; a declaration grants nothing (N10)."""
    if not declared:
        return []
    if not isinstance(declared, list):
        message = "Plugin %s: manifest 'capabilities' must be a list, got %s — ignoring"
        _capabilities_log.warning(message, name, type(declared).__name__)
        return []
    known: dict[str, None] = {}
    for one in declared:
        if not isinstance(one, str):
            _capabilities_log.warning("Plugin %s: ignoring non-string capability entry %r", name, one)
        elif one.strip() in CAPABILITIES:
            known[one.strip()] = None
        else:
            message = "Plugin %s: unknown capability %r (known: %s) — ignoring"
            _capabilities_log.warning(message, name, one.strip(), ", ".join(sorted(CAPABILITIES)))
    return list(known)


_NOT_A_PLUGIN = "must be a plugin id string or a {id, version_range} mapping"
_NOT_A_REQUIREMENT = "must be a non-empty requirement string"


def _parse_integer(value: Any, key: Any, field: str, instead: str, default: Any) -> Any:
    try:
        return int(value)
    except (TypeError, ValueError):
        logger.warning(f"Plugin %s: {field} %r is not an integer; {instead}", key, value)
        return default


def _read_typed(raw: Mapping[str, Any], key: Any, field: str, wanted: type[Any], what: str) -> Any:
    value = raw.get(field)
    if value is None or isinstance(value, wanted):
        return value
    logger.warning("Plugin %s: %s must be %s; ignoring", key, field, what)
    return None


def _read_items(
    raw: Mapping[str, Any], key: Any, field: str, what: str, read: Callable[[Any], Any], problem: str
) -> list[Any]:
    found = []
    for item in _read_typed(raw, key, field, list, what) or []:
        one = read(item)
        if one is None:
            logger.warning("Plugin %s: %s entry %r %s; skipping", key, field, item, problem)
        else:
            found.append(one)
    return found


def _parse_dependency(item: Any) -> dict[str, Any] | None:
    if isinstance(item, str):
        return {"id": item, "version_range": None}
    if not isinstance(item, Mapping) or not isinstance(item.get("id"), str) or not item["id"]:
        return None
    versions = item.get("version_range")
    return {"id": item["id"], "version_range": None if versions is None else str(versions)}


def _parse_requirement(item: Any) -> str | None:
    return (item.strip() or None) if isinstance(item, str) else None


def _read_config_schema(raw: Mapping[str, Any], key: Any, types: Mapping[str, Any]) -> dict[str, Any]:
    schema = {}
    for name, rule in (_read_typed(raw, key, "config_schema", Mapping, "a mapping") or {}).items():
        if not isinstance(rule, Mapping):
            message = "Plugin %s: config_schema entry %r must be a mapping (e.g. {type: str}); skipping"
            logger.warning(message, key, name)
            continue
        kind = rule.get("type")
        if kind is not None and str(kind).lower() not in types:
            message = "Plugin %s: config_schema key %r declares unknown type %r (known: %s); type check will be skipped"
            logger.warning(f"{message} for it", key, name, kind, ", ".join(sorted(types)))
        schema[str(name)] = dict(rule)
    return schema
