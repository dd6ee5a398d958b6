"""The manifest `plugin.yaml`: read it as the host does, say where it is wrong, and find it in a project.

`schema.json` is the one place for the names and types of its fields. Must not import anything above `contract`. Names
are imported when they are first used, so that `load_yaml` costs no more than PyYAML.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hermes_sdk.manifest.fields import diagnose
    from hermes_sdk.manifest.load import load_yaml
    from hermes_sdk.manifest.model import Diagnostic, Parsed
    from hermes_sdk.manifest.names import installer_name
    from hermes_sdk.manifest.project import (
        ENTRY_POINT_GROUP,
        EntryPoint,
        Located,
        guessed_kind,
        locate,
        locate_all,
        manifest_file,
    )
    from hermes_sdk.manifest.reader import parse, parse_text
    from hermes_sdk.manifest.requirements import read_required, required_variables

__all__ = [
    "ENTRY_POINT_GROUP",
    "Diagnostic",
    "EntryPoint",
    "Located",
    "Parsed",
    "diagnose",
    "guessed_kind",
    "installer_name",
    "load_yaml",
    "locate",
    "locate_all",
    "manifest_file",
    "parse",
    "parse_text",
    "read_required",
    "required_variables",
]

_MODULES = {
    "ENTRY_POINT_GROUP": "project",
    "Diagnostic": "model",
    "EntryPoint": "project",
    "Located": "project",
    "Parsed": "model",
    "diagnose": "fields",
    "guessed_kind": "project",
    "installer_name": "names",
    "load_yaml": "load",
    "locate": "project",
    "locate_all": "project",
    "manifest_file": "project",
    "parse": "reader",
    "parse_text": "reader",
    "read_required": "requirements",
    "required_variables": "requirements",
}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
