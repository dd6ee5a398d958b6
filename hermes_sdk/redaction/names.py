"""Names that indicate a secret: of variables, keys, headers, parameters, XML elements, and assignments in texts.

A name is split into words, so ``SMTP_PASS``, ``smtpPass`` and ``db.pass`` all end with the word *pass*:

- A **plain** name contains a word that is used only for secrets, such as *password*, *token*, *secret* or *api key*.
  Every value is a secret, except truth values, numbers of up to three digits, numbers named ``tokens``, references such
  as ``$TOKEN``, and placeholders for a missing value.
- An **ambiguous** name ends with an ordinary word, such as *pass*, *pwd*, *pin*, *seed*, *auth*, *webhook* or *dsn*.
  Only text is a secret, unless it is a path, words, a sentence, or a number. There are two exceptions: four digits or
  more are a PIN or a password, but not a seed, and 12, 15, 18, 21 or 24 words are a seed phrase. For *pass* and *pwd*,
  a single word is a secret too.
- A name that ends with a description of the secret, such as ``token_count``, ``pass_rate`` or ``password_field``, does
  not indicate a secret.
- In the environment, in HTTP requests, and in capitals, names with *key*, *auth* or *sig* are ambiguous too.
"""

from __future__ import annotations

import functools
import re
from typing import Any, Final, Literal

REDACTED: Final = "<redacted>"

Place = Literal["mapping", "text", "variable", "parameter"]
"""The kind of place of a name: a mapping, an assignment in a text, the environment, or a header, URL or form."""

Kind = Literal["plain", "ambiguous"]

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z]+|\d+")

_KEYS = (
    "access|account|admin|api|app|auth|bot|client|consumer|crypto|deploy|encryption|hmac|host|license|master|private"
    "|secret|service|shared|signing|ssh|ssl|storage|tls|wallet|webhook"
)
_PLAIN = re.compile(
    r"(?:password|passwort|passwd|passphrase|passcode|passkey|secret|credential|authori[sz]ation|cookie|bearer|token|jwt"
    rf"|(?:{_KEYS})_?key|pass_(?:word|phrase|code|key)|pin_?code|(?:recovery|backup)_(?:code|phrase|key)"
    r"|(?:seed|mnemonic)_?(?:phrase|words?)|connection_?string)s?(?=_|$)"
)
_OWNERS = "admin|basic|db|email|ftp|http|imap|ldap|login|mail|mongo|my|mysql|pg|pop|proxy|redis|root|rpc|smtp|sql|user"
_AMBIGUOUS = re.compile(
    rf"_(?:(?:{_OWNERS})?(?P<password>pass|pwd|pw)|(?:{_OWNERS})?(?P<pin>pin)|(?P<seed>seed|mnemonic)"
    r"|auth|oauth|dsn|webhook(?:_url)?)$"
)
_AMBIGUOUS_OUTSIDE = re.compile(r"_(?:key|auth|oauth|sig|signature|pat)s?(?=_|$)|_webhook|dsn$|^_code$")
_DESCRIPTION = re.compile(
    r"_(?:attempts?|budget|count|counts|enabled|env|estimate|exists|expiry|expires|field|fields|file|files|format|hint"
    r"|label|length|limit|max|message|messages|method|min|mode|name|names|optional|path|paths|policy|present|prompt|rate"
    r"|required|set|size|stdin|total|ttl|type|types|usage|used|valid)$|_expires_(?:at|in)$|_public_key$"
)
_COUNTED = re.compile(r"tokens(?=_|$)")
_HEADER = re.compile(r"(?:cookie|authori[sz]ation)$")

HARMLESS: Final = frozenset(
    re.findall(
        r"\w+",
        """
        any api_key apikey array basic bearer bool boolean bytes cookie default dict digest disabled enabled fail failed
        false float hidden int integer jwt list nil no none null number oauth oauth2 object off ok on optional pass
        passed read redacted required self skip skipped str string true undefined unset write yes
        """,
    )
)
"""Values that indicate the lack or the type of a secret."""

_REFERENCE = re.compile(r"\$\{?\w+\}?|\$\(.*\)|\{\{.*\}\}|%\w+%|<[\w .-]+>|\*+|x{3,}|…|\.\.\.|(?i:your[-_ ].*)")
_ABSOLUTE = re.compile(r"(?:~|\.{1,2}|[A-Za-z]:)?(?:[/\\][\w.@+ -]*)+|file:.*")
_NUMBER = re.compile(r"[\d\s_.,:/+-]*%?")
_WORDS = re.compile(r"[^\W\d_]+(?:['’][a-z]+)?(?:[\s_,.;:!?/-]+(?:[^\W\d_]+(?:['’][a-z]+)?|\d{1,4}[a-z]?))*[.!?…]*")
_MIN_NUMBER = 1000
"""Smaller numbers are counts."""

_MIN_LENGTH = 4
"""Minimum length of a secret with an ambiguous name."""

_PHRASE = frozenset({12, 15, 18, 21, 24})


@functools.lru_cache(maxsize=8192)
def classify(name: str, place: Place = "mapping") -> Kind | None:
    """Return how a name indicates a secret; None if it does not."""
    words = _join_words(name)
    if _DESCRIPTION.search(words):
        return None
    if _PLAIN.search(words):
        return "plain"
    # Names in capitals are treated as variables everywhere.
    is_outside = place in ("variable", "parameter") or name.isupper()
    if _AMBIGUOUS.search(words) or (is_outside and _AMBIGUOUS_OUTSIDE.search(words)):
        return "ambiguous"
    return None


def is_telling(name: str, place: Place = "mapping") -> bool:
    """Return whether a name may indicate a secret; `is_secret` decides about its value."""
    return classify(name, place) is not None


def is_secret(name: str, value: Any, place: Place = "mapping") -> bool:
    """Return whether a single value is a secret, given its name."""
    kind = classify(name, place)
    if kind is None or value is None or isinstance(value, bool):
        return False
    if isinstance(value, int | float):
        return kind == "plain" and abs(value) >= _MIN_NUMBER and not _COUNTED.search(_join_words(name))
    text = str(value).strip()
    if text.lower() in HARMLESS or not text or _REFERENCE.fullmatch(text):
        return False
    if kind == "plain":
        is_count = place == "text" and text.isdigit() and int(text) < _MIN_NUMBER
        return not is_count and not (is_ordinary(text) and _COUNTED.search(_join_words(name)))
    return _is_telling_value(name, text, place)


def is_header(name: str) -> bool:
    """Return whether a name is that of a header whose entire line is secret."""
    return bool(_HEADER.search(_join_words(name)))


def is_ordinary(text: str) -> bool:
    """Return whether a text is a path, a number, words or a sentence."""
    return bool(_ABSOLUTE.fullmatch(text) or _NUMBER.fullmatch(text) or _WORDS.fullmatch(text))


def _is_telling_value(name: str, text: str, place: Place) -> bool:
    words = _join_words(name)
    found = _AMBIGUOUS.search(words)
    subject = found.lastgroup if found else None
    if text.isdigit():
        return len(text) >= _MIN_LENGTH and subject in ("password", "pin")
    if not is_ordinary(text):
        return len(text) >= _MIN_LENGTH
    if _NUMBER.fullmatch(text):
        return False
    if subject == "seed":
        return len(text.split()) in _PHRASE and text.replace(" ", "").isalpha()
    # In a text, `pass: lint` is the result of a test, and `db_pass: lint` is not.
    alone = place == "text" and words.count("_") == 1
    return subject == "password" and len(text.split()) == 1 and not _ABSOLUTE.fullmatch(text) and not alone


@functools.lru_cache(maxsize=8192)
def _join_words(name: str) -> str:
    return "".join(f"_{word.lower()}" for word in _WORD.findall(name))
