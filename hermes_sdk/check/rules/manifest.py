"""HS1xx: the host can read the manifest. Each code of the diagnostics of `hermes_sdk.manifest` becomes a rule."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial

from hermes_sdk.check.model import Repair
from hermes_sdk.check.plugin import Plugin
from hermes_sdk.check.repair import replace_in_manifest, set_in_manifest
from hermes_sdk.check.rule import MANIFEST, Example, Problem, Rule, example
from hermes_sdk.manifest import Diagnostic, Parsed
from hermes_sdk.manifest.codes import CODES
from hermes_sdk.manifest.load import YamlReader

_HOOKED = "def register(ctx):\n    ctx.register_hook('on_session_start', lambda **kwargs: None)\n"

_BAD: dict[str, Example] = {
    "HS101": {"plugin.yaml/readme.txt": "plugin.yaml is a directory here.\n"},
    "HS102": example(manifest=b"name: caf\xe9\n"),
    "HS103": example(manifest=f"\ufeff{MANIFEST}"),
    "HS104": example(manifest="name: [example\n"),
    "HS105": example(manifest="name: example\nconfig:\n\tcolor: red\n"),
    "HS106": example(manifest="name: example\n---\nname: another\n"),
    "HS107": example(manifest="- name: example\n"),
    "HS108": example(manifest=f"{MANIFEST}version: '2.0.0'\n"),
    "HS109": example(manifest="name: !secret example\n"),
    "HS110": example(manifest="name: example\nversion: 2026-13-45\n"),
    "HS111": example(manifest=f"name: example\ntags: {'[' * 300}{']' * 300}\n"),
    "HS112": example(manifest="name: off\nkind: standalone\n"),
    "HS113": example(manifest="kind: standalone\n"),
    "HS114": example(manifest="name: tools/example\nkind: standalone\n"),
    "HS115": example(manifest="name: My Example\nkind: standalone\n"),
    "HS116": example(manifest=f"{MANIFEST}provide_tools: []\n"),
    "HS117": example(manifest=f"{MANIFEST}license: MIT\n"),
    "HS118": example(manifest="name: example\nkind: tools\n"),
    "HS119": example(manifest=f"{MANIFEST}provides_tools: roll\n"),
    "HS120": example(manifest=f"{MANIFEST}requires_env: ROLL_KEY\n"),
    "HS121": example(manifest=f"{MANIFEST}manifest_version: 3\n"),
    "HS122": example(manifest=f"{MANIFEST}manifest_version: one\n"),
    "HS123": example(manifest="name: example\nkind: standalone\nversion: 1.10\n"),
    "HS124": example(_HOOKED, manifest=f"{MANIFEST}hooks: [on_session_start]\n"),
    "HS125": example(manifest=f"{MANIFEST}api_version: 1\n"),
    "HS126": example(manifest=f"{MANIFEST}requires_env: [lower-case]\n"),
}
_GOOD = {"HS124": example(_HOOKED, manifest=f"{MANIFEST}provides_hooks: [on_session_start]\n")}


def _repair(plugin: Plugin, manifest: Parsed, found: Diagnostic) -> Repair | None:
    """Create the repair of a problem, if there is one."""
    if found.code in ("HS112", "HS123"):
        key = "name" if found.code == "HS112" else "version"
        source = manifest.source(key)
        is_safe = found.code == "HS123"  # Quoting a name (HS112) changes it, and so the plugin's key.
        return replace_in_manifest(plugin, [key], source, f"'{source}'", safe=is_safe) if source else None
    if found.code in ("HS121", "HS122"):
        return set_in_manifest(plugin, ["manifest_version"], 1)
    if found.code == "HS120":
        return set_in_manifest(plugin, ["requires_env"], [plugin.fields["requires_env"]])
    return _rename_key(plugin, manifest, found) if found.code in ("HS116", "HS124") else None


def _rename_key(plugin: Plugin, manifest: Parsed, found: Diagnostic) -> Repair | None:
    """Create a repair that renames the reported key.

    Returns None if the new key already exists, or would declare something that the plugin does not register.
    """
    here = (found.line, found.column)
    old = next((key for key in plugin.fields if manifest.position(key) == here), None)
    new = "provides_hooks" if found.code == "HS124" else found.fix.split("'")[1]
    if not isinstance(old, str) or new in plugin.fields:
        return None
    if new in ("provides_tools", "provides_hooks") and not _has_names(plugin, plugin.fields[old]):
        return None
    return replace_in_manifest(plugin, [old], old, new, safe=False)


def _has_names(plugin: Plugin, names: object) -> bool:
    """Return whether the plugin's code contains all names of a list as strings."""
    nodes = (node for source in plugin.sources for node in source.nodes(ast.Constant))
    texts = {node.value for node in nodes if isinstance(node.value, str)}
    return isinstance(names, list) and all(isinstance(name, str) and name in texts for name in names)


def _diagnose(code: str, plugin: Plugin, reader: YamlReader) -> Iterator[Problem]:
    """Yield the diagnostics of the manifest with a code."""
    manifest = plugin.manifest_as(reader)
    for found in plugin.diagnose_as(reader) if manifest else ():
        if manifest and found.code == code:
            place = (plugin.relative(manifest.path), found.line, found.column)
            repair = _repair(plugin, manifest, found)
            yield Problem(found.message, *place, severity=found.severity, fix=found.fix, repair=repair)


RULES = [
    Rule(
        code=code,
        name=code,
        title=entry.title,
        why=entry.why,
        fix=entry.fix,
        severity=entry.severity,
        bad=_BAD[code],
        good=_GOOD.get(code, example()),
        subject="yaml",
        check=partial(_diagnose, code),
    )
    for code, entry in CODES.items()
]
