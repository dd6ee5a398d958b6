"""Secrets in texts: values of names that indicate a secret, in URLs, and known formats."""

from __future__ import annotations

import base64
import itertools
import re
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import unquote_plus

from hermes_sdk.redaction.names import REDACTED, Place, is_header, is_ordinary, is_secret, is_telling


class Found(NamedTuple):
    """A secret at `start` to `end` of a text.

    Attributes:
        secret: The secret to search for in other texts, without quotes and escapes; empty if it may be an ordinary
            word.
    """

    start: int
    end: int
    secret: str


_KNOWN = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----|$)"
    r"|(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*"
    r"|\b(?:sk|pk|rk)[-_](?:\w+[-_])?[A-Za-z0-9]{16,}[\w-]*|\bgh[pousr]_\w{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}"
    r"|\bxox[abeoprs]-[\w-]{10,}|\bxapp-[\w-]{10,}|\bA(?:KIA|SIA)[A-Z0-9]{16}\b|\bAIza[\w-]{30,}|\bya29\.[\w-]{20,}"
    r"|\bhf_[A-Za-z0-9]{20,}|\bnpm_[A-Za-z0-9]{20,}|\bpypi-[\w-]{20,}|\bSG\.[\w-]{16,}\.[\w-]{16,}|\bwhsec_[\w+/]{16,}"
    r"|\bshp(?:at|ca|pa|ss)_[0-9a-f]{20,}|\bdop_v1_[0-9a-f]{20,}|\bAGE-SECRET-KEY-1\w{20,}|\b\d{6,12}:[\w-]{30,}",
    re.DOTALL,
)
"""Known formats of secrets."""

_SCHEME = re.compile(r"(?i)\b(?:(?P<basic>basic)|bearer)\s+(?P<value>[\w.~+/=-]{8,})")

_SEED_PHRASE = re.compile(
    r"(?i)\b(?:seed|mnemonic|recovery)(?:[ _-]?(?:phrase|words))?\\*[\"']?[ \t]?[=:]\s?\\*[\"']?"
    r"(?P<value>(?-i:(?:[a-z]{3,8} ){11,23}[a-z]{3,8}))\b"
)
_LOGIN = re.compile(r"\bcurl\b[^\n]{0,200}?\s(?:-u|--user)[ =]?[\"']?[^\s:\"']{1,80}:(?P<value>[^\s\"']+)")

_NAME = re.compile(
    r"(?<![\w.-])(?P<name>[^\W_][\w.-]{1,80}|_\w{1,80})(?P<quote>\\*[\"']?)"
    r"(?P<between>[ \t]*(?:=>|:=|={1,2}(?!=)|:(?!//))[ \t]*)"
)
_FLAG = re.compile(r"(?<!\S)--(?P<name>[a-z][\w-]+)[ \t]+(?!-)")
_VALUE = re.compile(
    r"(?i)(?P<scheme>(?:bearer|basic|digest|token)\s+)?(?:"
    r"(?P<open>\\*)(?P<quote>[\"'])(?P<quoted>(?:(?!(?<!\\)(?P=open)(?P=quote))[^\n])*)(?:(?P=open)(?P=quote)|$)"
    r"|(?P<plain>[^\s\"'`\\,;&<>(){}\[\]]+)(?P<after>[(\[{\"']?))"
)
"""A value after its name; a quoted value ends with the same quote at the same level of escapes."""

_REST = re.compile(r"[^\s\"'\\][^\n\"'\\]*")
_LINE = re.compile(
    r"(?m)^[ \t]*(?:export[ \t]+)?(?P<name>[\w.-]+)(?P<between>[ \t]*[:=][ \t]*)"
    r"(?P<value>[^\s\"'`|>&*!#{\[(][^\s\"'`]*?),?[ \t\r]*$"
)
_ELEMENT = re.compile(
    r"<(?P<name>[A-Za-z_][\w:.-]*)(?:\s[^<>]*)?>(?:<!\[CDATA\[(?P<data>[^<>]+)\]\]>|(?P<value>[^<>]+))</(?P=name)\s*>"
)
_PAIR = re.compile(
    r"(?i)\b(?:name|key)[ \t]?[=:]\s?(?P<open>\\*[\"'])(?P<name>[\w.-]+)(?P=open),?\s{0,20}"
    r"(?:\\*[\"'])?value(?:\\*[\"'])?[ \t]?[=:]\s?(?P=open)(?P<value>[^\n]*?)(?<!\\)(?P=open)"
)
_IDENTIFIER = re.compile(r"[A-Za-z_]+")
_MORE_WORDS = re.compile(r"[ \t]+[\w'`(]")
_CODE = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+(?<!\d)|[A-Za-z_][\w.]*[\[(].*")

_URL = re.compile(
    rf"(?i)\b[a-z][a-z0-9+.-]{{0,20}}://(?P<authority>(?:[^\s/?#\"'<>\\`]|{REDACTED})*)(?P<rest>(?:[^\s\"'<>\\`]|{REDACTED})*)"
)
_PARAMETER = re.compile(rf"[?&;#](?P<name>[\w.%-]+)=(?P<value>(?!{REDACTED})[^&;#\s]+)")
_SEGMENT = re.compile(r"(?<=/)[^/?#;&=]+")
_HOOK = re.compile(
    r"(?i)^(?:[\w.-]+\.)?(?:hooks\.slack\.com(?::\d+)?/(?:services|workflows|triggers)/(?P<slack>.+)"
    r"|discord(?:app)?\.com(?::\d+)?/api/(?:v\d+/)?webhooks/(?P<discord>\d+/[^/?#]+)"
    r"|hooks\.zapier\.com/hooks/catch/(?P<zapier>.+)|[\w.-]*office\.com/webhook\w*/(?P<office>.+)"
    r"|maker\.ifttt\.com/trigger/[^/]+/(?:json/)?with/key/(?P<ifttt>[^/?#]+))"
)
_LONGEST_HOST = 255
_BOT = re.compile(r"bot(?P<token>\d+(?::|%3[Aa])[\w-]+)")
_TOKEN_SEGMENT = re.compile(
    r"(?i)activate|confirm|(?:web)?hooks?|invite|keys?|magic|reset|secrets?|tokens?|unsubscribe|verify"
)
_HEX = re.compile(r"[0-9a-fA-F_-]+")


def find_secrets(text: str) -> list[Found]:
    """Return the secrets in a text in order, without overlaps."""
    found = [Found(*match.span(), match[0]) for match in _KNOWN.finditer(text)]
    found += [Found(*match.span("value"), match["value"]) for match in _SEED_PHRASE.finditer(text)]
    found += [Found(*match.span("value"), match["value"]) for match in _LOGIN.finditer(text)]
    found += _find_schemes(text)
    if "://" in text:
        for match in _URL.finditer(text):
            found += _find_in_url(match)
    if ":" in text or "=" in text:
        found += _find_assigned(text)
    if "</" in text:
        found += [one for match in _ELEMENT.finditer(text) for one in _check_value(match, "mapping")]
    if "--" in text:
        found += _find_flags(text)
    return _drop_overlaps(found)


def _drop_overlaps(found: list[Found]) -> list[Found]:
    merged: list[Found] = []
    for one in sorted(found, key=lambda one: (one.start, -one.end)):
        if not merged or one.start >= merged[-1].end:
            merged.append(one)
        elif one.end > merged[-1].end:
            merged[-1] = Found(merged[-1].start, one.end, merged[-1].secret)
    return merged


def _find_schemes(text: str) -> Iterator[Found]:
    for match in _SCHEME.finditer(text):
        value = match["value"]
        if _is_basic(value) if match["basic"] else not value.isalpha() or not (value.islower() or value.istitle()):
            yield Found(*match.span("value"), value)


def _is_basic(value: str) -> bool:
    """Return whether a text is valid for a Basic header: base64 of a user name and a password."""
    try:
        return b":" in base64.b64decode(
            value + "=" * (-len(value) % 4), altchars=b"-_" if set("-_") & {*value} else None
        )
    except ValueError:
        return False


def _check_value(match: re.Match[str], place: Place) -> Iterator[Found]:
    """Yield the value of a match if its name makes it a secret."""
    group = "value" if match["value"] is not None else "data"
    name, value = match["name"], match[group].strip()
    if place == "parameter":
        value = unquote_plus(value)
    if is_telling(name, place) and is_secret(name, value, place):
        yield Found(*match.span(group), "" if is_ordinary(value) else value)


def _find_assigned(text: str) -> Iterator[Found]:
    for match in _NAME.finditer(text):
        if not is_telling(match["name"], "text"):
            continue
        found = _find_value(text, match["name"], match.end())
        if found and not _is_prose(text, match, found):
            yield found
    for match in _LINE.finditer(text):
        name, value = match["name"], match["value"]
        if is_telling(name, "text") and (name.isupper() or not (_is_code(value) or _is_word(match, value))):
            yield from _check_value(match, "text")
    if "value" in text:
        for match in _PAIR.finditer(text):
            yield from _check_value(match, "mapping")


def _is_prose(text: str, name: re.Match[str], found: Found) -> bool:
    """Return whether a value is part of a sentence or a name in source code, as in ``token: The token of …``."""
    value = text[found.start : found.end]
    if text[found.start - 1] in "\"'":
        return False
    follows = name["between"] != "=" and _MORE_WORDS.match(text, found.end) is not None
    return _is_word(name, value) or (follows and _IDENTIFIER.fullmatch(value) is not None)


def _is_word(name: re.Match[str], value: str) -> bool:
    """Return whether an unquoted value is a name in source code, as in ``self.token = token``."""
    is_quoted = bool(name.groupdict().get("quote"))
    return _IDENTIFIER.fullmatch(value) is not None and (is_quoted or value.lower() in name["name"].lower())


def _find_flags(text: str) -> Iterator[Found]:
    for match in _FLAG.finditer(text):
        if is_telling(match["name"], "text") and (found := _find_value(text, match["name"], match.end())):
            yield found


def _find_value(text: str, name: str, at: int) -> Found | None:
    """Find the value after a name that indicates a secret; None if it is missing or ordinary."""
    match = _VALUE.match(text, at)
    if match is None:
        return None
    if match["plain"] is None:
        value = match["quoted"]
        # The closing quote may be missing in a truncated text.
        return Found(*match.span("quoted"), value) if REDACTED not in value and is_secret(name, value) else None
    value, start, end = match["plain"], *match.span("plain")
    if match["scheme"] is None and is_header(name) and (rest := _REST.match(text, at)):
        value, start, end = rest[0], *rest.span()
    if match["after"] or _is_code(value) or REDACTED in value or not is_secret(name, value, "text"):
        return None
    return Found(start, end, "" if is_ordinary(value) else value)


def _is_code(value: str) -> bool:
    """Return whether an unquoted value is an expression in source code, such as ``self.token``."""
    return _CODE.fullmatch(value) is not None and not is_random(value)


def _find_in_url(match: re.Match[str]) -> Iterator[Found]:
    at, authority = match.start("authority"), match["authority"]
    user, has_user, host = authority.rpartition("@")
    name, colon, password = user.partition(":")
    if has_user and (password or (not colon and is_random(name))) and REDACTED not in user:
        yield Found(at, at + len(user), unquote_plus(password or name))
    rest, start = match["rest"], match.start("rest")
    for one in _PARAMETER.finditer(rest):
        for found in _check_value(one, "parameter"):
            yield Found(start + found.start, start + found.end, found.secret)
    path = re.split("[?#]", rest, maxsplit=1)[0]
    if len(host) < _LONGEST_HOST and (hook := _HOOK.match(host + path)):
        group = str(hook.lastgroup)
        begin = start - len(host) + hook.start(group)
        if REDACTED not in hook[group]:
            yield Found(begin, begin + len(hook[group]), hook[group].rpartition("/")[2])
        return
    before = ""
    for segment in _SEGMENT.finditer(path):
        text = segment[0].rstrip(".,;:!)")
        begin = start + segment.start()
        if bot := _BOT.fullmatch(text):
            yield Found(begin + 3, begin + len(text), unquote_plus(bot["token"]))
        elif is_random(text) or (_TOKEN_SEGMENT.fullmatch(before) and len(text) >= 12 and not is_ordinary(text)):
            yield Found(begin, begin + len(text), unquote_plus(text))
        before = text


def is_random(text: str) -> bool:
    """Return whether a long text mixes letters and digits like generated secrets, unlike hexadecimal digests."""
    if len(text) < 20 or _HEX.fullmatch(text) or is_ordinary(text) or not re.fullmatch(r"[\w%.~+=:-]+", text):
        return False
    kinds = ["0" if one.isdigit() else "A" if one.isupper() else "a" for one in text if one.isalnum()]
    changes = sum(one != other for one, other in itertools.pairwise(kinds))
    return "0" in kinds and changes >= len(kinds) * (0.33 if "A" in kinds else 0.25)
