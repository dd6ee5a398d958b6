"""Where in a plugin a judge's message is about; the judges mostly name it in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hermes_sdk.check.plugin import Plugin

_PLACE = re.compile(r"([\w./-]+\.\w+):(\d+)")
_QUOTED = re.compile(r"'([\w.-]+)'")


def find_place(plugin: Plugin, text: str, key: str) -> tuple[str, int]:
    """Return the path, as findings name it, and the line of a message.

    It is the place that the text names, else the key of the manifest, else the code that has a name quoted in the
    text, else the plugin's module.

    Args:
        key: The key of the manifest that the check is about; empty for none.
    """
    for name, line in _PLACE.findall(text):
        if path := _find_file(plugin, name):
            return path, int(line)
    if key and plugin.manifest is not None and key in plugin.fields:
        return plugin.relative(plugin.manifest.path), plugin.manifest.position(key)[0]
    return next(_find_quoted(plugin, text), (_find_default(plugin, key), 1))


def find_file(plugin: Plugin, name: str) -> str:
    """Return a file of the plugin as findings name it; the manifest for another name."""
    return _find_file(plugin, name) or _find_default(plugin, "manifest")


def _find_file(plugin: Plugin, name: str) -> str:
    directory = plugin.located.directory
    if (file := directory / name).is_file():
        return plugin.relative(file)
    found = [file for file in plugin.files if file.name == name]
    return plugin.relative(found[0]) if len(found) == 1 else ""


def _find_quoted(plugin: Plugin, text: str) -> Iterator[tuple[str, int]]:
    for name in _QUOTED.findall(text):
        wanted = re.compile(rf"""\bdef {re.escape(name)}\b|(["']){re.escape(name)}\1""")
        for source in plugin.sources:
            for number, line in enumerate(source.text.splitlines(), 1):
                if wanted.search(line):
                    yield source.path, number


def _find_default(plugin: Plugin, key: str) -> str:
    if key and plugin.manifest is not None:
        return plugin.relative(plugin.manifest.path)
    return plugin.entry
