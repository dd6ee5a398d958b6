"""The host's loader for memory providers, as far as it tells which provider a plugin brings (statements G1 to G4)."""

from __future__ import annotations

import logging
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hermes_sdk.hosts.embedded.loader import execute, namespace_package, slug
from hermes_sdk.manifest import guessed_kind

logger = logging.getLogger("plugins.memory")

NAMESPACE = "_hermes_user_memory"


class Collector:
    """What a memory plugin's ``register`` receives: it keeps the provider and ignores the other three calls."""

    def __init__(self) -> None:
        self.provider: Any = None

    def register_memory_provider(self, provider: Any) -> None:
        self.provider = provider

    def register_tool(self, *args: Any, **kwargs: Any) -> None:
        pass

    def register_hook(self, *args: Any, **kwargs: Any) -> None:
        pass

    def register_cli_command(self, *args: Any, **kwargs: Any) -> None:
        pass


def provider_name(directory: Path, flags: Mapping[str, bool]) -> str | None:
    """Load a directory as the host loads a memory provider and return the provider's name, or None without one.

    Failures are logged at DEBUG only, as there.
    """
    init = directory / "__init__.py"
    if directory.name[:1] in {"_", "."} or not init.exists():
        return None
    if guessed_kind(directory) != "exclusive":
        return None
    collector = Collector()
    try:
        _load(directory, init, collector, flags)
    except Exception as error:
        logger.debug("Failed to load memory provider '%s': %s", directory.name, error)
    name = getattr(collector.provider, "name", None)
    return None if name is None else str(name)


def _load(directory: Path, init: Path, collector: Collector, flags: Mapping[str, bool]) -> None:
    name = f"{NAMESPACE}.{slug(directory.name)}"
    if flags["memory_namespace"]:
        sys.modules.setdefault(NAMESPACE, namespace_package(NAMESPACE))
    package = namespace_package(name)
    package.__path__ = [str(directory)]
    sys.modules[name] = package
    for file in sorted(directory.glob("*.py")):
        if file.name != "__init__.py":
            _load_sibling(f"{name}.{file.stem}", str(file))
    register = getattr(execute(name, str(init), [str(directory)]), "register", None)
    if register is not None:
        register(collector)


def _load_sibling(name: str, file: str) -> None:
    try:
        execute(name, file)
    except Exception as error:
        logger.debug("Failed to load %s: %s", name, error)
