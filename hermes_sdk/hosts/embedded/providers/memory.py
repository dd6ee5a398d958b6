"""The host's loader for memory providers, and for the CLI command of one (statements G1 to G4 and G10)."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.util
import logging
import sys
from collections.abc import Callable, Generator, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import yaml

from hermes_sdk.contract import Behaviour
from hermes_sdk.hosts.config import disabled_plugins
from hermes_sdk.hosts.embedded.commands import CliCommand
from hermes_sdk.hosts.embedded.process.environment import truthy
from hermes_sdk.hosts.embedded.process.modules import execute, namespace_package
from hermes_sdk.hosts.embedded.state import HostState
from hermes_sdk.hosts.interface.memory import is_provider

logger = logging.getLogger("plugins.memory")

NAMESPACE = "_hermes_user_memory"

_ENTRY_POINTS = "hermes_agent.memory_providers"


MakeContext = Callable[[str], Any]
"""Makes the ``ctx`` of a memory provider, given its name."""


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


class _DelegatingCollector:
    """What later hosts pass: calls but those of the provider and of its command reach a real ``ctx`` (G4)."""

    def __init__(self, name: str, make_context: MakeContext, hooks: list[Any], *, with_skills: bool) -> None:
        self.name = name
        self.provider: Any = None
        self._make_context = make_context
        self._hooks = hooks
        self._with_skills = with_skills

    def drop_hooks(self) -> None:
        """Undo what an earlier call of the same ``register`` hooked."""
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
        """Serve the other methods that register something."""
        if not name.startswith("register_"):
            raise AttributeError(name)

        def register(*args: Any, **kwargs: Any) -> Any:
            try:
                made = getattr(self._context, name)(*args, **kwargs)
            except Exception as error:
                logger.warning("Memory provider '%s' failed to %s: %s", self.name, name, error)
                return None
            if name == "register_hook" and made:
                self._hooks.append(made)
            return made

        return register

    @functools.cached_property
    def _context(self) -> Any:
        return self._make_context(self.name)


def provider_name(directory: Path, state: HostState, make_context: MakeContext) -> str | None:
    """Load a directory once as the host loads a memory provider and return the provider's name, or None without one."""
    known: dict[Path, str | None] = state.memory.setdefault("described_memory_providers", {})
    if directory not in known:
        name = getattr(provider(directory, state, make_context), "name", None)
        known[directory] = None if name is None else str(name)
    return known[directory]


def provider_directory(home: Path, name: str, behaviour: Behaviour) -> Path:
    """Return the directory of a provider, in ``plugins``; only documents promise one in ``plugins/memory`` (Δ40)."""
    promised = home / "plugins" / "memory" / name
    if behaviour.user_memory_providers_first and is_provider(promised):
        return promised
    return home / "plugins" / name


def provider(directory: Path, state: HostState, make_context: MakeContext) -> Any:
    """Load a directory as the host loads a memory provider (G3, G4); failures, which the host logs at DEBUG, are noted.

    Returns:
        The provider that it registers, else one of its first class of providers; None without either.

    Raises:
        NotSupported: The host would load a provider of a project or of an installed package.
    """
    if not is_provider(directory):
        _refuse_other_places(directory.name, state)
        return None
    if _is_disabled(directory, state):
        return None
    try:
        module = _load(directory, state.behaviour)
    except Exception as error:
        logger.debug("Failed to load memory provider '%s': %s", directory.name, error)
        state.swallow(f"memory provider {directory.name}", error)
        return None
    registered = _register(module, directory, state, make_context) if hasattr(module, "register") else None
    return registered or next(_instantiate_classes(module), None)


def _refuse_other_places(name: str, state: HostState) -> None:
    if not state.behaviour.memory_providers_register_all:
        return
    project = state.cwd / ".hermes" / "plugins" / name
    if truthy("HERMES_ENABLE_PROJECT_PLUGINS") and is_provider(project):
        raise state.unsupported(f"load the memory provider {name!r} of a project")
    if not state.pythonpath:
        return
    from importlib.metadata import distributions

    for distribution in distributions(path=[str(place) for place in state.pythonpath]):
        if distribution.entry_points.select(group=_ENTRY_POINTS, name=name):
            raise state.unsupported(f"load the memory provider {name!r} by its entry point")


def _register(module: ModuleType, directory: Path, state: HostState, make_context: MakeContext) -> Any:
    """Let a provider register, and return what it registers as the provider."""
    name, behaviour = directory.name, state.behaviour
    if not behaviour.memory_providers_register_all:
        collector: Any = _ProviderCollector()
    else:
        hooks = state.memory.setdefault("hooks_of_memory_providers", {}).setdefault(directory, [])
        collector = _DelegatingCollector(name, make_context, hooks, with_skills=name == _active_name(state))
        if behaviour.memory_provider_hooks_replaced:
            collector.drop_hooks()
    try:
        module.register(collector)
    except Exception as error:
        if collector.provider is None or not behaviour.memory_providers_register_all:
            state.swallow(f"memory provider {name}", error)
            logger.debug("register() failed for %s: %s", name, error)
            return None
        logger.warning(
            "Memory provider '%s' raised after registering (%s) — using the registered provider; later registrations"
            " were skipped",
            *(name, error),
        )
    return collector.provider


def _active_name(state: HostState) -> Any:
    section = state.config.read().get("memory")
    return section.get("provider") if isinstance(section, Mapping) else None


def _is_disabled(directory: Path, state: HostState) -> bool:
    if not state.behaviour.memory_providers_disabled:
        return False
    names = {directory.name, manifest_of(directory).get("name")}
    if not any(isinstance(name, str) and name in names for name in disabled_plugins(state.config.read())):
        return False
    told = "Memory provider '%s' is disabled via plugins.disabled; run `hermes plugins enable %s` or change"
    logger.warning(f"{told} memory.provider.", directory.name, directory.name)
    return True


def _instantiate_classes(module: ModuleType) -> Iterator[Any]:
    """Yield objects of a module's subclasses of the host's class; a class that cannot be called is skipped."""
    base = getattr(sys.modules.get("agent.memory_provider"), "MemoryProvider", None)
    if base is None:
        return
    for name in dir(module):
        one = getattr(module, name, None)
        if isinstance(one, type) and one is not base and issubclass(one, base):
            with contextlib.suppress(Exception):
                yield one()


def _load(directory: Path, behaviour: Behaviour) -> ModuleType:
    """Return the module of a provider, which is executed once in a process, after those beside it."""
    name = _module_name(directory, behaviour)
    known = sys.modules.get(name)
    if getattr(known, "__file__", None):
        assert known is not None
        return known
    if behaviour.memory_namespace:
        sys.modules.setdefault(NAMESPACE, namespace_package(NAMESPACE))
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


def _module_name(directory: Path, behaviour: Behaviour) -> str:
    """Return the name of a provider's module; later hosts tell providers of one name apart by their place."""
    if not behaviour.memory_modules_by_source:
        return f"{NAMESPACE}.{directory.name}"
    digest = hashlib.sha256(str(directory.resolve()).encode()).hexdigest()[:16]
    return f"{NAMESPACE}.{directory.name}__source_{digest}"


def _load_sibling(name: str, file: str, behaviour: Behaviour) -> None:
    try:
        execute(name, file)
    except Exception as error:
        logger.debug("Failed to load %s: %s", name, error)
        if behaviour.memory_siblings_removed:
            sys.modules.pop(name, None)


@contextlib.contextmanager
def fresh_process() -> Generator[None]:
    """Set the modules of providers aside, as for a separate ``hermes`` process."""
    before = _take_modules()
    try:
        yield
    finally:
        _take_modules()
        sys.modules.update(before)


def _take_modules() -> dict[str, ModuleType]:
    names = [name for name in sys.modules if name.partition(".")[0] == NAMESPACE]
    return {name: sys.modules.pop(name) for name in names}


def cli_command(state: HostState) -> CliCommand | None:
    """Return the command of the provider that ``memory.provider`` selects, from the ``cli.py`` beside it (G10).

    Only ``cli.py`` is executed. A failure there leaves the provider without a command, and is logged at DEBUG only.
    """
    name = _active_name(state)
    if not isinstance(name, str) or not name:
        return None
    directory = provider_directory(state.home.path, name, state.behaviour)
    if not is_provider(directory) or not (directory / "cli.py").exists():
        return None
    try:
        module = _load_cli(directory, state.behaviour)
    except Exception as error:
        logger.debug("Failed to scan CLI for memory plugin '%s': %s", name, error)
        return None
    setup = getattr(module, "register_cli", None)
    if not callable(setup):
        return None
    description = manifest_of(directory).get("description", "") or ""
    handler = getattr(module, f"{name}_command", None)
    if state.behaviour.memory_cli_of_honcho:
        handler = handler or getattr(module, "honcho_command", None)
    return CliCommand(name, name, description or f"Manage {name} memory plugin", setup, handler, description)


def _load_cli(directory: Path, behaviour: Behaviour) -> ModuleType:
    name = _module_name(directory, behaviour)
    if behaviour.memory_namespace:
        sys.modules.setdefault(NAMESPACE, namespace_package(NAMESPACE))
        package = sys.modules.setdefault(name, namespace_package(name))
        package.__path__ = [str(directory)]
    return execute(f"{name}.cli", str(directory / "cli.py"))


def manifest_of(directory: Path) -> dict[str, Any]:
    """Return the manifest of a provider; empty when it cannot be read."""
    with contextlib.suppress(Exception):
        found = yaml.safe_load((directory / "plugin.yaml").read_text(encoding="utf-8-sig"))
        return found if isinstance(found, dict) else {}
    return {}
