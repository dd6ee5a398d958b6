"""Catalogue of problems in manifests; codes are never reused."""

from __future__ import annotations

from typing import Literal, NamedTuple

Severity = Literal["error", "warning", "info"]


class Code(NamedTuple):
    """A kind of problem.

    Attributes:
        severity: The severity; ``"error"`` breaks the plugin or its installation.
        title: A short description.
        why: The consequences in the host.
        fix: General advice, which a diagnostic may override.
    """

    severity: Severity
    title: str
    why: str
    fix: str


_NO_ENTRY = "The host logs a warning and skips the plugin, which is not even listed."

CODES: dict[str, Code] = {
    "HS101": Code("error", "manifest cannot be read", _NO_ENTRY, "Make plugin.yaml a readable file."),
    "HS102": Code("error", "manifest is not UTF-8", _NO_ENTRY, "Save the file as UTF-8."),
    "HS103": Code(
        "info",
        "manifest starts with a byte order mark",
        "The host accepts it; other tools may not.",
        "Save the file as UTF-8 without a byte order mark.",
    ),
    "HS104": Code("error", "manifest is not YAML", _NO_ENTRY, "Correct the syntax here."),
    "HS105": Code("error", "tab in the indentation", _NO_ENTRY, "Replace the tab with spaces."),
    "HS106": Code("error", "more than one YAML document", _NO_ENTRY, "Keep one document; remove the line '---'."),
    "HS107": Code("error", "manifest is not a mapping", _NO_ENTRY, "Write lines of the form 'key: value'."),
    "HS108": Code(
        "error",
        "duplicate key",
        "Since 0.22.2, the host rejects the manifest; before, it silently used the last value.",
        "Keep one of them.",
    ),
    "HS109": Code("error", "unknown YAML tag", _NO_ENTRY, "Remove the tag; plain values need none."),
    "HS110": Code("error", "value that YAML cannot build", _NO_ENTRY, "Quote the value."),
    "HS111": Code(
        "error",
        "manifest too large, deep or self-referring",
        "A few such lines can take all memory or time of the process that reads them, so hermes-sdk does not.",
        "Write values out instead of using aliases, and keep the manifest small.",
    ),
    "HS112": Code(
        "error",
        "name is not text",
        "YAML parsed the name as another type. The plugin cannot be enabled and breaks the plugin listing; if the "
        "configuration contains the same value, no later plugin loads.",
        "Quote the name.",
    ),
    "HS113": Code(
        "warning",
        "name is missing",
        "The host uses the directory name, which differs between installations.",
        "Add a line such as 'name: my-plugin'.",
    ),
    "HS114": Code(
        "error",
        "name that the installer rejects",
        "`hermes plugins install` stops: the name is empty or points outside the plugins directory.",
        "Use only lower-case letters, digits, '-' and '_'.",
    ),
    "HS115": Code(
        "warning",
        "unusual name",
        "The name appears in commands, configuration files and a module name; catalogs accept only up to 64 lower-case "
        "letters, digits, '-' and '_'.",
        "Use only lower-case letters, digits, '-' and '_'.",
    ),
    "HS116": Code(
        "warning",
        "unknown key that looks like a typing mistake",
        "The host ignores unknown keys.",
        "Correct the key.",
    ),
    "HS117": Code(
        "info",
        "key that no host reads",
        "It has no effect; it only documents something.",
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
        "The host passes the value on unchanged; code that uses it fails or misbehaves.",
        "Write a value of that type: text in quotes, a list as [a, b], a mapping as {a: b}.",
    ),
    "HS120": Code(
        "error",
        "requires_env is text",
        "The installer treats text as a list of letters: for FOO it asks for F, O and O.",
        "Write a list.",
    ),
    "HS121": Code(
        "error",
        "manifest_version that installers reject",
        "Up to 0.21.3, `hermes plugins install` accepts only manifest_version 1; up to 0.20.0, nothing knows 2.",
        "Write 'manifest_version: 1', which also allows newer fields, or requires_hermes: '>=0.21.4'.",
    ),
    "HS122": Code(
        "error",
        "manifest_version is not a whole number",
        "`hermes plugins install` stops because this is not a number; newer hosts treat it as 1.",
        "Write 'manifest_version: 1'.",
    ),
    "HS123": Code(
        "warning",
        "version is not text",
        "YAML parsed the version as a number or a date, which the host prints differently: 1.10 becomes 1.1.",
        "Quote the version.",
    ),
    "HS124": Code(
        "warning",
        "'hooks' instead of 'provides_hooks'",
        "Up to 0.21.4, the host reads only 'provides_hooks'; later releases read 'hooks' if the other key is absent.",
        "Rename the key to 'provides_hooks'.",
    ),
    "HS125": Code(
        "info",
        "field of newer hosts",
        "Older releases that the manifest admits ignore it.",
        "Raise requires_hermes, or do not rely on the field.",
    ),
    "HS126": Code(
        "warning",
        "value of the wrong form",
        "Hosts or their tools reject or ignore it.",
        "Correct the value.",
    ),
}
