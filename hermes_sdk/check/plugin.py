"""The manifest and the files of a plugin, each read and parsed once.

Static rules read files only through `Plugin`, because the key of the cache is `Plugin.digest`.
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

# Hermes never imports tests, and the other directories contain no code of the plugin.
SKIPPED_DIRECTORIES = frozenset({"__pycache__", "node_modules", "tests"})

_MAX_BYTES = 1_000_000
MAX_FILES = 20_000


class Plugin:
    """A plugin on disk.

    Attributes:
        base: The directory that paths of findings are relative to.
        reader: The YAML reader for rules that do not depend on a release; by default, that of the newest releases.
    """

    def __init__(self, located: Located, base: Path, reader: YamlReader = "ruamel") -> None:
        self.located = located
        self.base = base
        self.reader: YamlReader = reader
        self._manifests: dict[YamlReader, Parsed] = {}
        self._diagnostics: dict[YamlReader, list[Diagnostic]] = {}

    @cached_property
    def manifest(self) -> Parsed | None:
        """The parsed ``plugin.yaml``; None for a plugin that consists of an entry point alone.

        If `reader` cannot read it, the reader of other releases does.
        """
        others: tuple[YamlReader, ...] = ("ruamel", "libyaml")
        found = [self.manifest_as(reader) for reader in (self.reader, *others)]
        return next((one for one in found if one and one.value is not None), found[0])

    def manifest_as(self, reader: YamlReader) -> Parsed | None:
        """Parse the manifest with a reader; None for a plugin that consists of an entry point alone."""
        if self.located.manifest and reader not in self._manifests:
            self._manifests[reader] = self.parse(self.located.manifest, reader)
        return self._manifests.get(reader)

    @cached_property
    def portable(self) -> Parsed | None:
        """The parsed ``plugin.json`` of a portable plugin; None for any other plugin."""
        return self.parse(self.located.portable) if self.located.portable else None

    def parse(self, file: Path, reader: YamlReader | None = None) -> Parsed:
        """Parse a YAML or JSON file and keep the positions of its keys."""
        return parse(file, self.located.project, reader=reader or self.reader)

    def diagnose_as(self, reader: YamlReader) -> list[Diagnostic]:
        """Return the problems of the manifest with a reader, in the order of the file; empty without a manifest."""
        if reader not in self._diagnostics:
            manifest = self.manifest_as(reader)
            self._diagnostics[reader] = diagnose(manifest) if manifest else []
        return self._diagnostics[reader]

    @property
    def fields(self) -> dict[Any, Any]:
        """The fields of the manifest as the host reads them; empty if there are none."""
        value = self.manifest.value if self.manifest else None
        return value if isinstance(value, dict) else {}

    @property
    def name(self) -> str:
        """The host's name for the plugin: that of the entry point or the manifest, else of the directory."""
        if self.located.form == "package":
            return self.located.name
        return str(self.fields.get("name") or self.located.directory.name)

    @property
    def supported(self) -> Supported | None:
        """The range in `requires_hermes`; None if it is missing or invalid (HS127)."""
        written = self.fields.get("requires_hermes")
        try:
            return Supported.parse(written) if isinstance(written, str) else None
        except ValueError:
            return None

    @property
    def kind(self) -> str:
        """The kind in the manifest, else the kind that the host guesses from the source text."""
        return str(self.fields["kind"]) if "kind" in self.fields else guessed_kind(self.located.directory)

    @cached_property
    def files(self) -> tuple[Path, ...]:
        """The regular files of the plugin, without tests, environments and hidden directories; sorted."""
        outside = {*self.outside_links}
        return tuple(file for file in self._all_files if file not in outside)

    @cached_property
    def outside_links(self) -> tuple[Path, ...]:
        """Symbolic links of the plugin that lead out of the project and are not read; sorted."""
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
        """The path of the project's ``pyproject.toml``, which may not exist."""
        return self.located.project / "pyproject.toml"

    @property
    def entry(self) -> str:
        """The path of the module with ``register``, of the core-tool file, or of an event hook's handler.

        If there is no such module, it is the manifest; for shell hooks, it is their configuration.
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
        """Return the path for findings: POSIX, and relative to the checked directory."""
        if path not in self._relative_names:
            self._relative_names[path] = Path(os.path.relpath(path, self.base)).as_posix()
        return self._relative_names[path]

    @cached_property
    def _relative_names(self) -> dict[Path, str]:
        """Cache of `relative`, since the rules for each release use the same paths."""
        return {}

    def read(self, file: Path) -> str:
        """Read the first megabyte of a file of the plugin or the project; return an empty text if it is missing."""
        try:
            data = read_beginning(file, _MAX_BYTES, root=self.located.project)
        except OSError:
            return ""
        return data.decode("utf-8-sig", errors="replace")

    def read_yaml(self, file: Path, reader: YamlReader | None = None) -> Any:
        """Load a YAML file of the plugin; return None if it is not valid YAML."""
        try:
            return load_yaml(self.read(file), reader or self.reader)
        except reading_errors():
            return None

    def digest(self) -> str:
        """Return a digest of all files that static rules may read."""
        import hashlib

        content = hashlib.sha256()
        for file in (*self.files, self.pyproject_file, *filter(None, [self.located.manifest])):
            content.update(f"\0{self.relative(file)}\0".encode(errors="surrogateescape"))
            with contextlib.suppress(OSError):
                content.update(read_beginning(file, 4 * _MAX_BYTES, root=self.located.project))
                status = file.stat()
                content.update(f"\0{status.st_size}\0{status.st_mode & 0o111}".encode())
        for file in self.outside_links:
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
