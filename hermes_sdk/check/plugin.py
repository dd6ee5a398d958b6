"""Plugins as rules see them: the manifest and the files, each read and parsed once.

Static rules read files through `Plugin` only: the cache knows what they depend on from `Plugin.digest`.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from hermes_sdk import links
from hermes_sdk.check.source import Source
from hermes_sdk.contract.ordering import Supported
from hermes_sdk.documents import read_beginning
from hermes_sdk.manifest import Diagnostic, Located, Parsed, diagnose, guessed_kind, parse
from hermes_sdk.manifest.forms import PORTABLE_MANIFEST
from hermes_sdk.manifest.load import YamlReader, load_yaml, reading_errors
from hermes_sdk.manifest.packages import read_toml
from hermes_sdk.manifest.shell_hook import CONFIGURATIONS

# Tests are never imported by a host, and the others hold no code of the plugin.
SKIPPED_DIRECTORIES = frozenset({"__pycache__", "node_modules", "tests"})

_MAX_BYTES = 1_000_000
MAX_FILES = 20_000


class Plugin:
    """A plugin on disk.

    Attributes:
        base: The directory that paths of findings are relative to.
        reader: What reads its YAML for rules that do not look at a release; by default, what the newest releases use.
    """

    def __init__(self, located: Located, base: Path, reader: YamlReader = "ruamel") -> None:
        self.located = located
        self.base = base
        self.reader: YamlReader = reader
        self._manifests: dict[YamlReader, Parsed] = {}
        self._diagnostics: dict[YamlReader, list[Diagnostic]] = {}

    @cached_property
    def manifest(self) -> Parsed | None:
        """The parsed ``plugin.yaml``; None for a plugin that is nothing but an entry point.

        If `reader` cannot read it, it is what other releases read.
        """
        others: tuple[YamlReader, ...] = ("ruamel", "libyaml")
        found = [self.manifest_as(reader) for reader in (self.reader, *others)]
        return next((one for one in found if one and one.value is not None), found[0])

    def manifest_as(self, reader: YamlReader) -> Parsed | None:
        """Return the manifest as a reader reads it; None for a plugin that is nothing but an entry point."""
        if self.located.manifest and reader not in self._manifests:
            self._manifests[reader] = self.parse(self.located.manifest, reader)
        return self._manifests.get(reader)

    @cached_property
    def portable(self) -> Parsed | None:
        """The parsed ``plugin.json`` of a portable plugin; None for any other plugin."""
        return self.parse(self.located.portable) if self.located.portable else None

    def parse(self, file: Path, reader: YamlReader | None = None) -> Parsed:
        """Return a YAML or JSON file with the positions in it."""
        return parse(file, self.located.project, reader=reader or self.reader)

    def diagnose_as(self, reader: YamlReader) -> list[Diagnostic]:
        """Return the errors of the manifest to a reader, by place; empty when there is no manifest."""
        if reader not in self._diagnostics:
            manifest = self.manifest_as(reader)
            self._diagnostics[reader] = diagnose(manifest) if manifest else []
        return self._diagnostics[reader]

    @property
    def fields(self) -> dict[Any, Any]:
        """The fields of the manifest as the host sees them; empty when there are none."""
        value = self.manifest.value if self.manifest else None
        return value if isinstance(value, dict) else {}

    @property
    def name(self) -> str:
        """The name that the host gives the plugin: its entry point's, or the manifest's, else the directory's."""
        if self.located.form == "package":
            return self.located.name
        return str(self.fields.get("name") or self.located.directory.name)

    @property
    def supported(self) -> Supported | None:
        """The releases that the manifest admits; None if it names none, or HS127 finds that it cannot be read."""
        written = self.fields.get("requires_hermes")
        try:
            return Supported.parse(written) if isinstance(written, str) else None
        except ValueError:
            return None

    @property
    def kind(self) -> str:
        """The kind that the host takes a plugin for: what its manifest says, else what its text looks like."""
        return str(self.fields["kind"]) if "kind" in self.fields else guessed_kind(self.located.directory)

    @cached_property
    def files(self) -> tuple[Path, ...]:
        """The regular files of the plugin, without tests, environments and hidden directories; sorted."""
        outside = {*self.links_out}
        return tuple(file for file in self._all_files if file not in outside)

    @cached_property
    def links_out(self) -> tuple[Path, ...]:
        """The files of the plugin that are not read, since they are links that lead out of the project; sorted."""
        root = self.located.project
        return tuple(file for file in self._all_files if file.is_symlink() and links.leads_out(file, root))

    @cached_property
    def _all_files(self) -> tuple[Path, ...]:
        if self._module.name not in ("__init__.py", PORTABLE_MANIFEST, *CONFIGURATIONS) and not self.located.event_hook:
            return (self._module,) if self._module.is_file() else ()
        found: list[Path] = []
        for file in _files(self._module.parent):
            found.append(file)
            if len(found) == MAX_FILES:
                break
        return tuple(sorted(found))

    @cached_property
    def sources(self) -> tuple[Source, ...]:
        """The Python files among `files`."""
        return tuple(
            Source(file, self.relative(file), self._is_importable(file), self.located.project)
            for file in self.files
            if file.suffix == ".py"
        )

    @cached_property
    def pyproject(self) -> Mapping[str, Any]:
        """The content of the project's ``pyproject.toml``; empty when there is none."""
        try:
            return read_toml(self.read(self.pyproject_file))
        except ValueError:
            return {}

    @property
    def pyproject_file(self) -> Path:
        """Return where the project's ``pyproject.toml`` is, or would be."""
        return self.located.project / "pyproject.toml"

    @property
    def entry(self) -> str:
        """The path of the module that has ``register``, of the core-tool file, or of an event hook's handler.

        It is that of the manifest when there is no such module, and of shell hooks that of their configuration.
        """
        manifest = self.located.manifest or self.located.event_hook
        if manifest and not self._module.exists():
            return self.relative(manifest)
        return self.relative(self._module)

    @cached_property
    def _module(self) -> Path:
        lone = self.located.core_tool or self.located.shell_hook or self.located.portable
        if lone:
            return lone
        if self.located.event_hook:
            return self.located.directory / "handler.py"
        return self.located.module or self.located.directory / "__init__.py"

    def relative(self, path: Path) -> str:
        """A path as findings name it: POSIX, relative to what was checked."""
        if path not in self._relative_names:
            self._relative_names[path] = Path(os.path.relpath(path, self.base)).as_posix()
        return self._relative_names[path]

    @cached_property
    def _relative_names(self) -> dict[Path, str]:
        """The names given so far: each release asks for the same ones."""
        return {}

    def read(self, file: Path) -> str:
        """The beginning of one of `files`, of the manifest or of the project's file; empty when it is not there."""
        try:
            data = read_beginning(file, _MAX_BYTES, root=self.located.project)
        except OSError:
            return ""
        return data.decode("utf-8-sig", errors="replace")

    def read_yaml(self, file: Path, reader: YamlReader | None = None) -> Any:
        """The value of a YAML file among those that `read` takes; None when it is not YAML."""
        try:
            return load_yaml(self.read(file), reader or self.reader)
        except reading_errors():
            return None

    def digest(self) -> str:
        """A name for the content of everything that static rules may read."""
        import hashlib

        content = hashlib.sha256()
        for file in (*self.files, self.pyproject_file, *filter(None, [self.located.manifest])):
            content.update(f"\0{self.relative(file)}\0".encode(errors="surrogateescape"))
            with contextlib.suppress(OSError):
                content.update(read_beginning(file, 4 * _MAX_BYTES, root=self.located.project))
                status = file.stat()
                content.update(f"\0{status.st_size}\0{status.st_mode & 0o111}".encode())
        for file in self.links_out:
            content.update(f"\0{self.relative(file)}\0out".encode(errors="surrogateescape"))
        return content.hexdigest()

    def _is_importable(self, file: Path) -> bool:
        top = self._module.parent
        return all((top / folder / "__init__.py").is_file() for folder in file.relative_to(top).parents[:-1])


def _files(directory: Path) -> Iterator[Path]:
    for root, directories, files in os.walk(directory):
        directories[:] = sorted(name for name in directories if not _is_skipped(Path(root, name)))
        yield from (file for name in files if (file := Path(root, name)).is_file())


def _is_skipped(directory: Path) -> bool:
    return (
        directory.name in SKIPPED_DIRECTORIES or directory.name.startswith(".") or (directory / "pyvenv.cfg").is_file()
    )
