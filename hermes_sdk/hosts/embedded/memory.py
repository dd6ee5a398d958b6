"""The host's loader for memory providers, as far as it tells which provider a plugin brings (statements G1 to G4)."""

from __future__ import annotations

import logging
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from hermes_sdk.hosts.base import OnSwallowed
from hermes_sdk.hosts.embedded.loader import execute, namespace_package, slug
from hermes_sdk.manifest import guessed_kind

logger = logging.getLogger("plugins.memory")

NAMESPACE = "_hermes_user_memory"


class _ProviderCollector:
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


def provider_name(directory: Path, flags: Mapping[str, bool], on_swallowed: OnSwallowed) -> str | None:
    """Load a directory as the host loads a memory provider and return the provider's name, or None without one."""
    name = getattr(provider(directory, flags, on_swallowed), "name", None)
    return None if name is None else str(name)


def provider(directory: Path, flags: Mapping[str, bool], on_swallowed: OnSwallowed) -> Any:
    """Load a directory as the host loads a memory provider (G3, G4).

    Args:
        directory: The plugin.
        flags: The behaviour flags of the release.
        on_swallowed: Called with what fails, which the host tells at DEBUG only.

    Returns:
        The provider that it registers, else one of the first class of providers that it has; None without either.
    """
    init = directory / "__init__.py"
    if directory.name[:1] in {"_", "."} or not init.exists() or guessed_kind(directory) != "exclusive":
        return None
    collector = _ProviderCollector()
    try:
        module = _loaded(directory, init, flags)
        register = getattr(module, "register", None)
        if register is not None:
            try:
                register(collector)
            except Exception as error:
                _failed(directory, error, on_swallowed)
        if collector.provider is None:
            collector.provider = _of_class(module)
    except Exception as error:
        _failed(directory, error, on_swallowed)
    return collector.provider


def _failed(directory: Path, error: Exception, on_swallowed: OnSwallowed) -> None:
    logger.debug("Failed to load memory provider '%s': %s", directory.name, error)
    on_swallowed(f"memory provider {directory.name}", error)


def _of_class(module: ModuleType) -> Any:
    """An object of the first class in a module that inherits from the host's."""
    base = getattr(sys.modules.get("agent.memory_provider"), "MemoryProvider", None)
    if base is None:
        return None
    found = (getattr(module, name) for name in dir(module))
    classes = (one for one in found if isinstance(one, type) and one is not base and issubclass(one, base))
    first = next(classes, None)
    return None if first is None else first()


def _loaded(directory: Path, init: Path, flags: Mapping[str, bool]) -> ModuleType:
    name = f"{NAMESPACE}.{slug(directory.name)}"
    if flags["memory_namespace"]:
        sys.modules.setdefault(NAMESPACE, namespace_package(NAMESPACE))
    package = namespace_package(name)
    package.__path__ = [str(directory)]
    sys.modules[name] = package
    for file in sorted(directory.glob("*.py")):
        if file.name != "__init__.py":
            _load_sibling(f"{name}.{file.stem}", str(file))
    return execute(name, str(init), [str(directory)])


def _load_sibling(name: str, file: str) -> None:
    try:
        execute(name, file)
    except Exception as error:
        logger.debug("Failed to load %s: %s", name, error)
