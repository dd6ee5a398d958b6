"""Requirements of plugins, and the packages in Python environments that meet them.

Used to hide modules from plugins on the embedded host, and to find the requirements that a real host lacks and that
``--install`` installs.
"""

from __future__ import annotations

import contextlib
import inspect
import os
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from hermes_sdk import manifest
from hermes_sdk.contract import Contract
from hermes_sdk.documents import parse_toml, read_text
from hermes_sdk.errors import UsageError
from hermes_sdk.manifest import EntryPoint, Located
from hermes_sdk.requirements import parse_requirements

if TYPE_CHECKING:
    from importlib import metadata

HOST = "hermes-agent"
OURSELVES = "hermes-sdk"

_REQUIREMENT = r"([A-Za-z0-9._-]+)\s*(?:\[([^\]]*)\])?"
_find_name = re.compile(rf"\s*{_REQUIREMENT}").match
_FIELD = rf"^(Name|Requires-Dist): *{_REQUIREMENT}(?:.*;.*\bextra *== *['\"]([^'\"]+))?"
_MANIFEST_KEYS = ("python_dependencies", "pip_dependencies")


def find_requirements(located: Located) -> tuple[str, ...]:
    """Return the requirements of a plugin.

    They come from the manifest, and from ``[project] dependencies`` or, if that is missing, ``requirements.txt``.

    Raises:
        UsageError: A requirement cannot be read.
    """
    checked = (one for place, listed in _read_declared(located) for one in check_requirements(listed, str(place)))
    return tuple(dict.fromkeys(checked))


def check_requirements(listed: Any, where: str) -> tuple[str, ...]:
    """Parse requirements, and drop hermes-agent, which is the host, and hermes-sdk, which is not needed at run time.

    Raises:
        UsageError: A requirement is not valid; `where` names the file.
    """
    parsed = parse_requirements(listed, where)
    return tuple(str(one) for one in parsed if _normalize(one.name) not in (HOST, OURSELVES))


def list_declared(located: Located) -> list[str]:
    """Return the unparsed requirements of a plugin, up to the first file that cannot be read."""
    declared: list[str] = []
    with contextlib.suppress(UsageError):
        for _, listed in _read_declared(located):
            declared += [one for one in listed if isinstance(one, str)] if isinstance(listed, list) else []
    return declared


def _read_declared(located: Located) -> Iterator[tuple[Path, Any]]:
    """Yield the lists of a plugin's requirements, with their files.

    Raises:
        UsageError: A file cannot be read.
    """
    if located.manifest:
        fields = manifest.parse(located.manifest).value
        # Hermes also ignores values that are not lists of strings.
        for listed in (fields.get(key) for key in _MANIFEST_KEYS) if isinstance(fields, dict) else ():
            yield located.manifest, [one for one in listed if isinstance(one, str)] if isinstance(listed, list) else []
    place = located.project / "pyproject.toml"
    try:
        project = parse_toml(read_text(place)).get("project") if place.is_file() else None
        if isinstance(project, dict) and "dependencies" in project:
            yield place, project["dependencies"]
            return
        for place in dict.fromkeys(folder / "requirements.txt" for folder in (located.directory, located.project)):
            if place.is_file():
                lines = (re.sub(r"(^|\s)#.*", "", line).strip() for line in read_text(place).splitlines())
                yield place, [line for line in lines if line and not line.startswith("-")]
                return
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot be read: {error}", where=str(place)) from None


def find_unmet(needed: Collection[str], folders: Iterable[str], python: str | None = None) -> dict[str, str]:
    """Return the installed version, or an empty string, for each requirement that an environment does not meet.

    Args:
        needed: The requirements.
        folders: The site-packages directories of the environment.
        python: The environment's version of Python, such as ``3.11``. Default: the running version.
    """
    if not needed:
        return {}
    from packaging.requirements import Requirement

    version = python or "{}.{}".format(*sys.version_info)
    variables = {"extra": "", "python_version": version, "python_full_version": f"{version}.0"}
    installed = _index(_read_folders(folders))
    unmet = {}
    for one in map(Requirement, needed):
        if one.marker is not None and not one.marker.evaluate(variables):
            continue
        found = installed.get(_normalize(one.name))
        extras = set(map(_normalize, one.extras))
        if (
            found is None
            or not one.specifier.contains(found.version, prereleases=True)
            or any(need.of_extra in extras and need.name not in installed for need in found.needs)
        ):
            unmet[str(one)] = found.version if found else ""
    return unmet


def find_hidden(contract: Contract, needed: Iterable[str], installed: Collection[EntryPoint] = ()) -> frozenset[str]:
    """Return the top-level modules that are installed only for hermes-sdk, which users of a plugin do not have.

    A plugin can see the dependencies of the release, the `needed` requirements, the distributions of `installed`
    plugins, packages that hermes-sdk does not depend on, and the dependencies of all these.
    """
    here = _read_folders(sys.path)
    known = _index(here)
    ours = _find_closure([_Need(OURSELVES)], known, optional=True)
    others = {name: one for name, one in known.items() if name != OURSELVES}
    visible = _find_closure(
        [
            *(_Need.of(*match.groups(default="")) for match in map(_find_name, needed) if match),
            *(
                _Need(one.name)
                for one in others.values()
                if one.name not in ours or one.modules & contract.third_party_modules or one.has_any(installed)
            ),
        ],
        others,
    )
    modules = {is_hidden: set[str]() for is_hidden in (True, False)}
    for one in here:
        modules[one.name in ours - visible].update(one.modules)
    return frozenset(modules[True] - modules[False] - contract.third_party_modules)


def read_installed() -> None:
    """Cache the installed distributions, so that a process that forks for each plugin reads them only once."""
    _read_folders(sys.path)


class _Need(NamedTuple):
    """Requirement of a distribution with extras; `of_extra` names the extra that has the requirement, if any."""

    name: str
    extras: frozenset[str] = frozenset()
    of_extra: str = ""

    @classmethod
    def of(cls, name: str, extras: str, of_extra: str = "") -> _Need:
        return cls(
            _normalize(name),
            frozenset(_normalize(one.strip()) for one in extras.split(",") if one),
            _normalize(of_extra),
        )


class _Distribution(NamedTuple):
    """An installed distribution; `needs` has its requirements, including those of extras."""

    name: str
    version: str
    needs: list[_Need]
    modules: frozenset[str]
    distribution: metadata.Distribution

    @classmethod
    def read(cls, distribution: metadata.Distribution) -> _Distribution:
        # The properties of `importlib.metadata` take twenty times as long: they parse all metadata and stat each file.
        header, _, _ = (distribution.read_text("METADATA") or "").partition("\n\n")
        fields = [(field, _Need.of(*rest)) for field, *rest in re.findall(_FIELD, header, re.MULTILINE)]
        version = re.search(r"^Version: *(\S+)", header, re.MULTILINE)
        return cls(
            name=next((need.name for field, need in fields if field == "Name"), ""),
            version=version[1] if version else "",
            needs=[need for field, need in fields if field == "Requires-Dist"],
            modules=frozenset(_list_modules(distribution)),
            distribution=distribution,
        )

    def has_any(self, plugins: Collection[EntryPoint]) -> bool:
        """Return whether the distribution has the entry point of one of these plugins."""
        return bool(plugins) and any((one.name, one.value) in plugins for one in self.distribution.entry_points)


def _read_folders(folders: Iterable[str]) -> list[_Distribution]:
    return [one for folder in folders for one in _read_folder(folder, _find_change(folder))]


@cache
def _read_folder(folder: str, _changed_at: int) -> tuple[_Distribution, ...]:
    """Read the distributions in a site-packages directory; cached until one is added or removed."""
    from importlib.metadata import distributions

    return tuple(map(_Distribution.read, distributions(path=[folder])))


def _find_change(folder: str) -> int:
    """Return the time at which an entry was last added to or removed from a directory."""
    try:
        return os.stat(folder or os.curdir).st_mtime_ns  # noqa: PTH116
    except OSError:
        return 0


def _index(distributions: Collection[_Distribution]) -> dict[str, _Distribution]:
    """Return distributions by name; the first one with a name wins, as on `sys.path`."""
    return {one.name: one for one in reversed(list(distributions))}


def _list_modules(distribution: metadata.Distribution) -> Iterator[str]:
    """Yield the top-level modules that a distribution declares, otherwise those of its files."""
    yield from (declared := (distribution.read_text("top_level.txt") or "").split())
    files = () if declared else (distribution.read_text("RECORD") or "").splitlines()
    for first, inside in {line.partition(",")[0].partition("/")[:2] for line in files}:
        name = first if inside else inspect.getmodulename(first)
        if name and "." not in name:
            yield name


def _find_closure(wanted: Iterable[_Need], known: Mapping[str, _Distribution], *, optional: bool = False) -> set[str]:
    """Return the transitive closure of requirements among the known distributions; with `optional`, for all extras."""
    closure: set[tuple[str, frozenset[str]]] = set()
    pending = list(wanted)
    while pending:
        name, extras, _ = pending.pop()
        if name in known and (name, extras) not in closure:
            closure.add((name, extras))
            pending += [one for one in known[name].needs if optional or one.of_extra in ("", *extras)]
    return {name for name, _ in closure}


def _normalize(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
