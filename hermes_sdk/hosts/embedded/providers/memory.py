"""Loader of memory providers and of their CLI commands (statements G1 to G4 and G10)."""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import logging
import sys
from collections.abc import Callable, Generator, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from hermes_sdk.contract import Behaviour
from hermes_sdk.documents import read_text
from hermes_sdk.hosts.config import disabled_plugins
from hermes_sdk.hosts.embedded.commands import CliCommand
from hermes_sdk.hosts.embedded.process.modules import execute, make_namespace_package
from hermes_sdk.hosts.embedded.providers.memory_sources import (
    find_provider,
    is_bundled,
    is_memory_provider,
    list_providers,
)
from hermes_sdk.hosts.embedded.state import HostState
from hermes_sdk.manifest.load import choose_reader, load_yaml

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

logger = logging.getLogger("plugins.memory")

NAMESPACE = "_hermes_user_memory"


MakeContext = Callable[[str, str | None], Any]
"""Creates the ``ctx`` of a memory provider, given its name and the file with its ``register``."""


class _ProviderCollector:
    """``ctx`` for a memory plugin's ``register`` that stores the provider and ignores the other three calls."""

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


class _DelegatingCollector:
    """``ctx`` of later releases: forwards calls to a real ``ctx``, except for the provider and its command (G4)."""

    def __init__(
        self, name: str, source: str | None, make_context: MakeContext, hooks: list[Any], *, with_skills: bool
    ) -> None:
        self.name = name
        self.provider: Any = None
        self._source = source
        self._make_context = make_context
        self._hooks = hooks
        self._with_skills = with_skills

    def drop_hooks(self) -> None:
        """Remove the hooks of an earlier call of the same ``register``."""
        while self._hooks:
            self._hooks.pop().dispose()

    def register_memory_provider(self, provider: Any) -> None:
        self.provider = provider

    def register_cli_command(self, *args: Any, **kwargs: Any) -> None:
        pass

    def register_skill(self, *args: Any, **kwargs: Any) -> None:
        if not self._with_skills:
            return
        try:
            self._context.register_skill(*args, **kwargs)
        except Exception as error:
            logger.debug("Memory provider '%s' failed to register skill: %s", self.name, error)

    def __getattr__(self, name: str) -> Any:
        """Return a method that forwards a registration."""
        if not name.startswith("register_"):
            raise AttributeError(name)

        def register(*args: Any, **kwargs: Any) -> Any:
            try:
                result = getattr(self._context, name)(*args, **kwargs)
            except Exception as error:
                logger.warning("Memory provider '%s' failed to %s: %s", self.name, name, error)
                return None
            if name == "register_hook" and result:
                self._hooks.append(result)
            return result

        return register

    @functools.cached_property
    def _context(self) -> Any:
        return self._make_context(self.name, self._source)


class _Loading(NamedTuple):
    """Parameters for loading a provider; `with_skills` says whether it may register skills."""

    state: HostState
    make_context: MakeContext
    with_skills: bool

    def make_collector(self, name: str, source: str | None) -> Any:
        """Create the ``ctx`` for the ``register`` of a file; later releases remove the hooks of its earlier call."""
        if not self.state.behaviour.memory_providers_register_all:
            return _ProviderCollector()
        known = self.state.memory.setdefault("hooks_of_memory_providers", {})
        hooks = known.setdefault((name, source), []) if source else []
        collector = _DelegatingCollector(name, source, self.make_context, hooks, with_skills=self.with_skills)
        if self.state.behaviour.memory_provider_hooks_replaced:
            collector.drop_hooks()
        return collector


def discover(state: HostState, make_context: MakeContext) -> list[tuple[str, str, bool]]:
    """Load each memory provider; return its name, its description, and whether it is available."""
    found = []
    for name, source in list_providers(state).items():
        available = False
        with contextlib.suppress(Exception):
            provider = load_from(source, state, make_context, with_skills=False)
            available = provider.is_available() if provider else False
        described = read_manifest(source, state.behaviour).get("description", "") if isinstance(source, Path) else ""
        found.append((name, described, available))
    return found


def read_provider_name(directory: Path, state: HostState, make_context: MakeContext) -> str | None:
    """Load a directory once as a memory provider, and return the provider's name, or None.

    A bundled provider takes precedence; its name is the name of its directory.
    """
    if is_bundled(directory, state):
        return directory.name
    known: dict[Path, str | None] = state.memory.setdefault("described_memory_providers", {})
    if directory not in known:
        found = None
        if is_memory_provider(directory, state) and not _is_disabled(directory.name, directory, state):
            loading = _Loading(state, make_context, directory.name == _read_active_name(state))
            found = _load_directory(directory, loading)
        known[directory] = _read_name(found)
    return known[directory]


def read_installed_provider_name(name: str, state: HostState, make_context: MakeContext) -> str | None:
    """Load the provider of an entry point once, and return its name, or None."""
    known: dict[str, str | None] = state.memory.setdefault("described_installed_providers", {})
    if name not in known:
        known[name] = _read_name(load(name, state, make_context))
    return known[name]


def _read_name(provider: Any) -> str | None:
    """Return the name of a provider, or None if there is no provider or name."""
    name = getattr(provider, "name", None)
    return None if name is None else str(name)


def load(name: str, state: HostState, make_context: MakeContext) -> Any:
    """Return a new instance of a provider (G1 to G4), or None if it is missing, disabled or fails to load.

    Raises:
        NotSupported: Hermes would load a bundled provider or that of a project.
    """
    source = find_provider(name, state)
    if source is None:
        return None
    if isinstance(source, Path) and _is_disabled(name, source, state):
        return None
    try:
        found = load_from(source, state, make_context, with_skills=name == _read_active_name(state))
    except Exception as error:
        state.swallow(f"memory provider {name}", error)
        logger.warning("Failed to load memory provider '%s': %s", name, error)
        return None
    if not found:
        logger.warning("Memory provider '%s' loaded but no provider instance found", name)
        return None
    return found


def load_from(source: Path | EntryPoint, state: HostState, make_context: MakeContext, *, with_skills: bool) -> Any:
    """Return a new instance of a provider, or None; errors of a directory are swallowed and logged at DEBUG level."""
    loading = _Loading(state, make_context, with_skills)
    if isinstance(source, Path):
        return _load_directory(source, loading)
    return _load_entry_point(source, loading)


def _load_directory(directory: Path, loading: _Loading) -> Any:
    """Return the provider that a directory registers, otherwise an instance of its first provider class, or None."""
    try:
        module = _load(directory, loading.state.behaviour)
    except Exception as error:
        logger.debug("Failed to load memory provider '%s': %s", directory.name, error)
        loading.state.swallow(f"memory provider {directory.name}", error)
        return None
    registered = _register(module, directory.name, loading) if hasattr(module, "register") else None
    return registered or next(_instantiate_classes(module, loading.state), None)


def _register(module: ModuleType, name: str, loading: _Loading) -> Any:
    """Call ``register`` of a module, and return the provider that it registers."""
    state, collector = loading.state, loading.make_collector(name, module.__file__)
    try:
        module.register(collector)
    except Exception as error:
        if collector.provider is None or not state.behaviour.memory_providers_register_all:
            state.swallow(f"memory provider {name}", error)
            logger.debug("register() failed for %s: %s", name, error)
            return None
        logger.warning(
            "Memory provider '%s' raised after registering (%s) — using the registered provider; later registrations"
            " were skipped",
            *(name, error),
        )
    return collector.provider


def _load_entry_point(entry_point: EntryPoint, loading: _Loading) -> Any:
    """Return the provider of an entry point: an instance, the result of a call, or a registered provider."""
    loading.state.adopt_package(entry_point.module.partition(".")[0])
    loaded, base = entry_point.load(), _find_base_class(loading.state)
    if isinstance(loaded, base):
        return loaded
    if isinstance(loaded, type) and issubclass(loaded, base):
        with contextlib.suppress(Exception):
            return loaded()
    if hasattr(loaded, "register"):
        file = getattr(loaded, "__file__", None) or _find_file(loaded.register)
        collector = loading.make_collector(entry_point.name, file)
        loaded.register(collector)
        if collector.provider:
            return collector.provider
    if not callable(loaded):
        return next(_instantiate_classes(loaded, loading.state), None)
    with contextlib.suppress(TypeError):
        result = loaded()
        if isinstance(result, base):
            return result
    collector = loading.make_collector(entry_point.name, _find_file(loaded))
    loaded(collector)
    return collector.provider


def _find_file(register: Any) -> str | None:
    return getattr(sys.modules.get(getattr(register, "__module__", "")), "__file__", None)


def _read_active_name(state: HostState) -> Any:
    section = state.config.read().get("memory")
    return section.get("provider") if isinstance(section, Mapping) else None


def _is_disabled(name: str, directory: Path, state: HostState) -> bool:
    if not state.behaviour.memory_providers_disabled:
        return False
    names = {name, directory.name, str(read_manifest(directory, state.behaviour).get("name") or "")}
    if not any(isinstance(one, str) and one in names for one in disabled_plugins(state.config.read())):
        return False
    message = "Memory provider '%s' is disabled via plugins.disabled; run `hermes plugins enable %s` or change"
    logger.warning(f"{message} memory.provider.", name, name)
    return True


def _find_base_class(state: HostState) -> Any:
    """Return the base class of providers, or an empty tuple if no plugin has imported it."""
    return state.classes.get("MemoryProvider", ())


def _instantiate_classes(namespace: Any, state: HostState) -> Iterator[Any]:
    """Yield instances of the provider classes in a namespace; skip classes that raise."""
    base = _find_base_class(state)
    for name in dir(namespace):
        one = getattr(namespace, name, None)
        if isinstance(one, type) and one is not base and issubclass(one, base):
            with contextlib.suppress(Exception):
                yield one()


def _load(directory: Path, behaviour: Behaviour) -> ModuleType:
    """Return the module of a provider; it is executed once per process, after its sibling modules."""
    name = _format_module_name(directory, directory.name, behaviour)
    known = sys.modules.get(name)
    if getattr(known, "__file__", None):
        assert known is not None
        return known
    sys.modules.setdefault(NAMESPACE, make_namespace_package(NAMESPACE))
    spec = importlib.util.spec_from_file_location(
        name, directory / "__init__.py", submodule_search_locations=[str(directory)]
    )
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    for file in sorted(directory.glob("*.py")):
        if file.name != "__init__.py" and f"{name}.{file.stem}" not in sys.modules:
            _load_sibling(f"{name}.{file.stem}", str(file), behaviour)
    try:
        spec.loader.exec_module(module)
    except Exception:
        sys.modules.pop(name, None)
        raise
    return module


def _format_module_name(directory: Path, provider: str, behaviour: Behaviour) -> str:
    """Return the name of a provider's module; on later releases, it includes a digest of the directory."""
    if not behaviour.memory_modules_by_source:
        return f"{NAMESPACE}.{provider}"
    import hashlib

    digest = hashlib.sha256(str(directory.resolve()).encode()).hexdigest()[:16]
    return f"{NAMESPACE}.{provider}__source_{digest}"


def _load_sibling(name: str, file: str, behaviour: Behaviour) -> None:
    try:
        execute(name, file)
    except Exception as error:
        logger.debug("Failed to load %s: %s", name, error)
        if behaviour.memory_siblings_removed:
            sys.modules.pop(name, None)


@contextlib.contextmanager
def fresh_process() -> Generator[None]:
    """Unload the modules of providers temporarily, as for a separate ``hermes`` process."""
    before = _pop_modules()
    try:
        yield
    finally:
        _pop_modules()
        sys.modules.update(before)


def _pop_modules() -> dict[str, ModuleType]:
    names = [name for name in sys.modules if name.partition(".")[0] == NAMESPACE]
    return {name: sys.modules.pop(name) for name in names}


def find_cli_command(state: HostState) -> CliCommand | None:
    """Return the command of the provider that ``memory.provider`` selects, from its ``cli.py`` (G10).

    Only ``cli.py`` is executed. If it fails, the provider has no command, and the error is logged only at DEBUG level.
    """
    name = _read_active_name(state)
    if not isinstance(name, str) or not name:
        return None
    directory = find_provider(name, state)
    if not isinstance(directory, Path) or not (directory / "cli.py").exists():
        return None
    try:
        module = _load_cli(directory, name, state.behaviour)
    except Exception as error:
        logger.debug("Failed to scan CLI for memory plugin '%s': %s", name, error)
        return None
    setup = getattr(module, "register_cli", None)
    if not callable(setup):
        return None
    description = read_manifest(directory, state.behaviour).get("description", "") or ""
    handler = getattr(module, f"{name}_command", None)
    if state.behaviour.memory_cli_of_honcho:
        handler = handler or getattr(module, "honcho_command", None)
    return CliCommand(name, name, description or f"Manage {name} memory plugin", setup, handler, description)


def _load_cli(directory: Path, provider: str, behaviour: Behaviour) -> ModuleType:
    name = _format_module_name(directory, provider, behaviour)
    sys.modules.setdefault(NAMESPACE, make_namespace_package(NAMESPACE))
    package = sys.modules.setdefault(name, make_namespace_package(name))
    package.__path__ = [str(directory)]
    return execute(f"{name}.cli", str(directory / "cli.py"))


def read_manifest(directory: Path, behaviour: Behaviour) -> dict[str, Any]:
    """Return the manifest of a provider, or an empty mapping if it cannot be read."""
    with contextlib.suppress(Exception):
        text = read_text(directory / "plugin.yaml", encoding="utf-8-sig")
        found = load_yaml(text, choose_reader(behaviour, in_python=True))
        return found if isinstance(found, dict) else {}
    return {}
