"""The redactor."""

from __future__ import annotations

import base64
import functools
import itertools
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from hermes_sdk.documents import parse_json
from hermes_sdk.errors import UsageError
from hermes_sdk.redaction.forms import list_base64, list_forms
from hermes_sdk.redaction.names import REDACTED, is_ordinary, is_secret, is_telling
from hermes_sdk.redaction.places import find_secrets, is_random

_SHORTEST = 6
"""A shorter value occurs in other texts by accident, unless it stands alone."""

_SHORTEST_ALONE = 4
_SHORTEST_PART = 8
_LONGEST_PART = 64
_BASE64 = re.compile(r"(?:[A-Za-z0-9+/_-]|%2[BFbf])*(?:=|%3[Dd])*")
_ADDRESS = re.compile(
    r"(?i)(?:[a-z][a-z0-9+.-]*://[\w.-]+|localhost|(?:[\w-]+\.)+[a-z]{2,})(?::\d+)?(?:/[\w.~/-]*)?|[\w.+-]+@[\w.-]+"
)

_TYPES = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})
_EXAMPLES = frozenset({"const", "default", "enum", "example", "examples"})
_HARMLESS = frozenset({"", "false", "null", "none", "true", "string", "required", "optional", REDACTED})

_SETTING = re.compile(
    r"(?i)(?:^|_)(?:base|dir|directory|domain|email|endpoint|env|environment|format|home|host|hostname|id|lang|language"
    r"|level|locale|mode|model|name|path|port|provider|region|release|shell|timezone|tz|uri|url|user|username|version"
    r"|zone)s?$"
)
"""Names of variables that hold settings, unless the value has a password in it or is random."""


class Redactor:
    """Replaces secrets in values that JSON can represent; `learn` first adds those that telling names or forms show.

    Args:
        secrets: The secrets. Those of four or five characters are replaced where they stand alone, shorter ones never.
        patterns: Regular expressions of the user; what they match is replaced.

    Raises:
        UsageError: A pattern is not a regular expression, or matches the empty text.
    """

    def __init__(self, secrets: Iterable[str] = (), patterns: Iterable[str] = ()) -> None:
        self._secrets: set[str] = set()
        self._learned: set[str] = set()
        self._patterns = [_compile(pattern) for pattern in patterns]
        self._forms = _Forms(())
        self._prepare()
        self.add(secrets)

    def add(self, secrets: Iterable[str]) -> None:
        """Add secrets."""
        new = {one for one in secrets if len(one) >= _SHORTEST_ALONE and one.lower() not in _HARMLESS}
        new |= {part for one in new for part in _list_parts(one) if part not in REDACTED}
        if not new <= self._secrets:
            self._secrets |= {one for one in new if one not in REDACTED}
            self._prepare()

    def learn(self, *values: Any) -> None:
        """Add the secrets that telling names, their forms and the user's patterns show in values."""
        self.add({secret for value in values for secret in self._find(value) if len(secret) >= _SHORTEST})

    def value(self, value: Any) -> Any:
        """Return a copy of a value without secrets, including the keys of mappings."""
        if isinstance(value, dict):
            if value.keys() == {"base64"} and self._is_secret_within(value["base64"]):
                return {"base64": REDACTED}
            named = _find_named(value)
            return {
                self.text(str(key)): REDACTED if key == named else self._item(str(key), item)
                for key, item in value.items()
            }
        if isinstance(value, list | tuple):
            return [self.value(item) for item in value]
        return self.text(value) if isinstance(value, str) else value

    def text(self, text: str) -> str:
        """Return a text without secrets, in whatever form they stand in it."""
        return self._text(text)

    def _item(self, key: str, value: Any) -> Any:
        return self._redact_all(value, key) if is_telling(key) else self.value(value)

    def _redact_all(self, value: Any, key: str) -> Any:
        """Replace every secret below a telling key; of a JSON Schema, only in values."""
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
        """Return whether the bytes that base64 stands for have a secret in them."""
        try:
            text = base64.b64decode(encoded).decode("latin-1")
        except (ValueError, TypeError):
            return False
        return self._redact_text(text) != text

    def _redact_text(self, text: str) -> str:
        text = self._forms.replace(text)
        for pattern in self._patterns:
            text = pattern.sub(REDACTED, text)
        return _replace(text, [(one.start, one.end) for one in find_secrets(text)])

    def _prepare(self) -> None:
        self._forms = _Forms(self._secrets)
        # Most texts recur: a request repeats those before it.
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
            yield from (found.secret for found in find_secrets(value))
            if value[:1] in ("{", "["):
                try:
                    parsed = parse_json(value)
                except (ValueError, RecursionError):
                    return
                yield from self._find(parsed)

    def _find_below(self, value: Any, key: str) -> Iterator[str]:
        """Yield the secrets below a telling key; of a JSON Schema, only those in values."""
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
        raise UsageError(f"--redact {pattern}: the pattern matches the empty text")
    return compiled


def _choose_name(above: str, name: str) -> str:
    """Return which name counts for an item below a telling key: its own one, if that is about something else."""
    return name if is_telling(name) or not is_telling(f"{above}_{name}_x") else above


def _find_named(value: Mapping[Any, Any]) -> str | None:
    """Return the key of a secret in a mapping like ``{"name": "api_key", "value": "…"}``; None without one."""
    name = value.get("name", value.get("key"))
    content = value.get("value")
    return (
        "value" if isinstance(name, str) and isinstance(content, str) and is_secret(name, content, "variable") else None
    )


def _is_schema(value: Mapping[str, Any]) -> bool:
    kind = value.get("type")
    return isinstance(kind, str) and kind in _TYPES


def _list_parts(secret: str) -> Iterator[str]:
    """Yield a secret, its long lines, and the secrets within it, such as the password in a URL."""
    yield secret
    yield from (line.strip() for line in secret.splitlines() if len(line.strip()) >= 2 * _SHORTEST)
    yield from (one.secret for one in find_secrets(secret) if len(one.secret) >= _SHORTEST)


def _replace(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Replace parts of a text, which are in order; those that touch or overlap become one."""
    parts: list[str] = []
    done = 0
    for start, end in spans:
        if start > done or not parts:
            parts += [text[done:start], REDACTED]
        done = max(done, end)
    return "".join([*parts, text[done:]]) if parts else text


class _Forms:
    """Finds secrets in a text, in each of their forms and cut off: at least half of one, and eight characters."""

    def __init__(self, secrets: Collection[str]) -> None:
        self._by_head: dict[str, list[tuple[str, bool]]] = {}
        self._parts: dict[str, int] = {}
        self._short = [one for one in secrets if len(one) < _SHORTEST]
        forms = {form for one in self._short for form in list_forms(one)}
        self._alone = re.compile(rf"(?<![\w%])(?:{'|'.join(map(re.escape, forms))})(?!\w)")
        for secret in secrets:
            if len(secret) >= _SHORTEST:
                self._add_forms(secret)
                self._add_parts(secret)
        # A replay has this in place of a secret, and what it makes of it is redacted alike.
        self._add_forms(REDACTED)
        for alike in self._by_head.values():
            alike.sort(key=lambda one: -len(one[0]))

    def _add_forms(self, secret: str) -> None:
        for form in {*list_forms(secret)} - {REDACTED}:
            self._by_head.setdefault(form[:_SHORTEST], []).append((form, False))
        for form in {*list_base64(secret)}:
            self._by_head.setdefault(form[:_SHORTEST], []).append((form, True))

    def _add_parts(self, secret: str) -> None:
        needed = min(max(_SHORTEST_PART, (len(secret) + 1) // 2), _LONGEST_PART)
        for start in range(len(secret) - _SHORTEST_PART + 1):
            part = secret[start : start + _SHORTEST_PART]
            self._parts[part] = min(needed, self._parts.get(part, needed))

    def replace(self, text: str) -> str:
        """Return a text without the secrets."""
        spans = [*self._find_forms(text), *self._find_parts(text)]
        spans += [match.span() for match in self._alone.finditer(text)] if self._short else []
        return _replace(text, sorted(spans)) if spans else text

    def _find_forms(self, text: str) -> Iterator[tuple[int, int]]:
        heads = self._by_head
        for start in [at for at in range(len(text) - _SHORTEST + 1) if text[at : at + _SHORTEST] in heads]:
            for form, is_base64 in heads[text[start : start + _SHORTEST]]:
                if text.startswith(form, start):
                    yield _extend(text, start, start + len(form)) if is_base64 else (start, start + len(form))
                    break

    def _find_parts(self, text: str) -> Iterator[tuple[int, int]]:
        parts = self._parts
        found = [at for at in range(len(text) - _SHORTEST_PART + 1) if text[at : at + _SHORTEST_PART] in parts]
        for _, run in itertools.groupby(enumerate(found), lambda pair: pair[1] - pair[0]):
            starts = [start for _, start in run]
            end = starts[-1] + _SHORTEST_PART
            if end - starts[0] >= min(parts[text[start : start + _SHORTEST_PART]] for start in starts):
                yield starts[0], end


def _extend(text: str, start: int, end: int) -> tuple[int, int]:
    """Extend a part of a text to all of the base64 that it is in."""
    while start and (text[start - 1].isalnum() or text[start - 1] in "+/_-"):
        start -= 1
    match = _BASE64.match(text, end)
    return start, match.end() if match else end


def list_secrets(variables: Mapping[str, str], names: Collection[str] = ()) -> list[str]:
    """List the values of variables whose names give a secret away, and of those with the given names."""
    return [value for name, value in variables.items() if name in names or is_secret(name, value, "variable")]


def list_stored_secrets(variables: Mapping[str, str], names: Collection[str] = ()) -> list[str]:
    """List the values of a ``.env`` file: all but settings, as names such as ``PORT`` and ordinary values show.

    A value is ordinary if it is a path, a number, a truth value, words such as a model's name, or an address without a
    password. The values of variables with the given names always count, and so do those that `list_secrets` lists.
    """
    told = {*list_secrets(variables, names)}
    return [value for name, value in variables.items() if value in told or not _is_setting(name, value)]


def _is_setting(name: str, value: str) -> bool:
    if find_secrets(value):
        return False
    return (
        is_ordinary(value)
        or value.lower() in _HARMLESS
        or bool(_ADDRESS.fullmatch(value))
        or (bool(_SETTING.search(name)) and not is_random(value))
    )
