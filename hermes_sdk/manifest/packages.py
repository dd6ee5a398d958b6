"""Packages of a project: entry points, and their modules in the source tree."""

from __future__ import annotations

import configparser
import functools
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from hermes_sdk import links
from hermes_sdk.documents import parse_toml, read_text
from hermes_sdk.errors import UsageError

ENTRY_POINT_GROUP = "hermes_agent.plugins"
MEMORY_GROUP = "hermes_agent.memory_providers"
GROUPS = (ENTRY_POINT_GROUP, MEMORY_GROUP)
"""The groups of entry points in which Hermes looks for plugins."""

_IGNORED_DIRECTORIES = frozenset({"build", "dist", "env", "node_modules", "site-packages", "test", "tests", "venv"})
_IGNORED_FILES = frozenset({"conftest.py", "noxfile.py", "setup.py", "tasks.py"})

_BASES = (
    ("setuptools", "packages", "find", "where"),
    ("hatch", "build", "sources"),
    ("hatch", "build", "targets", "wheel", "sources"),
    ("uv", "build-backend", "module-root"),
    ("pdm", "build", "package-dir"),
)
"""Settings below ``tool`` that name the directories with packages."""


class EntryPoint(NamedTuple):
    """An entry point of the group ``hermes_agent.plugins``, such as ``EntryPoint("notes", "team_notes")``."""

    name: str
    value: str

    @property
    def module(self) -> str:
        """The dotted name of the module."""
        return self.value.partition(":")[0].strip()


class Packages:
    """The packages of a project according to its build backend's settings, or those of an unpacked wheel.

    Args:
        root: The project, or the directory of an unpacked wheel.
        settings: The content of its ``pyproject.toml``.

    Attributes:
        entry_points: The values of entry points, by group and name.
    """

    def __init__(self, root: Path, settings: Mapping[str, Any]) -> None:
        self.root = root
        self._settings = settings
        self._setup = _parse_ini(_read_text(root / "setup.cfg", root))
        self._wheel = None if settings else _find_dist_info(root)
        self.entry_points = self._read_entry_points()

    @classmethod
    def read(cls, root: Path) -> Packages:
        """Read the settings of a project.

        Raises:
            UsageError: The settings cannot be read.
        """
        return cls(root, read_settings(root / "pyproject.toml"))

    @property
    def facts(self) -> dict[str, str]:
        """The name, version and description of the project; the version is 0 if only the build backend knows it."""
        found = {**table(self._settings, "tool", "poetry"), **table(self._settings, "project")}
        if self._wheel:
            from email.parser import HeaderParser

            header = HeaderParser().parsestr(_read_text(self._wheel / "METADATA", self.root))
            found = {"name": header["Name"], "version": header["Version"], "description": header["Summary"]}
        default = {"name": "project", "version": "0", "description": ""}
        return {key: " ".join(str(found.get(key) or text).split()) for key, text in default.items()}

    def find(self, module: str) -> Path | None:
        """Return the file of a module; None if it is not in the source tree."""
        for path in self._list_places(module):
            for file in (path / "__init__.py", path.with_name(f"{path.name}.py")):
                if file.is_file() and not links.leads_out(file, self.root):
                    return file
        return None

    def list_links(self, module: str) -> Mapping[Path, Path]:
        """Return the modules and packages that an installation makes importable along with a module.

        Returns:
            The files and directories of the project by their path in ``site-packages``.
        """
        found = {Path(*name.split(".")): place for name, place in self._mapped.items() if name}
        file = self.find(module)
        if file is None or any(file.is_relative_to(place) for place in found.values()):
            return found
        base = next(base for base in self._bases if file.is_relative_to(base))
        for place in sorted(base.iterdir()):
            is_module = place.suffix == ".py" and place.name not in _IGNORED_FILES
            is_package = place.is_dir() and "." not in place.name and place.name not in _IGNORED_DIRECTORIES
            if (is_module or is_package) and not links.leads_out(place, self.root):
                found.setdefault(Path(place.name), place)
        return found

    @property
    def searched(self) -> str:
        """The directories searched for modules, relative to the project."""
        places = dict.fromkeys([*self._mapped.values(), *self._bases])
        return ", ".join(place.relative_to(self.root).as_posix() for place in places if place.is_relative_to(self.root))

    def _list_places(self, module: str) -> Iterator[Path]:
        parts = module.split(".")
        for count in range(len(parts), 0, -1):
            prefix = ".".join(parts[:count])
            if prefix in self._mapped:
                yield self._mapped[prefix].joinpath(*parts[count:])
        yield from (base.joinpath(*parts) for base in self._bases)

    @property
    def _bases(self) -> list[Path]:
        """The directories to import from, most likely first."""
        named = [
            self._mapped.get(""),
            *(self.root / str(one["from"]) for one in self._list_poetry() if "from" in one),
            *(
                self.root / name
                for *keys, key in _BASES
                for name in _list_strings(table(self._settings, "tool", *keys), key)
            ),
        ]
        places = dict.fromkeys([*filter(None, named), self.root / "src", self.root])
        return [place for place in places if place.is_dir() and not links.leads_out(place, self.root)]

    @property
    def _mapped(self) -> dict[str, Path]:
        """The directories that settings assign to packages, by dotted name; "" is the default for all others."""
        found = {**self._map_setuptools(), **self._map_hatch()}
        places = {name: Path(os.path.normpath(self.root / place)) for name, place in found.items()}
        return {name: one for name, one in places.items() if one.is_dir() and not links.leads_out(one, self.root)}

    def _map_setuptools(self) -> dict[str, str]:
        lines = self._setup.get("options", "package_dir", fallback="").splitlines()
        declared = [line.partition("=")[::2] for line in lines if "=" in line]
        named = table(self._settings, "tool", "setuptools", "package-dir")
        pairs = [*((name.strip(), place.strip()) for name, place in declared), *named.items()]
        return {name: place for name, place in pairs if isinstance(place, str)}

    def _map_hatch(self) -> dict[str, str]:
        found: dict[str, str] = {}
        build = table(self._settings, "tool", "hatch", "build")
        for settings in (build, table(build, "targets", "wheel")):
            for place in _list_strings(settings, "packages"):
                found[Path(place).name] = place
            moved = {**table(settings, "sources"), **table(settings, "force-include")}
            found |= {str(name).strip("/").replace("/", "."): place for place, name in moved.items()}
        return found

    def _list_poetry(self) -> list[dict[str, Any]]:
        listed = table(self._settings, "tool", "poetry").get("packages")
        return [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []

    def _read_entry_points(self) -> dict[str, dict[str, str]]:
        found: dict[str, dict[str, str]] = {}
        for path in (("project", "entry-points"), ("tool", "poetry", "plugins")):
            for group, named in table(self._settings, *path).items():
                values = named.items() if isinstance(named, dict) else ()
                found.setdefault(group, {}).update({name: one for name, one in values if isinstance(one, str)})
        if self._setup.has_section("options.entry_points"):
            for group, text in self._setup["options.entry_points"].items():
                pairs = [line.partition("=")[::2] for line in text.splitlines() if "=" in line]
                found.setdefault(group, {}).update({name.strip(): value.strip() for name, value in pairs})
        if self._wheel:
            parser = _parse_ini(_read_text(self._wheel / "entry_points.txt", self.root))
            found |= {group: dict(parser[group]) for group in parser.sections()}
        return found


@functools.lru_cache(maxsize=8)
def read_toml(text: str) -> Mapping[str, Any]:
    """Return the content of a ``pyproject.toml``; callers must not change it, since it is cached.

    Raises:
        ValueError: The text is not valid TOML.
    """
    return parse_toml(text)


def read_settings(pyproject: Path) -> Mapping[str, Any]:
    """Read a ``pyproject.toml``; empty if it does not exist.

    Raises:
        UsageError: The file cannot be read.
    """
    if pyproject.exists() and not pyproject.is_file():
        raise UsageError("cannot read the project's settings: not a file", where=str(pyproject))
    try:
        return read_toml(read_text(pyproject, root=pyproject.parent))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read the project's settings: {error}", where=str(pyproject)) from error


def _find_dist_info(root: Path) -> Path | None:
    """Return the ``.dist-info`` of a wheel unpacked in a directory; None for any other directory."""
    found = [place for place in root.iterdir() if place.suffix == ".dist-info"]
    return found[0] if len(found) == 1 else None


def _read_text(file: Path, root: Path) -> str:
    """Read a text file of a project; empty if it does not exist or cannot be read."""
    try:
        return read_text(file, root=root)
    except (OSError, ValueError):
        return ""


def _parse_ini(text: str) -> configparser.ConfigParser:
    """Parse a file in INI format; empty if it is not valid."""
    parser = configparser.ConfigParser(delimiters=("=",), interpolation=None, strict=False)
    parser.optionxform = str  # type: ignore[assignment]  # Preserve the case of entry points.
    try:
        parser.read_string(text)
    except configparser.Error:
        return configparser.ConfigParser()
    return parser


def table(value: Any, *keys: str) -> dict[str, Any]:
    """Return a nested table; empty if it is missing or not a table."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def _list_strings(table: Mapping[str, Any], key: str) -> list[str]:
    """Return a string, or the strings in a list."""
    value = table.get(key)
    listed = value if isinstance(value, list) else [value]
    return [one for one in listed if isinstance(one, str)]
