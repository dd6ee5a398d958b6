"""Stand-ins of the embedded host for modules of Hermes that plugins import."""

from __future__ import annotations

import functools
from pathlib import Path

_MODULES = Path(__file__).parent / "embedded" / "standins" / "modules"


@functools.cache
def find_standin(name: str) -> str | None:
    """Return the file of the stand-in for a module, or None; for a package, its ``__init__.py``."""
    place = _MODULES.joinpath(*name.split("."))
    files = (place / "__init__.py", place.with_name(f"{place.name}.py"))
    return next((str(file) for file in files if file.is_file()), None)
