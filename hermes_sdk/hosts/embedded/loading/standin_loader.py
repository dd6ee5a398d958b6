"""Specs and the loader of the stand-ins; `plugin_imports` has the finders."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec, SourceFileLoader
from types import CodeType, ModuleType

from hermes_sdk.hosts.embedded.loading.hidden_modules import HiddenModules
from hermes_sdk.hosts.embedded.process.refusals import find_plugin_frame
from hermes_sdk.hosts.embedded.state import HostState
from hermes_sdk.hosts.standins import find_standin

_CODE: dict[str, CodeType | None] = {}

Refuse = Callable[[str], ImportError]
"""Called with the dotted name of an unsupported part of Hermes; returns the exception to raise."""


class Standins:
    """Finds stand-ins by the names of the modules that they replace; each has `plugins` in its ``__spec__``.

    While they are executed, they can import `hidden` modules.
    """

    def __init__(self, plugins: object, state: HostState, hidden: HiddenModules) -> None:
        self._plugins = plugins
        self._state = state
        self._contract = state.contract
        self._hidden = hidden

    def find(self, name: str, refuse: Refuse) -> ModuleSpec | None:
        """Find the stand-in for a module, or return None if there is none or the release lacks the module.

        `refuse` is called for names of the module that are not modelled.
        """
        file = find_standin(name)
        if file is None or name not in self._contract.host_modules:
            return None
        loader = _Loader(name, file, self._contract.names_in(name), refuse, self._state, self._hidden)
        package = file.endswith("__init__.py")
        spec = ModuleSpec(name, loader, origin=file, loader_state=self._plugins, is_package=package)
        spec.has_location = True
        return spec


class _Loader(SourceFileLoader):
    """Loads a stand-in, and limits it to the names that the module has in the release."""

    def __init__(
        self, name: str, file: str, names: frozenset[str], refuse: Refuse, state: HostState, hidden: HiddenModules
    ) -> None:
        super().__init__(name, file)
        self._names = names
        self._refuse = refuse
        self._state = state
        self._hidden = hidden

    def get_code(self, fullname: str) -> CodeType | None:
        """Compile the file once per process; every host executes it again."""
        if fullname not in _CODE:
            _CODE[fullname] = super().get_code(fullname)
        return _CODE[fullname]

    def exec_module(self, module: ModuleType) -> None:
        """Execute the module, and keep only the names that the release has."""
        with self._hidden.put_back():
            super().exec_module(module)
        for name in getattr(module, "__all__", ()):
            if name not in self._names:
                delattr(module, name)

        def missing(name: str) -> object:
            if name in self._names and not name.startswith("__"):
                raise self._refuse(f"{module.__name__}.{name}")
            raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")

        vars(module)["__getattr__"] = missing
        _watch(module, self._names, self._state)


def _watch(module: ModuleType, names: frozenset[str], state: HostState) -> None:
    """Record the names of a stand-in that a plugin replaces, since Hermes would use the replacement."""
    originals = dict(vars(module))

    class StandIn(ModuleType):
        def __setattr__(self, name: str, value: object) -> None:
            path = f"{module.__name__}.{name}"
            if name in originals and value is originals[name]:
                state.replaced.discard(path)
            elif name in names and find_plugin_frame(inspect.currentframe(), state.plugin_files):
                state.replaced.add(path)
            super().__setattr__(name, value)

    module.__class__ = StandIn


def set_aside(packages: frozenset[str]) -> None:
    """Remove the modules of packages from the process, including modules of the plugin's author.

    In Hermes, its own modules take precedence, so a plugin must not find other modules with these names here.
    """
    if packages.isdisjoint(sys.modules):
        return
    for name in [name for name in sys.modules if name.partition(".")[0] in packages]:
        del sys.modules[name]
