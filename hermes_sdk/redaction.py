"""Secrets replaced by `REDACTED` in everything that is shown or stored."""

from __future__ import annotations

import base64
import functools
import html
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, Final
from urllib.parse import quote

from hermes_sdk.documents import parse_json
from hermes_sdk.errors import UsageError

REDACTED: Final = "<redacted>"

_SHORTEST = 6
"""A shorter value occurs in other texts by accident."""

_LONGEST_GRAM = 64

_WORDS = (
    r"passw(?:or)?d|passwd|passphrase|passcode|secret|credentials?|authori[sz]ation|cookie|bearer"
    r"|(?:api|access|private|auth|client|encryption|signing|master|account|shared|service|ssh|license|webhook)[_-]?key"
    r"|token"
)
_SECRET_KEY = re.compile(rf"(?i)(?:^|[^a-z]|(?<=[a-z])(?=[A-Z]))(?:{_WORDS})s?(?![a-z])|(?:{_WORDS})(?![a-z])|^auth$")
_SECRET_VARIABLE = re.compile(r"(?i)KEY|TOKEN|SECRET|PASSW|CREDENTIAL|AUTH|COOKIE|_PAT$|_PIN$|_DSN$|WEBHOOK")
_SECRET_PARAMETER = re.compile(
    r"(?i)auth(?!or)|cookie|credential|key(?![a-z])|passw|secret|token(?!s)|sig(?:nature)?$|^code$"
)
_COUNTED = re.compile(r"(?i)tokens|token_?(?:count|limit|usage|budget|estimate)")
"""Keys with a secret's word whose numbers are counts."""

_ASSIGNED = re.compile(
    rf"(?i)(?<![\w-])(?P<key>[\w-]*(?:{_WORDS}))(?P<between>\\*[\"']?\s*[:=]\s*(?>(?:(?:bearer|basic|token)\s+)?))"
    r"(?:(?P<open>\\*[\"'])(?P<quoted>[^\n]*?)(?<!\\)(?P=open)|(?P<plain>[^\s\"'\\,;&<>(){}\[\]]+))"
)
"""A key and its value within a text, such as a header, a query or JSON."""

_KNOWN = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)"
    r"|\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*"
    r"|\b(?:sk|pk|rk)[-_](?:[\w]+[-_])?[A-Za-z0-9]{16,}[\w-]*|\bgh[pousr]_\w{20,}|\bgithub_pat_\w{20,}"
    r"|\bxox[abprs]-[\w-]{10,}|\bA(?:KIA|SIA)[A-Z0-9]{16}\b|\bAIza[\w-]{30,}|\bhf_[A-Za-z0-9]{20,}"
    r"|(?<=://)[^\s/@:\"']+:[^\s/@\"']+(?=@)|(?i:(?<=bearer )|(?<=basic ))[\w.~+/=-]{8,}",
    re.DOTALL,
)
"""Secrets that their form gives away."""

_TYPES = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})
_EXAMPLES = frozenset({"const", "default", "enum", "example", "examples"})
_HARMLESS = frozenset({"", "false", "null", "none", "true", "string", "required", "optional", REDACTED})


def is_secret_name(name: str) -> bool:
    """Return whether the name of an environment variable looks like that of a secret."""
    return bool(_SECRET_VARIABLE.search(name))


def is_secret_parameter(name: str) -> bool:
    """Return whether the name of a header, or of a parameter in a URL or a form, looks like that of a secret."""
    return bool(_SECRET_PARAMETER.search(name))


@functools.lru_cache(maxsize=4096)
def is_secret_key(key: str) -> bool:
    """Return whether the key of a mapping looks like that of a secret."""
    return bool(_SECRET_KEY.search(key))


class Redactor:
    """Replaces secrets in values that JSON can represent; `learn` first adds those that stand under telling keys.

    Args:
        secrets: The secrets; short ones are ignored.
        patterns: Regular expressions of the user; what they match is replaced.

    Raises:
        UsageError: A pattern is not a regular expression, or matches the empty text.
    """

    def __init__(self, secrets: Iterable[str] = (), patterns: Iterable[str] = ()) -> None:
        self._secrets = {REDACTED}
        self._learned: set[str] = set()
        self._patterns = [_compile(pattern) for pattern in patterns]
        self._prepare()
        self.add(secrets)

    def learn(self, *values: Any) -> None:
        """Add the secrets that stand under telling keys of values, and those that the user's patterns match."""
        self.add(secret for value in values for secret in self._find(value))

    def value(self, value: Any, key: str = "") -> Any:
        """Return a copy of a value without secrets, including the keys of mappings."""
        if isinstance(value, dict):
            if value.keys() == {"base64"} and self._is_secret_within(value["base64"]):
                return {"base64": REDACTED}
            return {self.text(str(name)): self._item(str(name), item) for name, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.value(item, key) for item in value]
        return self.text(value) if isinstance(value, str) else value

    def _is_secret_within(self, encoded: Any) -> bool:
        """Return whether the bytes that base64 stands for have a secret in them."""
        try:
            text = base64.b64decode(encoded).decode("latin-1")
        except (ValueError, TypeError):
            return False
        return self._redact_text(text) != text

    def _item(self, key: str, value: Any) -> Any:
        return _redact_all(value, key) if is_secret_key(key) else self.value(value, key)

    def text(self, text: str) -> str:
        """Return a text without secrets, in whatever form they stand in it."""
        return self._text(text)

    def _redact_text(self, text: str) -> str:
        if found := [form for form in self._forms if form in text]:
            text = re.sub("|".join(map(re.escape, found)), REDACTED, text)
        for form in self._encoded:
            if form in text:
                text = re.sub(rf"[A-Za-z0-9+/_-]*{re.escape(form)}[A-Za-z0-9+/_-]*=*", REDACTED, text)
        text = self._grams.replace(text)
        for pattern in self._patterns:
            text = pattern.sub(REDACTED, text)
        text = _ASSIGNED.sub(_redact_assigned, text)
        return _KNOWN.sub(REDACTED, text)

    def add(self, secrets: Iterable[str]) -> None:
        """Add secrets; short ones are ignored."""
        new = {
            secret
            for secret in secrets
            if len(secret) >= _SHORTEST and secret.lower() not in _HARMLESS and secret not in REDACTED
        }
        new |= {line.strip() for secret in new for line in secret.splitlines() if len(line.strip()) >= 2 * _SHORTEST}
        if not new <= self._secrets:
            self._secrets |= new
            self._prepare()

    def _prepare(self) -> None:
        forms = {form for secret in self._secrets for form in _list_forms(secret)}
        self._forms = sorted(forms - {REDACTED}, key=len, reverse=True)
        self._encoded = {form for secret in self._secrets for form in _list_base64(secret)}
        self._grams = _Grams(self._secrets - {REDACTED})
        # Most texts recur: a request repeats those before it.
        self._text = functools.lru_cache(maxsize=4096)(self._redact_text)

    def _find(self, value: Any, key: str = "") -> Iterator[str]:
        if isinstance(value, dict):
            for name, item in value.items():
                yield from _list_leaves(item, str(name)) if is_secret_key(str(name)) else self._find(item, str(name))
        elif isinstance(value, list | tuple):
            for item in value:
                yield from self._find(item, key)
        elif isinstance(value, str) and value not in self._learned:
            self._learned.add(value)
            for pattern in self._patterns:
                yield from (match[0] for match in pattern.finditer(value))
            yield from (match[0] for match in _KNOWN.finditer(value))
            if value[:1] in ("{", "["):
                try:
                    parsed = parse_json(value)
                except (ValueError, RecursionError):
                    return
                yield from self._find(parsed)


def _compile(pattern: str) -> re.Pattern[str]:
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise UsageError(f"--redact {pattern}: not a regular expression: {error}") from None
    if compiled.search(""):
        raise UsageError(f"--redact {pattern}: the pattern matches the empty text")
    return compiled


def _list_leaves(value: Any, key: str) -> Iterator[str]:
    """Yield the texts below a telling key; of a JSON Schema, only those that are values."""
    if isinstance(value, dict):
        schema = _is_schema(value)
        for name, item in value.items():
            if not schema or name in _EXAMPLES:
                yield from _list_leaves(item, key)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _list_leaves(item, key)
    elif not _is_harmless(value, key):
        yield str(value)


def _redact_all(value: Any, key: str) -> Any:
    """Replace everything below a telling key."""
    if isinstance(value, dict):
        schema = _is_schema(value)
        return {
            name: item if schema and name not in _EXAMPLES else _redact_all(item, key) for name, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [_redact_all(item, key) for item in value]
    return value if _is_harmless(value, key) else REDACTED


def _is_harmless(value: Any, key: str) -> bool:
    """Return whether a value is none, a truth value, empty or a count."""
    is_count = isinstance(value, int | float) and _COUNTED.search(key)
    return value is None or isinstance(value, bool) or value == "" or bool(is_count)


def _is_schema(value: Mapping[str, Any]) -> bool:
    kind = value.get("type")
    return isinstance(kind, str) and kind in _TYPES


def _redact_assigned(match: re.Match[str]) -> str:
    value = match["plain"] if match["open"] is None else match["quoted"]
    number = value.replace(".", "", 1).isdigit()
    if value.lower() in _HARMLESS or REDACTED in value or (number and _COUNTED.search(match["key"])):
        return match[0]
    around = match["open"] or ""
    return f"{match['key']}{match['between']}{around}{REDACTED}{around}"


def _list_forms(secret: str) -> Iterator[str]:
    """Yield a text as it stands in JSON, in JSON within JSON, in a URL, in HTML, in Python and in hexadecimal."""
    yield secret
    for ascii_only in (True, False):
        once = json.dumps(secret, ensure_ascii=ascii_only)[1:-1]
        twice = json.dumps(once, ensure_ascii=ascii_only)[1:-1]
        yield from (once, twice, json.dumps(twice, ensure_ascii=ascii_only)[1:-1])
    for safe in ("", "/", "/:@", "-_.!~*'()"):
        quoted = quote(secret, safe=safe)
        yield from (quoted, re.sub("%..", lambda code: code[0].lower(), quoted), quoted.replace("%20", "+"))
    yield from (html.escape(secret), repr(secret)[1:-1], secret.encode().hex(), secret.encode().hex().upper())


def _list_base64(secret: str) -> Iterator[str]:
    """Yield what every base64 of a text that holds the secret has in it, wherever the secret begins."""
    data = secret.encode()
    for before in range(3):
        whole = base64.b64encode(b"\0" * before + data).decode().rstrip("=")
        # Characters at the ends hold bits of what is around.
        inner = whole[-(-before * 8 // 6) : len(whole) - (1 if (before + len(data)) % 3 else 0)]
        yield from {inner, inner.replace("+", "-").replace("/", "_")}


class _Grams:
    """Finds parts of secrets, such as one that was cut off: at least half of it, and eight characters."""

    def __init__(self, secrets: Iterable[str]) -> None:
        self._of_length: dict[int, set[str]] = {}
        for secret in secrets:
            length = min(max(8, (len(secret) + 1) // 2), _LONGEST_GRAM)
            found = self._of_length.setdefault(length, set())
            found |= {secret[start : start + length] for start in range(len(secret) - length + 1)}

    def replace(self, text: str) -> str:
        for length, grams in self._of_length.items():
            if len(text) >= length:
                text = _replace_grams(text, length, grams)
        return text


def _replace_grams(text: str, length: int, grams: set[str]) -> str:
    starts = [start for start in range(len(text) - length + 1) if text[start : start + length] in grams]
    parts: list[str] = []
    done = 0
    for start in starts:
        if start > done or not parts:
            parts += [text[done:start], REDACTED]
        done = start + length
    return "".join([*parts, text[done:]])


def list_secrets(variables: Mapping[str, str], names: Collection[str] = ()) -> list[str]:
    """List the values of variables whose names look secret, and of those with the given names."""
    return [value for name, value in variables.items() if name in names or is_secret_name(name)]
