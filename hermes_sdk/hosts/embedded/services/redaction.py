"""Patterns of secrets that plugins register (statement N85)."""

from __future__ import annotations

import itertools
import logging
import re
from collections.abc import Iterator
from typing import Any

from hermes_sdk.hosts.embedded.plugin import PluginManifest
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


class RedactionPatterns:
    """The patterns of all plugins, in order; nothing takes one back."""

    def __init__(self, state: HostState) -> None:
        self._state = state
        self._patterns: list[str] = []

    def add(self, plugin: PluginManifest, patterns: Any) -> int:
        """Add the patterns that are valid and new, and return how many those are; others are logged."""
        source = f"plugin:{plugin.name}"
        try:
            accepted = list(dict.fromkeys(self._accept(source, one) for one in patterns or []))
        except Exception as error:
            message = "Plugin '%s' redaction pattern registration failed: %s"
            logging.getLogger("hermes_cli.plugins").warning(message, plugin.name, error)
            return 0
        new = [one for one in accepted if one is not None and one not in self._patterns]
        self._patterns += new
        if new:
            logger.info("%s: registered %d redaction pattern(s)", source, len(new))
        return len(new)

    def require_no_match(self, text: str) -> None:
        """Raise `NotSupported` when the host would mask a part of a text because of these patterns."""
        security = self._state.config.read().get("security")
        masks = not isinstance(security, dict) or security.get("redact_secrets") is not False
        matches = (rf"(?<![A-Za-z0-9_-])(?:{one})(?![A-Za-z0-9_-])" for one in self._patterns)
        if masks and any(re.search(one, text) for one in matches):
            raise self._state.unsupported("mask secrets in the results of built-in tools")

    def _accept(self, source: str, pattern: Any) -> str | None:
        """Return a pattern that can be used, or None."""
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
