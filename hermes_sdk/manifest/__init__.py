"""The manifest `plugin.yaml`: reading it as the host does, diagnostics, and finding plugins in a project.

`schema.json` is the only definition of field names and types. Must not import anything above `contract`. Names are
imported lazily, so that `load_yaml` costs no more than PyYAML.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hermes_sdk.manifest.fields import diagnose
    from hermes_sdk.manifest.forms import Form, Located, PluginForms, manifest_file
    from hermes_sdk.manifest.kinds import guessed_kind
    from hermes_sdk.manifest.load import load_yaml
    from hermes_sdk.manifest.model import Diagnostic, Parsed
    from hermes_sdk.manifest.names import installer_name
    from hermes_sdk.manifest.packages import ENTRY_POINT_GROUP, MEMORY_GROUP, EntryPoint, Packages
    from hermes_sdk.manifest.project import MissingModuleError, find_plugins, locate, locate_all, locate_forms
    from hermes_sdk.manifest.reader import parse, parse_text
    from hermes_sdk.manifest.requirements import read_required, required_variables

__all__ = [
    "ENTRY_POINT_GROUP",
    "MEMORY_GROUP",
    "Diagnostic",
    "EntryPoint",
    "Form",
    "Located",
    "MissingModuleError",
    "Packages",
    "Parsed",
    "PluginForms",
    "diagnose",
    "find_plugins",
    "guessed_kind",
    "installer_name",
    "load_yaml",
    "locate",
    "locate_all",
    "locate_forms",
    "manifest_file",
    "parse",
    "parse_text",
    "read_required",
    "required_variables",
]

_MODULES = {
    "ENTRY_POINT_GROUP": "packages",
    "MEMORY_GROUP": "packages",
    "Diagnostic": "model",
    "EntryPoint": "packages",
    "Form": "forms",
    "Located": "forms",
    "MissingModuleError": "project",
    "Packages": "packages",
    "Parsed": "model",
    "PluginForms": "forms",
    "diagnose": "fields",
    "find_plugins": "project",
    "guessed_kind": "kinds",
    "installer_name": "names",
    "load_yaml": "load",
    "locate": "project",
    "locate_all": "project",
    "locate_forms": "project",
    "manifest_file": "forms",
    "parse": "reader",
    "parse_text": "reader",
    "read_required": "requirements",
    "required_variables": "requirements",
}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
