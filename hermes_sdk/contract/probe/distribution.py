"""What the installed distribution consists of: its modules, its bundled plugins, and the packages beside it."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# Tools that make environments put these there; hermes-agent does not ask for them.
INSTALLERS = {"pip", "setuptools", "uv", "wheel"}


def sections() -> dict[str, Any]:
    """Return the sections that come from installed files."""
    host = importlib.metadata.distribution("hermes-agent")
    return {
        "requires_python": host.metadata["Requires-Python"],
        "host_modules": host_modules(),
        "third_party_modules": third_party_modules(),
        "bundled_plugins": bundled_plugins(),
    }


def python_files() -> dict[str, Path]:
    """The modules of hermes-agent: dotted name to file."""
    return {".".join(parts): path for parts, path in _python_files()}


def _python_files() -> Iterator[tuple[tuple[str, ...], Path]]:
    for file in importlib.metadata.files("hermes-agent") or ():
        if file.suffix != ".py":
            continue
        parts = file.with_suffix("").parts
        if parts[-1] == "__init__":
            parts = parts[:-1]
        if parts and all(part.isidentifier() for part in parts):
            yield parts, Path(str(file.locate()))


def host_modules() -> list[str]:
    """Dotted names that can be imported, packages without an `__init__` included."""
    return sorted({".".join(parts[:length]) for parts, _ in _python_files() for length in range(1, len(parts) + 1)})


def third_party_modules() -> list[str]:
    """Top-level import names of every other distribution in this environment."""
    found = set()
    for name, distributions in importlib.metadata.packages_distributions().items():
        if name.isidentifier() and not {*distributions} <= {*INSTALLERS, "hermes-agent"}:
            found.add(name)
    return sorted(found)


def bundled_plugins() -> dict[str, Any]:
    """The plugins that the release ships, by directory: name, kind and keys of their manifests."""
    import yaml

    found = {}
    for file in importlib.metadata.files("hermes-agent") or ():
        if file.parts[0] == "plugins" and file.name in ("plugin.yaml", "plugin.yml"):
            manifest = yaml.safe_load(Path(str(file.locate())).read_text(encoding="utf-8"))
            directory = "/".join(file.parts[1:-1])
            found[directory] = {"name": manifest.get("name"), "kind": manifest.get("kind"), "keys": sorted(manifest)}
    return found
