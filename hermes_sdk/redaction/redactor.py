"""The redactor, and the variables whose values it needs."""

from __future__ import annotations

import base64
import contextlib
import functools
import html
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from hermes_sdk.documents import parse_json
from hermes_sdk.errors import UsageError
from hermes_sdk.redaction.forms import SHORTEST, KnownSecrets
from hermes_sdk.redaction.names import HARMLESS, REDACTED, is_ordinary, is_secret, is_telling
from hermes_sdk.redaction.places import find_secrets, is_random

_ADDRESS = re.compile(
    r"(?i)(?:[a-z][a-z0-9+.-]*://[\w.-]+|localhost|(?:[\w-]+\.)+[a-z]{2,})(?::\d+)?(?:/[\w.~/-]*)?|[\w.+-]+@[\w.-]+"
)

_TYPES = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})
_EXAMPLES = frozenset({"const", "default", "enum", "example", "examples"})

_SETTING = re.compile(
    r"(?i)(?:^|_)(?:base|dir|directory|domain|email|endpoint|env|environment|format|home|host|hostname|id|lang|language"
    r"|level|locale|mode|model|name|path|port|provider|region|release|shell|timezone|tz|uri|url|user|username|version"
    r"|zone)s?$"
)
"""Names of variables that contain settings, unless the value contains a password or is random."""


class Redactor:
    """Replaces secrets in JSON-compatible values; `learn` adds those that are found by name or format.

    Args:
        secrets: The secrets. Those with four or five characters are replaced only as whole words, shorter ones never.
        patterns: The user's regular expressions; their matches are replaced.

    Raises:
        UsageError: A pattern is not a valid regular expression, or matches the empty string.
    """

    def __init__(self, secrets: Iterable[str] = (), patterns: Iterable[str] = ()) -> None:
        self._known = KnownSecrets()
        self._learned: set[str] = set()
        self._patterns = [_compile(pattern) for pattern in patterns]
        self._forget_texts()
        self.add(secrets)

    def add(self, secrets: Iterable[str]) -> None:
        """Add secrets and those contained in them, such as the password in a URL."""
        new = {one for one in secrets if one.lower() not in HARMLESS}
        if self._known.add({part for one in new for part in _list_parts(one) if part not in REDACTED}):
            self._forget_texts()

    def learn(self, *values: Any) -> None:
        """Add the secrets in values that are found by name, format, or the user's patterns."""
        self.add({secret for value in values for secret in self._find(value) if len(secret) >= SHORTEST})

    def value(self, value: Any) -> Any:
        """Return a copy of a value without secrets, including the keys of mappings."""
        if isinstance(value, dict):
            if value.keys() == {"base64"} and self._is_secret_within(value["base64"]):
                return {"base64": REDACTED}
            named = _find_named(value)
            return {
                self.text(str(key)): REDACTED if key == named else self._redact_item(str(key), item)
                for key, item in value.items()
            }
        if isinstance(value, list | tuple):
            return [self.value(item) for item in value]
        return self.text(value) if isinstance(value, str) else value

    def text(self, text: str) -> str:
        """Return a text without secrets in any encoding."""
        return self._text(text)

    def _redact_item(self, key: str, value: Any) -> Any:
        return self._redact_all(value, key) if is_telling(key) else self.value(value)

    def _redact_all(self, value: Any, key: str) -> Any:
        """Replace all secrets below a key that indicates a secret; in a JSON Schema, only in example values."""
        if isinstance(value, dict):
            schema = _is_schema(value)
            return {
                self.text(str(name)): self.value(item)
                if schema and name not in _EXAMPLES
                else self._redact_all(item, _choose_name(key, str(name)))
                for name, item in value.items()
            }
        if isinstance(value, list | tuple):
            return [self._redact_all(item, key) for item in value]
        return REDACTED if is_secret(key, value) else self.value(value)

    def _is_secret_within(self, encoded: Any) -> bool:
        """Return whether the bytes of a base64 text contain a secret."""
        try:
            text = base64.b64decode(encoded).decode("latin-1")
        except (ValueError, TypeError):
            return False
        return self._redact_text(text) != text

    def _redact_text(self, text: str) -> str:
        text = _replace(text, self._known.find(text))
        for pattern in self._patterns:
            text = pattern.sub(REDACTED, text)
        return _replace(text, [(one.start, one.end) for one in find_secrets(text)])

    def _forget_texts(self) -> None:
        # Most texts recur: a request repeats previous messages.
        self._text = functools.lru_cache(maxsize=4096)(self._redact_text)

    def _find(self, value: Any) -> Iterator[str]:
        if isinstance(value, dict):
            named = _find_named(value)
            for name, item in value.items():
                if name == named:
                    yield str(item)
                elif is_telling(str(name)):
                    yield from self._find_below(item, str(name))
                else:
                    yield from self._find(item)
        elif isinstance(value, list | tuple):
            for item in value:
                yield from self._find(item)
        elif isinstance(value, str) and value not in self._learned:
            self._learned.add(value)
            for pattern in self._patterns:
                yield from (match[0] for match in pattern.finditer(value))
            yield from (one for found in find_secrets(value) for one in _unescape(found.secret))
            if value[:1] in ("{", "["):
                try:
                    parsed = parse_json(value)
                except (ValueError, RecursionError):
                    return
                yield from self._find(parsed)

    def _find_below(self, value: Any, key: str) -> Iterator[str]:
        """Yield the secrets below a key that indicates a secret; in a JSON Schema, only those in example values."""
        if isinstance(value, dict):
            schema = _is_schema(value)
            for name, item in value.items():
                if schema and name not in _EXAMPLES:
                    yield from self._find(item)
                else:
                    yield from self._find_below(item, _choose_name(key, str(name)))
        elif isinstance(value, list | tuple):
            for item in value:
                yield from self._find_below(item, key)
        elif is_secret(key, value):
            yield str(value)
        else:
            yield from self._find(value)


def _compile(pattern: str) -> re.Pattern[str]:
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise UsageError(f"--redact {pattern}: not a regular expression: {error}") from None
    if compiled.search(""):
        raise UsageError(f"--redact {pattern}: the pattern matches the empty string")
    return compiled


def _choose_name(parent: str, name: str) -> str:
    """Return the relevant name of an item below a key that indicates a secret: a token's ``type`` is not a secret."""
    return parent if is_telling(f"{parent}_{name}") and not is_telling(name) else name


def _find_named(value: Mapping[Any, Any]) -> str | None:
    """Return the key of a secret in a mapping like ``{"name": "api_key", "value": "…"}``, or None."""
    if "value" not in value:
        return None
    name, content = value.get("name", value.get("key")), value["value"]
    are_texts = isinstance(name, str) and isinstance(content, str)
    return "value" if are_texts and is_secret(name, content, "variable") else None


def _unescape(secret: str) -> set[str]:
    """Return a secret as is and without one or two levels of HTML and JSON escapes."""
    found = {secret, html.unescape(secret)}
    for _ in range(2):
        for one in [*found]:
            with contextlib.suppress(ValueError, RecursionError):
                found.add(str(parse_json(f'"{one}"')))
    return found


def _is_schema(value: Mapping[str, Any]) -> bool:
    kind = value.get("type")
    return isinstance(kind, str) and kind in _TYPES


def _list_parts(secret: str) -> Iterator[str]:
    """Yield a secret, its long lines, and the secrets contained in it, such as the password in a URL."""
    yield secret
    yield from (line.strip() for line in secret.splitlines() if len(line.strip()) >= 2 * SHORTEST)
    yield from (one.secret for one in find_secrets(secret) if len(one.secret) >= SHORTEST)


def _replace(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Replace ordered spans of a text; adjacent and overlapping spans are merged."""
    parts: list[str] = []
    position = 0
    for start, end in spans:
        if start > position or not parts:
            parts += [text[position:start], REDACTED]
        position = max(position, end)
    return "".join([*parts, text[position:]]) if parts else text


def list_secrets(variables: Mapping[str, str], names: Collection[str] = ()) -> list[str]:
    """List the values of variables whose names indicate a secret, and of the named variables."""
    return [value for name, value in variables.items() if name in names or is_secret(name, value, "variable")]


def list_stored_secrets(variables: Mapping[str, str], names: Collection[str] = ()) -> list[str]:
    """List the values of a ``.env`` file except settings, recognised by names such as ``PORT`` or ordinary values.

    A value is ordinary if it is a path, a number, a truth value, words such as a model's name, or an address without a
    password. The values of the named variables and those from `list_secrets` are always included.
    """
    secrets = {*list_secrets(variables, names)}
    return [value for name, value in variables.items() if value in secrets or not _is_setting(name, value)]


def _is_setting(name: str, value: str) -> bool:
    if find_secrets(value):
        return False
    return (
        is_ordinary(value)
        or value.lower() in HARMLESS
        or bool(_ADDRESS.fullmatch(value))
        or (bool(_SETTING.search(name)) and not is_random(value))
    )
