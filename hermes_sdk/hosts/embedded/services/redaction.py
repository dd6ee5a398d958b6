"""Redaction of secrets: patterns that plugins register (statement N85), and texts that Hermes masks itself."""

from __future__ import annotations

import itertools
import logging
import os
import re
from collections.abc import Callable, Iterator
from typing import Any

from hermes_sdk.hosts.embedded.plugin import PluginManifest
from hermes_sdk.hosts.embedded.process.environment import is_word_on
from hermes_sdk.hosts.embedded.state import HostState

logger = logging.getLogger("agent.redact")

_SPECIAL = frozenset("[(\\.?*+|{^$")
_LITERALS = 2
_ATOM = r"(?s)\\.|\[\]?(?:\\.|[^\]])*\]|\{[^}]*\}|."
_UNBOUNDED = r"[*+]|\{\d+,\}"
_FLAWS = {
    "alternation": "top-level alternation escapes the literal-prefix guarantee (in 'ab|.*' it guards"
    " one branch); put the branches in a group, e.g. 'ab(?:x|y)'",
    "nested": "nested unbounded quantifiers (e.g. '(a+)+') can take forever",
    "short": "must start with at least 2 literal characters (they are searched for first)",
}

_WHOLE = r"(?<![A-Za-z0-9_-])(%s)(?![A-Za-z0-9_-])"
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202f\u2060-\u2064\ufeff]")
"""Invisible characters, which may split a secret."""
_SHORTEST_SHOWN = 18
_WORD = re.compile(r"[A-Za-z0-9_\-./+]{16,}")
"""Matches words that may be secrets on their own."""
_PREFIXES = (
    "AIza|AKIA|GR1348941|SG\\.|am_|bb_live_|brv_|doo_v1_|dop_v1_|exa_|fal_|fc-|fpk_|fw[-_]|gAAAA|gh[opsur]_|github_pat_"
    "|gl(?:agent|cbt|dt|ffct|ft|imt|oas|pat|ptt|rtr?|soat|wt)-|gsk_|hf_|hsk-|mem0_|npm_|ntn_|pk-lf-|pplx-|pypi-|r8_"
    "|retaindb_|rk_live_|sk[-_]|syt_|tvly-|xai-"
    "|xapp-|xox[a-z]-"
)
_NAMES = r"(?:api[ _.-]?key|token|secret|passwd|password|credential|auth|bearer|key_material|private_key)"
_LIKE_SECRET = re.compile(
    rf"""\b(?:{_PREFIXES})[\w.-]{{8}}   # a key that begins as those of its provider
    |[0-9a-f]{{32}}\.[A-Za-z0-9]{{16}}|eyJ[\w-]{{10}}|\d{{8}}:[\w-]{{30}}|-----BEGIN[ ]|\+[1-9]\d{{6}}
    |://\S*@                                          # an address with a password
    |(?i:{_NAMES})[\w.-]*\s*=\s*\S|[A-Z0-9_]*(?:KEY|PASS|PW)[A-Z0-9_]*\s*=\s*\S|_(?i:key|pass|pw)\s*=\s*\S
    |(?m:^)[ \t]*(?:\d+[|:\t-][ \t]*)?[\w.-]*(?i:{_NAMES})[\w.-]*:[ \t]*\S
    |["']\w*(?i:{_NAMES})\w*\\*["']\s*:(?!\s*\{{)|(?i:authorization|api-?key|x-[a-z]+-token)\s*:\s*\S
    |\A\s*[\w.-]+=[^&\s]*&[^\n]*\Z|(?i:bearer)\s+[\w.~+/-]{{20}}""",
    re.VERBOSE,
)
"""Matches everything that Hermes masks without plugins, and more."""


class RedactionPatterns:
    """Patterns of all plugins, in order; they cannot be removed."""

    def __init__(self, state: HostState) -> None:
        self._state = state
        self._patterns: list[str] = []

    def add(self, plugin: PluginManifest, patterns: Any) -> int:
        """Add valid new patterns, and return their number; log the others."""
        source = f"plugin:{plugin.name}"
        try:
            accepted = list(dict.fromkeys(self._accept(source, one) for one in patterns or []))
        except Exception as error:
            message = "Plugin '%s' redaction pattern registration failed: %s"
            logging.getLogger("hermes_cli.plugins").warning(message, plugin.name, error)
            return 0
        new = [one for one in accepted if one is not None and one not in self._patterns]
        self._patterns += new
        self._require_independence()
        if new:
            logger.info("%s: registered %d redaction pattern(s)", source, len(new))
        return len(new)

    def require_no_match(self, text: str) -> None:
        """Raise `NotSupported` if Hermes would mask a part of a text with these patterns."""
        if self._patterns and self._compile().search(text):
            raise self._state.unsupported("mask secrets in the results of built-in tools")

    def mask(self, text: str, *, always: bool = False) -> str:
        """Mask the secrets in a text; `always` masks even if the user turned this off.

        Raises:
            NotSupported: Hermes masks something in the text with its own patterns, or joins a secret that control
                characters split, or the user turned masking off and the text contains a secret.
        """
        plain = _CONTROL.sub("", text)
        is_off = not always and not _is_enabled()
        if not is_off and (_LIKE_SECRET.search(text) or _LIKE_SECRET.search(plain)):
            raise self._state.unsupported("mask secrets that Hermes itself knows")
        if not self._patterns:
            return text
        matcher = self._compile()
        places = [index for index, character in enumerate(text) if not _CONTROL.match(character)]
        for found in matcher.finditer(plain):
            span = text[places[found.start(1)] : places[found.end(1) - 1] + 1]
            if span != found[1] and not (re.search(r"[\r\n]", span) and matcher.search(span)):
                raise self._state.unsupported("mask a secret that is split by control characters")
        masked = matcher.sub(lambda found: _mask(found[1]), text)
        if masked != text and not always and self._is_turned_off():
            raise self._state.unsupported("leave secrets unmasked")
        return masked

    def redact(self, text: Any, *, force: bool = False, **options: bool) -> str | None:
        """Mask the secrets in a text of a plugin; `force` masks even if the user turned this off.

        Raises:
            NotSupported: As in `mask`, or another option is set.
        """
        if text is None:
            return None
        chosen = [name for name, value in options.items() if value]
        if chosen:
            raise self._state.unsupported(f"mask secrets with {', '.join(chosen)}")
        return self.mask(str(text), always=force)

    def mask_all(self, *values: Any) -> tuple[Any, ...]:
        """Mask the secrets in all texts of values; a secret in one text is masked in all of them."""
        words: set[str] = set()

        def mask(text: str) -> str:
            masked = self.mask(text, always=True)
            words.update({*_WORD.findall(text)} - {*_WORD.findall(masked)})
            return masked

        masked = tuple(_map_texts(value, mask) for value in values)
        if not words:
            return masked
        matcher = re.compile("|".join(re.escape(word) for word in sorted(words, key=len, reverse=True)))
        return tuple(_map_texts(value, lambda text: matcher.sub("[redacted]", text)) for value in masked)

    def _is_turned_off(self) -> bool:
        security = self._state.config.read().get("security")
        configured = not isinstance(security, dict) or security.get("redact_secrets") is not False
        return not (configured and _is_enabled())

    def _compile(self) -> re.Pattern[str]:
        return re.compile(_WHOLE % "|".join(self._patterns))

    def _require_independence(self) -> None:
        try:
            self._compile()
        except re.error as error:
            raise self._state.unsupported("combine redaction patterns that refer to groups") from error

    def _accept(self, source: str, pattern: Any) -> str | None:
        """Return a valid pattern, or None."""
        if not isinstance(pattern, str) or not pattern.strip():
            logger.warning("%s: skipping empty/non-string redaction pattern", source)
            return None
        text = pattern.strip()
        try:
            re.compile(text)
        except re.error as error:
            logger.warning("%s: skipping invalid redaction pattern %r (%s)", source, text, error)
            return None
        flaws = {*_find_flaws(text)}
        flaw = next((flaw for flaw in _FLAWS if flaw in flaws), None)
        if flaw is not None:
            logger.warning("%s: skipping redaction pattern %r — %s", source, text, _FLAWS[flaw])
            return None
        return text


def mask_secret(
    state: HostState,
    value: Any,
    *,
    head: int = 4,
    tail: int = 4,
    floor: int = 12,
    placeholder: str = "***",
    empty: str = "",
) -> str:
    """Mask a secret for display: return its beginning and end, or a placeholder if it is short.

    Raises:
        NotSupported: The value is not text, or contains control characters.
    """
    if not value:
        return empty
    if not isinstance(value, str) or _CONTROL.search(value):
        raise state.unsupported("display a secret with control characters")
    return placeholder if len(value) < floor else f"{value[:head]}...{value[-tail:]}"


def _map_texts(value: Any, change: Callable[[str], str]) -> Any:
    """Apply a function to all texts in a value; a container without changes stays the same object."""
    if isinstance(value, str):
        return value if value.startswith("data:") else change(value)
    if isinstance(value, dict):
        items = {key: _map_texts(one, change) for key, one in value.items()}
        return items if any(items[key] is not value[key] for key in value) else value
    if isinstance(value, (list, tuple)):
        changed = [_map_texts(one, change) for one in value]
        return type(value)(changed) if any(new is not old for new, old in zip(changed, value, strict=True)) else value
    return value


def _mask(secret: str) -> str:
    shown = _CONTROL.sub("", secret)
    return "***" if len(shown) < _SHORTEST_SHOWN else f"{shown[:6]}...{shown[-4:]}"


def _find_flaws(pattern: str) -> Iterator[str]:
    """Yield the names of the flaws of a pattern."""
    if sum(1 for _ in itertools.takewhile(lambda one: one not in _SPECIAL, pattern)) < _LITERALS:
        yield "short"
    repeats = [False]
    for atom, following in itertools.pairwise([*re.findall(_ATOM, pattern), ""]):
        if atom == "|" and len(repeats) == 1:
            yield "alternation"
        elif atom == "(":
            repeats.append(False)
        elif atom == ")" and len(repeats) > 1:
            inner = repeats.pop()
            if inner and re.fullmatch(_UNBOUNDED, following):
                yield "nested"
            repeats[-1] |= inner
        elif re.fullmatch(_UNBOUNDED, atom):
            repeats[-1] = True


def _is_enabled() -> bool:
    """Return whether the environment enables masking."""
    return is_word_on(os.environ.get("HERMES_REDACT_SECRETS", "true"))
