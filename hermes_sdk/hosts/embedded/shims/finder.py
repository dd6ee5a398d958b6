"""The finder of the stand-ins, which is there as long as its host is open."""

from __future__ import annotations

import functools
import sys
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path

from hermes_sdk.hosts.embedded.shims.lent import Lent

_MODULES = Path(__file__).parent / "modules"


class Standins:
    """Finds stand-ins under the names of the modules that they stand in for.

    Args:
        lent: What the host lends to them.
    """

    def __init__(self, lent: Lent) -> None:
        self._lent = lent

    def find(self, name: str) -> ModuleSpec | None:
        """Find the stand-in for a module; None when there is none, or when the release has no such module."""
        file = _file(name)
        if file is None or name not in self._lent.contract.host_modules:
            return None
        search: list[str] | None = [] if file.endswith("__init__.py") else None
        loader = SourceFileLoader(name, file)
        spec = spec_from_file_location(name, file, loader=loader, submodule_search_locations=search)
        if spec is not None:
            spec.loader_state = self._lent
        return spec


def set_aside(packages: frozenset[str]) -> None:
    """Take modules with names of the host out of the process, be they the host's own or the author's.

    In the host its own modules come first, so a plugin must not get others of the same name here.
    """
    if packages.isdisjoint(sys.modules):
        return
    for name in [name for name in sys.modules if name.partition(".")[0] in packages]:
        del sys.modules[name]


@functools.cache
def _file(name: str) -> str | None:
    place = _MODULES.joinpath(*name.split("."))
    return next(
        (str(file) for file in (place / "__init__.py", place.with_name(f"{place.name}.py")) if file.is_file()), None
    )
