"""Installed modules that a plugin must not find, because they are only dependencies of hermes-sdk."""

from __future__ import annotations

import inspect
import os
import re
import sys
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, NamedTuple

from hermes_sdk.contract import Contract
from hermes_sdk.documents import parse_toml, read_text
from hermes_sdk.manifest import EntryPoint

if TYPE_CHECKING:
    from importlib.metadata import Distribution

OURSELVES = "hermes-sdk"

_REQUIREMENT = r"([A-Za-z0-9._-]+)\s*(?:\[([^\]]*)\])?"
_FIELD = rf"^(Name|Requires-Dist): *{_REQUIREMENT}(?:.*;.*\bextra *== *['\"]([^'\"]+))?"


def hidden_modules(contract: Contract, project: str | None, installed: Collection[EntryPoint] = ()) -> frozenset[str]:
    """Name the top-level modules that our own dependencies bring, and neither the release nor the plugin does.

    A plugin may use the dependencies of its `project`, and what the distribution of an installed plugin requires.
    """
    here = [one for folder in sys.path for one in _read_folder(folder, _find_change(folder))]
    needs = {one.name: one.needs for one in reversed(here)}
    plugins = [_Need(one.name) for one in here if installed and one.holds(installed)]
    ours = _closure([_Need(OURSELVES)], needs, optional=True)
    borrowed = ours - _closure([*_dependencies(project), *plugins], needs)
    lent = {module for one in here if one.name in borrowed for module in one.modules}
    others = {module for one in here if one.name not in borrowed for module in one.modules}
    return frozenset(lent - others - contract.third_party_modules)


class HiddenModules:
    """Modules that the stand-ins import and plugins must not find; `packages` has their top-level names."""

    def __init__(self, packages: frozenset[str]) -> None:
        self.packages = packages
        self._modules: dict[str, ModuleType] = {}
        self._depth = 0

    def set_aside(self) -> None:
        """Remove the modules from the process; without it, an import in a plugin would find them without a finder."""
        if not self.packages:
            return
        for name in [name for name in sys.modules if name.partition(".")[0] in self.packages]:
            # Modules of our own package stay: the host imports more of them, and must not get second copies.
            if not name.startswith("hermes_sdk."):
                self._modules[name] = sys.modules.pop(name)

    @contextmanager
    def put_back(self) -> Generator[None]:
        """Make the modules importable again while the context, which may be opened within itself, is open."""
        self._depth += 1
        sys.modules.update(self._modules)
        try:
            yield
        finally:
            self._depth -= 1
            if not self._depth:
                self.set_aside()


class _Need(NamedTuple):
    """A requirement: a distribution with some of its extras, needed only by an extra if `of_extra` names one."""

    name: str
    extras: frozenset[str] = frozenset()
    of_extra: str = ""

    @classmethod
    def of(cls, name: str, extras: str, of_extra: str = "") -> _Need:
        return cls(
            _normal(name), frozenset(_normal(one.strip()) for one in extras.split(",") if one), _normal(of_extra)
        )


class _Distribution(NamedTuple):
    """One installed distribution; `needs` has what it requires, including extras."""

    name: str
    needs: list[_Need]
    modules: frozenset[str]
    distribution: Distribution

    @classmethod
    def read(cls, distribution: Distribution) -> _Distribution:
        # The library's own properties take twenty times as long: they parse all metadata as mail, and stat each file.
        header, _, _ = (distribution.read_text("METADATA") or "").partition("\n\n")
        fields = [(field, _Need.of(*rest)) for field, *rest in re.findall(_FIELD, header, re.MULTILINE)]
        return cls(
            name=next((need.name for field, need in fields if field == "Name"), ""),
            needs=[need for field, need in fields if field == "Requires-Dist"],
            modules=frozenset(_modules(distribution)),
            distribution=distribution,
        )

    def holds(self, plugins: Collection[EntryPoint]) -> bool:
        """Return whether one of some plugins is an entry point of it."""
        return any((one.name, one.value) in plugins for one in self.distribution.entry_points)


def read_installed() -> None:
    """Read ahead what is installed, in a process that then forks for each plugin."""
    for folder in sys.path:
        _read_folder(folder, _find_change(folder))


@cache
def _read_folder(folder: str, _changed_at: int) -> tuple[_Distribution, ...]:
    """Read the distributions in a folder of packages, once until one is added or removed."""
    from importlib.metadata import distributions

    return tuple(map(_Distribution.read, distributions(path=[folder])))


def _find_change(folder: str) -> int:
    """Return when something was added to a folder or removed from it last."""
    try:
        return os.stat(folder or os.curdir).st_mtime_ns  # noqa: PTH116
    except OSError:
        return 0


def _modules(distribution: Distribution) -> Iterator[str]:
    """Return the top-level names that a distribution declares, else those of its files."""
    yield from (declared := (distribution.read_text("top_level.txt") or "").split())
    files = () if declared else (distribution.read_text("RECORD") or "").splitlines()
    for first, inside in {line.partition(",")[0].partition("/")[:2] for line in files}:
        name = first if inside else inspect.getmodulename(first)
        if name and "." not in name:
            yield name


def _closure(wanted: Iterable[_Need], needs: Mapping[str, list[_Need]], *, optional: bool = False) -> set[str]:
    """Return the installed distributions that these need, including themselves; with `optional`, by any extra."""
    found: set[tuple[str, frozenset[str]]] = set()
    waiting = list(wanted)
    while waiting:
        name, extras, _ = waiting.pop()
        if name in needs and (name, extras) not in found:
            found.add((name, extras))
            waiting += [one for one in needs[name] if optional or one.of_extra in ("", *extras)]
    return {name for name, _ in found}


def _dependencies(project: str | None) -> list[_Need]:
    """Return what the ``pyproject.toml`` of a project declares, else its ``requirements.txt``."""

    if project is None:
        return []
    settings, requirements = Path(project, "pyproject.toml"), Path(project, "requirements.txt")
    try:
        listed = parse_toml(read_text(settings))["project"]["dependencies"]
    except (OSError, ValueError, KeyError):
        listed = requirements.read_text(encoding="utf-8").splitlines() if requirements.is_file() else []
    matches = (re.match(_REQUIREMENT, requirement) for requirement in listed)
    found = [_Need.of(match[1], match[2] or "") for match in matches if match]
    return [one for one in found if one.name != OURSELVES]


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
