"""Diagnostics of the fields of a manifest that the host can read."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from typing import Any

from hermes_sdk.contract import api_releases
from hermes_sdk.contract.ordering import Supported, parse_release
from hermes_sdk.manifest.kinds import guessed_kind
from hermes_sdk.manifest.model import Diagnostic, Parsed
from hermes_sdk.manifest.schema import Violation, schema, violations

# Kinds whose authors usually list methods of their class under 'hooks'.
_KINDS_WITH_HOOKS = ("exclusive", "platform", "model-provider")

_LAST_WITHOUT_HOOKS = "0.21.4"
"""The last release that ignores 'hooks'; later ones read it as 'provides_hooks'."""

# Installers of later releases accept manifest_version 2.
_LAST_INSTALLER_OF_VERSION_1 = "0.21.3"
_NEWEST_MANIFEST_VERSION = 2

# Violations of the schema with a specific code, by field and rule.
_CODES: dict[tuple[Any, ...], str] = {
    ("name", "type"): "HS112",
    ("name", "pattern"): "HS115",
    ("kind", "enum"): "HS118",
    ("manifest_version", "type"): "HS122",
}

# Types that YAML 1.1 gives to some unquoted text.
_SCALARS = (bool, int, float, datetime.date)

TYPES = {
    "array": "a list",
    "boolean": "true or false",
    "integer": "a whole number",
    "object": "a mapping",
    "string": "text",
}
"""Descriptions of the types of JSON Schema."""


def diagnose(manifest: Parsed) -> list[Diagnostic]:
    """Return all problems of a manifest by place, both in its YAML and in its fields."""
    found = [*manifest.problems, *(_check_fields(manifest) if isinstance(manifest.value, dict) else ())]
    return sorted(found, key=lambda diagnostic: (diagnostic.line, diagnostic.column, diagnostic.code))


def _check_fields(manifest: Parsed) -> Iterator[Diagnostic]:
    yield from _check_name(manifest)
    yield from _check_manifest_version(manifest)
    yield from _check_schema(manifest)
    yield from _check_keys(manifest)
    yield from _check_variables(manifest)


def _diagnostic(manifest: Parsed, code: str, message: str, *keys: Any, fix: str = "") -> Diagnostic:
    return Diagnostic.of(code, message, manifest.path, manifest.position(*keys), fix)


def _check_name(manifest: Parsed) -> Iterator[Diagnostic]:
    if "name" not in manifest.value:
        yield _diagnostic(manifest, "HS113", "the manifest has no name")
    elif _is_refused(manifest.value["name"]):
        yield _diagnostic(manifest, "HS114", f"the installer rejects the name {_quote(manifest.value['name'])}", "name")


def _is_refused(name: Any) -> bool:
    return isinstance(name, str) and (name in ("", ".") or any(bad in name for bad in ("/", "\\", "..")))


def _check_manifest_version(manifest: Parsed) -> Iterator[Diagnostic]:
    version = manifest.value.get("manifest_version", 1)
    if type(version) is not int or version < 2:
        return
    refused = f"manifest_version {_quote(manifest.source('manifest_version'))} is rejected by the installer"
    if version > _NEWEST_MANIFEST_VERSION:
        yield _diagnostic(manifest, "HS121", refused, "manifest_version")
    elif older := _newest_admitted(manifest, _LAST_INSTALLER_OF_VERSION_1):
        found = _diagnostic(manifest, "HS121", f"{refused} of Hermes {older}", "manifest_version")
        yield found._replace(severity="warning")  # Later installers accept the version.


def _newest_admitted(manifest: Parsed, last: str) -> str | None:
    """Return the newest admitted release that is not newer than `last`; None if there is none."""
    written = manifest.value.get("requires_hermes")
    try:
        supported = Supported.from_manifest(written)
    except ValueError:  # Hosts and rule HS127 ignore an invalid range.
        supported = Supported(())
    named = (".".join(map(str, version)) for _, version in supported.clauses)
    older = (one for one in (*api_releases(), *named) if parse_release(one) <= parse_release(last))
    return max(filter(supported.admits, older), key=parse_release, default=None)


def _check_schema(manifest: Parsed) -> Iterator[Diagnostic]:
    value = dict(manifest.value)
    if isinstance(value.get("kind"), str):
        value["kind"] = value["kind"].strip().lower()  # As the host does (statement A27).
    if _is_refused(value.get("name")):
        del value["name"]
    for violation in violations(value):
        if violation.path:
            yield _explain(manifest, violation)


def _explain(manifest: Parsed, violation: Violation) -> Diagnostic:
    keys, rule, allowed = violation.path, violation.keyword, violation.allowed
    where, source = _join_keys(keys), _quote(manifest.source(*keys))
    code = _CODES.get((*keys, rule), "HS126")
    if rule == "type":
        return _explain_type(manifest, keys, violation.value, allowed)
    if rule == "required":
        return _diagnostic(manifest, code, f"{where} lacks '{allowed}'", *keys)
    if rule == "pattern":
        return _diagnostic(manifest, code, f"{where} is {source}, which does not match {allowed}", *keys)
    from difflib import get_close_matches

    close = get_close_matches(manifest.source(*keys).lower(), allowed, n=1)
    message = f"{where} is {source}, which is unknown" + (f"; did you mean '{close[0]}'?" if close else "")
    return _diagnostic(manifest, code, message, *keys, fix=f"Use one of {', '.join(allowed)}.")


def _explain_type(manifest: Parsed, keys: tuple[Any, ...], value: Any, allowed: Any) -> Diagnostic:
    source, kind = _quote(manifest.source(*keys)), _describe_type(value)
    if keys == ("name",) and isinstance(value, _SCALARS):
        fix = f"Write name: {source}."
        return _diagnostic(manifest, "HS112", f"the name {source} is {kind} for YAML, not text", *keys, fix=fix)
    if keys == ("version",) and isinstance(value, _SCALARS):
        fix = f"Write version: {source}."
        return _diagnostic(manifest, "HS123", f"the version {source} is {kind} for YAML, not text", *keys, fix=fix)
    if keys == ("requires_env",) and isinstance(value, str):
        return _diagnostic(manifest, "HS120", f"requires_env is the text {source}, not a list", *keys)
    expected = " or ".join(TYPES[name] for name in ([allowed] if isinstance(allowed, str) else allowed))
    code = _CODES.get((*keys, "type"), "HS119")
    return _diagnostic(manifest, code, f"{_join_keys(keys)} is {kind}, not {expected}", *keys)


def _check_keys(manifest: Parsed) -> Iterator[Diagnostic]:
    properties = schema()["properties"]
    for key in manifest.value:
        known = properties.get(key) if isinstance(key, str) else None
        if known is None:
            yield _unknown_key(manifest, key, list(properties))
        elif key == "hooks":
            yield from _check_hooks(manifest)
        elif known.get("x-documentation"):
            yield _diagnostic(manifest, "HS117", f"'{key}' has no effect: it only documents the plugin", key)
        elif key == "requires_hermes":
            pass  # Every plugin should declare it, although older hosts ignore it.
        elif (release := known.get("x-newer-than")) and _newest_admitted(manifest, release):
            yield _diagnostic(manifest, "HS125", f"'{key}' is ignored by releases up to {release}", key)


def _check_variables(manifest: Parsed) -> Iterator[Diagnostic]:
    """Find typing mistakes in the keys of environment variables; unknown keys may be for other tools."""
    known = list(schema()["$defs"]["variable"]["properties"])
    for key in ("requires_env", "optional_env"):
        listed: Any = manifest.value.get(key)
        variables: list[Any] = listed if isinstance(listed, list) else []
        for number, variable in enumerate(variables):
            names: list[Any] = [*variable] if isinstance(variable, dict) else []
            found = [_unknown_key(manifest, name, known, key, number) for name in names if name not in known]
            yield from [one for one in found if one.code == "HS116"]


def _check_hooks(manifest: Parsed) -> Iterator[Diagnostic]:
    kind = _find_kind(manifest)
    if kind == "exclusive":
        fix = "Remove it; the host looks at the methods of the provider."
        yield _diagnostic(manifest, "HS117", "'hooks' has no effect in a memory plugin", "hooks", fix=fix)
    elif kind in _KINDS_WITH_HOOKS:
        return
    elif "provides_hooks" in manifest.value:
        message = "'hooks' is ignored if 'provides_hooks' is present"
        yield _diagnostic(manifest, "HS124", message, "hooks", fix="Move its names to 'provides_hooks'.")
    elif _newest_admitted(manifest, _LAST_WITHOUT_HOOKS):
        message = f"'hooks' is ignored by releases up to {_LAST_WITHOUT_HOOKS}"
        yield _diagnostic(manifest, "HS124", message, "hooks")


def _find_kind(manifest: Parsed) -> Any:
    return manifest.value["kind"] if "kind" in manifest.value else guessed_kind(manifest.path.parent)


def _unknown_key(manifest: Parsed, key: Any, known: list[str], *parents: Any) -> Diagnostic:
    keys = (*parents, key)
    if not isinstance(key, str):
        return _diagnostic(manifest, "HS117", f"a key is {_describe_type(key)}, not text; no host reads it", *keys)
    from difflib import get_close_matches

    name = key.strip().lower()
    close = get_close_matches(name, known, n=1, cutoff=0.86) or [like for like in known if sorted(like) == sorted(name)]
    if not close:
        return _diagnostic(manifest, "HS117", f"no host reads {_quote(key)}", *keys)
    message = f"unknown key {_quote(_join_keys(keys))}; did you mean '{close[0]}'?"
    return _diagnostic(manifest, "HS116", message, *keys, fix=f"Write '{close[0]}'.")


def _join_keys(keys: tuple[Any, ...]) -> str:
    text = ""
    for key in keys:
        text += f"[{key}]" if isinstance(key, int) else f".{key}" if text else str(key)
    return text


def _quote(text: str) -> str:
    return f"'{text}'" if len(text) <= 60 else f"'{text[:57]}...'"


def _describe_type(value: Any) -> str:
    """Return a YAML value's type in words."""
    if value is None:
        return "empty"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, int | float):
        return "a number"
    words = {str: "text", list: "a list", dict: "a mapping", datetime.date: "a date", datetime.datetime: "a date"}
    return words.get(type(value), f"a {type(value).__name__}")
