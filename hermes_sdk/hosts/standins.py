"""The modules of Hermes that plugins import and that the embedded host has a stand-in for."""

from __future__ import annotations

import functools
from pathlib import Path

_MODULES = Path(__file__).parent / "embedded" / "standins" / "modules"


@functools.cache
def find_standin(name: str) -> str | None:
    """Return the file that stands in for a module, or None; a package is its ``__init__.py``."""
    place = _MODULES.joinpath(*name.split("."))
    files = (place / "__init__.py", place.with_name(f"{place.name}.py"))
    return next((str(file) for file in files if file.is_file()), None)
