"""The table of everything that can be wrong with a manifest; a code is never used for anything else again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True)
class Code:
    """One kind of problem.

    Attributes:
        severity: How bad it is: ``"error"`` breaks the plugin or its installation.
        title: The problem in a few words.
        why: What the host does because of it.
        fix: What to do in general; a diagnostic may know better.
    """

    severity: Severity
    title: str
    why: str
    fix: str


_NO_ENTRY = "The host logs a warning and goes on without the plugin: it is not even listed."

CODES: dict[str, Code] = {
    "HS101": Code("error", "manifest cannot be read", _NO_ENTRY, "Make plugin.yaml a readable file."),
    "HS102": Code("error", "manifest is not UTF-8", _NO_ENTRY, "Save the file as UTF-8."),
    "HS103": Code(
        "info",
        "manifest starts with a byte order mark",
        "The host accepts it; other tools that read the file may not.",
        "Save the file as UTF-8 without a byte order mark.",
    ),
    "HS104": Code("error", "manifest is not YAML", _NO_ENTRY, "Correct the syntax at this place."),
    "HS105": Code("error", "tab in the indentation", _NO_ENTRY, "Replace the tab by spaces."),
    "HS106": Code("error", "more than one YAML document", _NO_ENTRY, "Keep one document; remove the line '---'."),
    "HS107": Code("error", "manifest is not a mapping", _NO_ENTRY, "Write lines of the form 'key: value'."),
    "HS108": Code(
        "warning",
        "duplicate key",
        "The host takes the last value without a word; the others are lost.",
        "Keep one of them.",
    ),
    "HS109": Code("error", "unknown YAML tag", _NO_ENTRY, "Remove the tag; plain values need none."),
    "HS110": Code("error", "value that YAML cannot build", _NO_ENTRY, "Quote the value."),
    "HS111": Code(
        "error",
        "manifest too large, deep or self-referring",
        "A manifest is a few lines; one like this costs the host its memory or time.",
        "Write the values out, and keep the manifest small.",
    ),
    "HS112": Code(
        "error",
        "name is not text",
        "YAML turned the name into something else. Such a plugin cannot be enabled and breaks the listing of plugins; "
        "when the configuration names it the same way, it keeps all later plugins from loading.",
        "Quote the name.",
    ),
    "HS113": Code(
        "warning",
        "name is missing",
        "The host falls back to the name of the directory, which differs from one installation to the next.",
        "Add a line such as 'name: my-plugin'.",
    ),
    "HS114": Code(
        "error",
        "name that the installer refuses",
        "`hermes plugins install` stops, because the name would leave the directory of plugins or names nothing.",
        "Use lower-case letters, digits, '-' and '_' only.",
    ),
    "HS115": Code(
        "warning",
        "unusual name",
        "The name is typed in commands and configuration files and becomes a module name; catalogs take only names of "
        "up to 64 lower-case letters, digits, '-' and '_'.",
        "Use lower-case letters, digits, '-' and '_' only.",
    ),
    "HS116": Code(
        "warning",
        "unknown key that looks like a typing mistake",
        "The host ignores keys that it does not know.",
        "Correct the key.",
    ),
    "HS117": Code(
        "info",
        "key that no host reads",
        "It is documentation at best: nothing happens because of it.",
        "Keep it as a note, or remove it.",
    ),
    "HS118": Code(
        "error",
        "unknown kind",
        "The host logs a warning and loads the plugin as 'standalone'.",
        "Use one of the kinds in the schema (`hermes-sdk schema`).",
    ),
    "HS119": Code(
        "error",
        "value of the wrong type",
        "The host passes the value on as it is; what uses it later fails or does something else.",
        "Write a value of the right type.",
    ),
    "HS120": Code(
        "error",
        "requires_env is text",
        "The installer takes text for a list of its letters: for FOO it asks for F, O and O.",
        "Write a list.",
    ),
    "HS121": Code(
        "error",
        "manifest_version that installers refuse",
        "`hermes plugins install` takes only manifest_version 1 up to 0.21.3; up to 0.20.0 nothing knows 2.",
        "Write 'manifest_version: 1', with which newer fields work too, or requires_hermes: '>=0.21.4'.",
    ),
    "HS122": Code(
        "error",
        "manifest_version is not a whole number",
        "`hermes plugins install` stops when it cannot read it as a number; newer hosts take it for 1.",
        "Write 'manifest_version: 1'.",
    ),
    "HS123": Code(
        "warning",
        "version is not text",
        "YAML turned the version into a number or a date and the host writes that out again: 1.10 becomes 1.1.",
        "Quote the version.",
    ),
    "HS124": Code(
        "warning",
        "'hooks' is read by nobody",
        "The host takes the hooks of a plugin from 'provides_hooks'.",
        "Rename the key to 'provides_hooks'.",
    ),
    "HS125": Code(
        "info",
        "field of newer hosts",
        "The older ones of the releases that the manifest admits ignore it.",
        "Raise requires_hermes, or keep it for the newer hosts and do not rely on it.",
    ),
    "HS126": Code(
        "warning",
        "value of the wrong form",
        "Hosts or their tools reject it or leave it out.",
        "Correct the value.",
    ),
}
