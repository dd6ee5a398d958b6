"""Sections of the system prompt that plugins register (statements N78 and N79)."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from hermes_sdk.hosts.embedded.ledger import Entry
from hermes_sdk.hosts.embedded.plugin import PluginManifest
from hermes_sdk.hosts.embedded.state import HostState
from hermes_sdk.hosts.embedded.store import Store

logger = logging.getLogger("hermes_cli.plugins")

_ID = r"[a-z0-9][a-z0-9._-]{0,127}"
_POSITION = "after_memory"
_MOST_CHARS = 4_000
_MOST_SECTIONS = 32
_MOST_CHARS_IN_ALL = 8_000
_START = "<!-- hermes-plugin-sections:start -->"
_END = "<!-- hermes-plugin-sections:end -->"


class _Section(NamedTuple):
    plugin: Any
    content: Any
    max_chars: int


class PromptSections(Store):
    """Sections of all plugins by ID."""

    entries: dict[str, _Section]

    def __init__(self, state: HostState) -> None:
        self.entries = {}
        self._state = state

    def register(self, plugin: PluginManifest, *, id: Any, content: Any, position: str, max_chars: Any) -> Entry:
        """Add a section.

        Raises:
            ValueError: The ID, the position or the limit is not valid, or the ID is in use.
            TypeError: The content is neither text nor a function.
        """
        opening = "system prompt section"
        if not isinstance(id, str) or not re.fullmatch(_ID, id):
            raise ValueError(
                f"{opening} id must be 1-128 lowercase characters using letters, numbers, '.', '_', or '-'"
            )
        if not isinstance(content, str) and not callable(content):
            raise TypeError(f"{opening} content must be a string or callable")
        if position != _POSITION:
            raise ValueError(f"{opening} position must be one of: {_POSITION}")
        if isinstance(max_chars, bool) or not isinstance(max_chars, int) or not 0 < max_chars <= _MOST_CHARS:
            raise ValueError(f"{opening} max_chars must be between 1 and {_MOST_CHARS}")
        if id in self.entries:
            raise ValueError(f"{opening} {id!r} is already registered by plugin {self.entries[id].plugin!r}")
        return Entry(id, self.put(id, _Section(plugin.lookup_key, content, max_chars)))

    def render(self, session: Mapping[str, str]) -> str:
        """Render the sections for the prompt of a session; skip those that cannot be rendered."""
        blocks: list[str] = []
        total = len(_START) + len(_END) + 2
        for id, section in sorted(self.entries.items()):
            if len(blocks) >= _MOST_SECTIONS:
                message = "Plugin system prompt section %s exceeded the section-count budget (%d) and was skipped"
                logger.warning(message, id, _MOST_SECTIONS)
                continue
            text = self._evaluate(id, section, session)
            block = f"## Plugin Context: {id}\n<!-- hermes-plugin-section-chars:{len(text)} -->\n\n{text}"
            size = len(block) + (2 if blocks else 0)
            if text and total + size > _MOST_CHARS_IN_ALL:
                why = f"exceeded the aggregate session budget ({_MOST_CHARS_IN_ALL} chars) and was skipped"
                _skip(id, section, why)
            elif text:
                message = "Session plugin prompt section: id=%s plugin=%s position=%s chars=%d"
                logger.info(message, id, section.plugin, _POSITION, len(text))
                blocks.append(block)
                total += size
        separator = "\n\n"
        return f"{_START}\n{separator.join(blocks)}\n{_END}" if blocks else ""

    def _evaluate(self, id: str, section: _Section, session: Mapping[str, str]) -> str:
        """Return the text of a section, or an empty string if the section is skipped."""
        skipped = (Exception, SystemExit) if self._state.behaviour.section_exits_skipped else (Exception,)
        try:
            value = section.content(MappingProxyType(dict(session))) if callable(section.content) else section.content
        except skipped as error:
            _skip(id, section, f"raised and was skipped: {error}")
            self._state.swallow(f"system prompt section {id}", error)
            return ""
        if not isinstance(value, str):
            _skip(id, section, f"returned {type(value).__name__}, not str; skipped")
            return ""
        text = value.strip()
        if _START in text or _END in text:
            _skip(id, section, "contained a reserved persistence marker and was skipped")
        elif len(text) > section.max_chars:
            _skip(id, section, f"exceeded max_chars ({len(text)} > {section.max_chars}) and was skipped")
        else:
            return text
        return ""


def _skip(id: str, section: _Section, why: str) -> None:
    logger.warning("Plugin system prompt section %s (%s) %s", id, section.plugin, why)
