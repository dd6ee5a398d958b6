"""Table of Hermes' own checks, with our rules for the same problem, advice, and the place of the problem."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from hermes_sdk.check.plugin import Plugin


class Known(NamedTuple):
    """Facts about one of Hermes' own checks.

    Attributes:
        rules: Our rules for the same problem, each with an optional word that its message must contain.
        key: The key of the manifest that the check concerns, if there is one.
        instead: Broader rules that may report a failure of the check instead of `rules`.
    """

    rules: tuple[str, ...] = ()
    fix: str = ""
    key: str = ""
    instead: tuple[str, ...] = ()


_UNREADABLE = tuple(f"HS{number}" for number in (101, 102, 104, 105, 106, 107, 109, 110, 111))
_NOT_LOADED = ("HS201", "HS202", "HS203", "HS514", "HS515")
_DECLARE = "Add the names to `{key}` in plugin.yaml; `hermes-sdk check --fix` does it."

VALIDATE = {
    "plugin directory": Known(fix="Pass a directory."),
    "manifest": Known((*_UNREADABLE, "HS690 no plugin.yaml"), "Write a plugin.yaml that is a YAML mapping."),
    "manifest fields": Known(("HS690 has no",), "Add the fields to plugin.yaml."),
    "requires_hermes": Known(("HS127",), "Write clauses such as `>=0.19, <1.0`.", "requires_hermes"),
    "config schema": Known(
        ("HS119 config_schema", "HS126 config_schema"),
        "Describe each key with a mapping: `type` (such as str), `required` (true or false).",
        "config_schema",
    ),
    "requires_env": Known(
        ("HS119 requires_env", "HS120", "HS126 requires_env"),
        "List names in upper case, such as EXAMPLE_KEY, or mappings with such a `name`.",
        "requires_env",
    ),
    "loadable": Known(
        (),
        "Ship `__init__.py` next to plugin.yaml; a package behind an entry point needs a directory that imports it.",
    ),
    "python dependencies": Known((), "Write each requirement in the format of PEP 508.", "python_dependencies"),
    "capability probe": Known(
        _NOT_LOADED,
        "Import and register without network, configuration or variables; declare required packages.",
    ),
    "declared tools": Known(("HS206 provides_tools",), _DECLARE, "provides_tools"),
    "declared hooks": Known(("HS206 provides_hooks",), _DECLARE, "provides_hooks", ("HS401",)),
    "declared middleware": Known((), "Add the names to `{key}` in plugin.yaml.", "provides_middleware"),
    "built-in tool collisions": Known(("HS308",), "Rename the tool.", "provides_tools"),
    "trusted inbound": Known((), "Do not pass `trusted_inbound` for a platform that Hermes ships."),
    "security scan": Known((), "Remove the reported code, or move it out of the shipped directory."),
    "no core override": Known(("HS708",), "Use a hook, middleware or provider instead of changing the host's modules."),
    "desktop surface": Known((), "Use the desktop SDK only."),
    "portable manifest": Known((), "Correct plugin.json according to the Agent Plugins schema."),
    "locales": Known((), "Declare language ids such as `pl` or `pt-br`.", "provides_locales"),
    "locale": Known((), "Ship the file as a YAML mapping of texts.", "provides_locales"),
}
"""The checks of `hermes plugins validate` by name."""

VALIDATE_WARNINGS: Sequence[tuple[str, str, Known]] = (
    (
        r"provides_(tools|hooks|middleware) declares",
        "not registered",
        Known(("HS205",), "Register it, or remove it from the manifest."),
    ),
    (
        "private core imports",
        "private imports",
        Known(("HS731", "HS732"), "Use `ctx` or a documented module of the plugin API."),
    ),
    ("security scan caution", "scan caution", Known((), "The installer asks the user. Reword or remove the code.")),
    ("no __init__.py", "no module", Known()),
    (
        "python dependencies: direct URL",
        "dependency url",
        Known((), "Publish the package, or set `python_runtime: external`."),
    ),
)
"""The warnings of `hermes plugins validate`: a pattern of the message, a name for the check, and facts about it."""

DOCTOR: Sequence[tuple[str, str, Known]] = (
    (r"unknown hook|registered unknown hook", "hook names", Known(("HS401",), "Use a hook that the release has.")),
    (
        r"must accept \*\*kwargs",
        "hook callbacks",
        Known(("HS402", "HS411"), "Add **kwargs to the callback's parameters."),
    ),
    (r"must be a list|must be strings", "declared lists", Known(("HS119", "HS126"), "Write a list of names.")),
    (
        r"manifest declares .* but registration did not add it",
        "not registered",
        Known(("HS205",), "Register it, or remove it from the manifest."),
    ),
    (r"registration adds .* not listed", "not declared", Known(("HS206",), "Add it to the manifest.", "", ("HS401",))),
    (r"python_dependencies entry .* has no upper bound", "dependency bounds", Known(("HS604",), "Add an upper bound.")),
    (r"declared python_dependencies not installed", "dependencies installed", Known()),
    (r"manifest_version .* is newer", "manifest version", Known(("HS121", "HS122"), "Write a lower manifest_version.")),
    (r"config_schema key", "config schema", Known(("HS119 config_schema", "HS126 config_schema"), "Use a known type.")),
    (r"requires_plugins|requires plugin|api_version|Desktop runs", "advice", Known()),
    ("", "load", Known(_NOT_LOADED, "Import and register without an exception; see the message.")),
)
"""The checks of `hermes plugins doctor`: a pattern of the message, a name, and facts about the check."""

SCAN = Known((), "Remove the text, or move the file out of the shipped directory.")


def find_check(message: str, table: Sequence[tuple[str, str, Known]]) -> tuple[str, Known]:
    """Return the name of the check that reports a message, and the facts about it."""
    return next(((name, known) for pattern, name, known in table if re.search(pattern, message)), ("warning", Known()))


def find_validate_check(name: str) -> Known:
    """Return the facts about a check of `hermes plugins validate`, whose name may end with the checked item."""
    return VALIDATE.get(name) or VALIDATE.get(name.partition(" ")[0]) or Known()


_PLACE = re.compile(r"([\w./-]+\.\w+):(\d+)")
_QUOTED = re.compile(r"'([\w.-]+)'")


def find_place(plugin: Plugin, text: str, key: str) -> tuple[str, int]:
    """Return the path and the line for a message.

    The place is the first of: a place in the text, the key of the manifest, code with a name that is quoted in the
    text, and the plugin's module.

    Args:
        key: The key of the manifest that the check concerns; empty for none.
    """
    for name, line in _PLACE.findall(text):
        if path := _find_file(plugin, name):
            return path, int(line)
    if key and plugin.manifest is not None and key in plugin.fields:
        return plugin.relative(plugin.manifest.path), plugin.manifest.position(key)[0]
    return next(_find_quoted(plugin, text), (_find_default(plugin, key), 1))


def find_file(plugin: Plugin, name: str) -> str:
    """Return the path of a file of the plugin for findings; the manifest if there is no such file."""
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
