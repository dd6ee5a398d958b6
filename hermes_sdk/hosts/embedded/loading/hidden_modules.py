"""Which installed modules a plugin must not find: those that are installed only because hermes-sdk depends on them."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, NamedTuple

from hermes_sdk.contract import Contract
from hermes_sdk.documents import parse_toml, read_text
from hermes_sdk.manifest import EntryPoint

if TYPE_CHECKING:
    from importlib.metadata import Distribution

OURSELVES = "hermes-sdk"

_FIELD = re.compile(r"^(Name|Requires-Dist): *([A-Za-z0-9._-]+)", re.MULTILINE)


def hidden_modules(contract: Contract, project: str | None, installed: Collection[EntryPoint] = ()) -> frozenset[str]:
    """Name the top-level modules that our own dependencies bring, and neither the release nor the plugin does.

    A plugin may use the dependencies of its `project`, and what the distribution of an installed plugin requires.
    """
    from importlib.metadata import distributions

    here = [_Installed.read(distribution, installed) for distribution in distributions()]
    needs = {one.name: one.needs for one in reversed(here)}
    plugins = [one.name for one in here if one.is_plugin]
    borrowed = _closure([OURSELVES], needs) - _closure([*_dependencies(project), *plugins], needs)
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
            if self.packages and not self._depth:
                self.set_aside()


class _Installed(NamedTuple):
    """One installed distribution; `needs` has the names of what it requires, including extras."""

    name: str
    needs: list[str]
    modules: frozenset[str]
    is_plugin: bool

    @classmethod
    def read(cls, distribution: Distribution, plugins: Collection[EntryPoint]) -> _Installed:
        # The library's own properties take twenty times as long: they parse all metadata as mail, and stat each file.
        header, _, _ = (distribution.read_text("METADATA") or "").partition("\n\n")
        fields = [(field, _normal(name)) for field, name in _FIELD.findall(header)]
        return cls(
            name=next((name for field, name in fields if field == "Name"), ""),
            needs=[name for field, name in fields if field == "Requires-Dist"],
            modules=frozenset(_modules(distribution)),
            is_plugin=bool(plugins) and any((one.name, one.value) in plugins for one in distribution.entry_points),
        )


def _modules(distribution: Distribution) -> Iterator[str]:
    """Return the top-level names that a distribution declares, else those of its files."""
    yield from (declared := (distribution.read_text("top_level.txt") or "").split())
    files = () if declared else (distribution.read_text("RECORD") or "").splitlines()
    for first, inside in {line.partition(",")[0].partition("/")[:2] for line in files}:
        name = first if inside else inspect.getmodulename(first)
        if name and "." not in name:
            yield name


def _closure(names: Iterable[str], needs: Mapping[str, list[str]]) -> set[str]:
    """Return the installed distributions that these need, including themselves."""
    found: set[str] = set()
    waiting = [_normal(name) for name in names]
    while waiting:
        name = waiting.pop()
        if name in needs and name not in found:
            found.add(name)
            waiting += needs[name]
    return found


def _dependencies(project: str | None) -> list[str]:
    """Return what the ``pyproject.toml`` of a project declares, else its ``requirements.txt``."""

    if project is None:
        return []
    settings, requirements = Path(project, "pyproject.toml"), Path(project, "requirements.txt")
    try:
        listed = parse_toml(read_text(settings))["project"]["dependencies"]
    except (OSError, ValueError, KeyError):
        listed = requirements.read_text(encoding="utf-8").splitlines() if requirements.is_file() else []
    return [name for name in map(_name_of, listed) if name not in ("", OURSELVES)]


def _name_of(requirement: str) -> str:
    match = re.match(r"[A-Za-z0-9._-]+", requirement)
    return _normal(match[0]) if match else ""


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
