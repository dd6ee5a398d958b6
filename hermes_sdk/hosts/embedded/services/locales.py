"""Language catalogues that plugins register (statements N20 and N90)."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from hermes_sdk.contract import Behaviour
from hermes_sdk.documents import read_text
from hermes_sdk.hosts.embedded.ledger import Entry
from hermes_sdk.hosts.embedded.plugin import PluginManifest
from hermes_sdk.hosts.embedded.state import HostState
from hermes_sdk.hosts.embedded.store import Store
from hermes_sdk.manifest.load import choose_reader, load_yaml

logger = logging.getLogger("agent.i18n_layers")
plugins_logger = logging.getLogger("hermes_cli.plugins")

_SURFACES = ("core", "tui", "desktop")
_LANGUAGE = r"[a-z]{2,3}(?:-[a-z0-9]{2,8})*"
_FILE = rf"({_LANGUAGE})(?:\.([a-z]+))?\.ya?ml"


class _Locale(NamedTuple):
    plugin: Any
    language: str
    surface: str


class Locales(Store):
    """Languages for which plugins add texts; the use of these texts is not modelled."""

    entries: list[_Locale]

    def __init__(self, state: HostState) -> None:
        self.entries = []
        self._state = state

    def register(
        self,
        plugin: PluginManifest,
        *,
        lang: Any,
        source: Any,
        endonym: str | None,  # noqa: ARG002
        rtl: bool,  # noqa: ARG002
        surface: Any,
    ) -> Entry:
        """Check a catalogue, and register its language.

        Raises:
            ValueError: The language, the surface or the file is not valid.
            FileNotFoundError: There is no such file.
            TypeError: The source is neither a mapping nor a path.
            NotSupported: The configuration selects the language.
        """
        language = _normalise(lang)
        opening = f"Plugin '{plugin.name}' tried to register locale"
        if not re.fullmatch(_LANGUAGE, language):
            raise ValueError(f"{opening} with invalid language id {lang!r} (expected e.g. 'pl', 'pt-br').")
        if surface not in _SURFACES:
            raise ValueError(f"{opening} {language!r} for unknown surface {surface!r} (one of {', '.join(_SURFACES)}).")
        _check_source(source, self._state.behaviour)
        display = self._state.config.read().get("display")
        if isinstance(display, dict) and display.get("language") == language:
            raise self._state.unsupported(f"use the language {language}")
        return Entry(f"{language}.{surface}", self.append(_Locale(plugin.lookup_key, language, surface)))


def read_declared(raw: Any, plugin: Any) -> tuple[list[str], dict[str, dict[str, Any]]]:
    """Read the languages in ``provides_locales`` of a manifest, and their details; warn about invalid entries."""
    about: dict[str, dict[str, Any]] = {}
    items = [raw] if isinstance(raw, (str, Mapping)) else [] if raw is None else raw
    if not isinstance(items, list):
        message = "Plugin %s: provides_locales must be a list of language ids, got %s"
        plugins_logger.warning(message, plugin, type(raw).__name__)
        return [], {}
    for item in items:
        described = item if isinstance(item, Mapping) else {"id": item}
        language = _normalise(described.get("id"))
        if not re.fullmatch(_LANGUAGE, language):
            plugins_logger.warning("Plugin %s: ignoring invalid provides_locales entry %r", plugin, item)
        elif language in about:
            plugins_logger.warning("Plugin %s: duplicate provides_locales entry %r", plugin, language)
        else:
            about[language] = _describe(described)
    return list(about), {language: details for language, details in about.items() if details}


def _describe(entry: Mapping[str, Any]) -> dict[str, Any]:
    endonym = entry.get("endonym")
    named = {"endonym": endonym.strip()} if isinstance(endonym, str) and endonym.strip() else {}
    return {**named, **({"rtl": bool(entry["rtl"])} if "rtl" in entry else {})}


def _normalise(language: Any) -> str:
    return language.strip().lower().replace("_", "-") if isinstance(language, str) else ""


def find_files(directory: Path) -> Iterator[tuple[str, str, Path]]:
    """Yield the catalogues in a directory with their languages and surfaces."""
    for path in sorted(directory.iterdir()) if directory.is_dir() else ():
        found = re.fullmatch(_FILE, path.name)
        surface = (found[2] or "core") if found else ""
        if surface in _SURFACES and path.is_file():
            assert found
            yield found[1], surface, path
        elif surface:
            message = "Ignoring locale file %s: unknown surface %r (expected one of %s)"
            logger.warning(message, path, surface, ", ".join(_SURFACES))


def _check_source(source: Any, behaviour: Behaviour) -> None:
    if isinstance(source, Mapping):
        return
    if not isinstance(source, (str, Path)):
        kind = type(source).__name__
        raise TypeError(f"locale source must be a mapping or a path to a YAML file, got {kind}")
    content = load_yaml(read_text(Path(source), encoding="utf-8-sig"), choose_reader(behaviour, in_python=True))
    if content is not None and not isinstance(content, dict):
        raise ValueError(f"{source}: top level must be a mapping, got {type(content).__name__}")
