"""A plugin in one of its forms: a directory with a manifest, or a package with an entry point."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Literal, NamedTuple

from hermes_sdk.documents import read_text
from hermes_sdk.errors import UsageError
from hermes_sdk.manifest.packages import ENTRY_POINT_GROUP, EntryPoint
from hermes_sdk.manifest.reader import parse

MANIFEST_NAMES = ("plugin.yaml", "plugin.yml")
HOOK_MANIFEST = "HOOK.yaml"
PORTABLE_MANIFEST = "plugin.json"

Form = Literal["directory", "package"]


class Located(NamedTuple):
    """A plugin in a project, in one of its forms.

    Attributes:
        directory: The directory of the plugin, with its manifest; for a package, the directory of its module.
        manifest: The manifest; None for a package, whose manifest no host reads.
        project: The plugin's project, or `directory` if it has none.
        entry_point: The plugin's entry point, or that of the project for a directory that is its only plugin; else
            None.
        core_tool: The file of a core tool; None for plugins and hooks.
        event_hook: The ``HOOK.yaml`` of a gateway event hook; None for plugins, core tools and shell hooks.
        portable: The ``plugin.json`` of a portable plugin, which has skills and MCP servers but no Python; else None.
        shell_hook: The configuration that lists the shell hooks of a project without a plugin, or a script that no
            configuration names; else None.
        module: The file of a package's module; None for a directory.
        group: The group of its entry point.
    """

    directory: Path
    manifest: Path | None
    project: Path
    entry_point: EntryPoint | None
    core_tool: Path | None = None
    event_hook: Path | None = None
    shell_hook: Path | None = None
    portable: Path | None = None
    module: Path | None = None
    group: str = ENTRY_POINT_GROUP

    @property
    def form(self) -> Form:
        """The form in which a host finds the plugin: as a directory, or by the entry point of a package."""
        return "package" if self.entry_point and not self.manifest else "directory"

    @property
    def path(self) -> Path:
        """The path from which `locate` finds this plugin, given its form and name."""
        return self.core_tool or (self.project if self.form == "package" else self.directory)

    @property
    def name(self) -> str:
        """The name of a package's entry point, or the name in the manifest, or else that of the directory."""
        if self.form == "package" and self.entry_point:
            return self.entry_point.name
        fields = None
        with contextlib.suppress(OSError, ValueError, UsageError):
            fields = parse(self.manifest).value if self.manifest else None
        name = fields.get("name") if isinstance(fields, dict) else None
        return name if isinstance(name, str) and name else self.directory.name


class PluginForms(NamedTuple):
    """A plugin in all its forms; a directory comes before packages."""

    forms: tuple[Located, ...]

    @property
    def name(self) -> str:
        """The name of the plugin."""
        return self.forms[0].name

    def is_named(self, name: str) -> bool:
        """Return whether a name refers to this plugin, by its name or its directory in the project."""
        first = self.forms[0]
        return name in (*(one.name for one in self.forms), relative(first.directory, first.project))


def manifest_file(directory: Path) -> Path | None:
    """Return the manifest of a plugin directory: `plugin.yaml`, else `plugin.yml`, else None (statement A17)."""
    return next((directory / name for name in MANIFEST_NAMES if (directory / name).exists()), None)


def hook_file(directory: Path) -> Path | None:
    """Return the manifest of a gateway event hook; None for a plugin or any other directory."""
    file = directory / HOOK_MANIFEST
    return file if file.is_file() and manifest_file(directory) is None else None


def portable_file(directory: Path) -> Path | None:
    """Return the manifest of a portable plugin; None for other directories, and if a YAML manifest takes precedence.

    Other tools use a ``plugin.json`` too, so the file alone is not sufficient.
    """
    file = directory / PORTABLE_MANIFEST
    if manifest_file(directory) or not file.is_file():
        return None
    if any((directory / part).exists() for part in ("skills", "mcp.json")):
        return file
    try:
        return file if "agent-plugins.org" in read_text(file, root=directory) else None
    except (OSError, ValueError):
        return None


def is_complete(directory: Path) -> bool:
    """Return whether a directory is itself a plugin or an event hook, rather than a project that contains one."""
    return bool(manifest_file(directory) or hook_file(directory) or portable_file(directory))


def relative(path: Path, root: Path) -> str:
    """Return a path for messages: POSIX, relative to a directory."""
    return Path(os.path.relpath(path, root)).as_posix()
