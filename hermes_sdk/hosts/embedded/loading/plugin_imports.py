"""Import rules for plugins, and a record of unsupported modules of Hermes.

The embedded host has stand-ins for some modules of Hermes (only the real host has all modules), and hides our own
dependencies from plugins.
"""

from __future__ import annotations

import contextlib
import inspect
import os
import sys
from collections import defaultdict
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from itertools import accumulate
from pathlib import Path
from types import FrameType, ModuleType
from typing import NamedTuple

import hermes_sdk
from hermes_sdk.contract import Contract
from hermes_sdk.contract.host_modules import find_replacement, is_public
from hermes_sdk.hosts.bundled_plugins import find_bundled_name
from hermes_sdk.hosts.embedded.loading import standin_loader
from hermes_sdk.hosts.embedded.loading.hidden_modules import HiddenModules
from hermes_sdk.hosts.embedded.loading.standin_loader import Standins, set_aside
from hermes_sdk.hosts.embedded.plugin import PluginManifest
from hermes_sdk.hosts.embedded.process.refusals import find_plugin_frame
from hermes_sdk.hosts.embedded.state import HostState, is_within

HOST_DEPENDENCIES = "The extra hermes-sdk[host-deps] installs those that plugins use most"


class OwnModules:
    """Finds modules of bundled plugins; `packages` contains the directories of copies by their dotted names."""

    def __init__(self, contract: Contract, packages: Mapping[str, Path]) -> None:
        self._contract = contract
        self._packages = dict(packages)

    def add(self, directory: Path) -> None:
        """Add a directory if it is in a tree of Hermes Agent."""
        name = find_bundled_name(directory)
        if name is not None:
            self._packages[name] = directory

    def find(self, name: str) -> ModuleSpec | None:
        """Find a module of the release, or return None if no plugin here contains it."""
        if name not in self._contract.host_modules:
            return None
        for package, directory in self._packages.items():
            if f"{package}.".startswith(f"{name}.") and package != name:
                return ModuleSpec(name, None, is_package=True)
            if self._is_within(name, package):
                place = directory.joinpath(*name[len(package) :].split(".")[1:])
                for file in (place / "__init__.py", place.with_suffix(".py")):
                    if file.is_file():
                        return spec_from_file_location(name, file)
        return None

    def has(self, name: str) -> bool:
        """Return whether a module belongs to these plugins."""
        return any(self._is_within(name, package) for package in self._packages)

    @staticmethod
    def _is_within(name: str, package: str) -> bool:
        return name == package or name.startswith(f"{package}.")


def describe_unmodelled(name: str, release: str) -> str:
    """Explain that a module or name of Hermes is not modelled, and suggest a public alternative if there is one."""
    what = f"{name} of Hermes Agent {release} is not modelled by the embedded host"
    if is_public(name):
        return f"{what}; it is public, so use the real host for this plugin"
    instead = find_replacement(name)
    advice = f"use {instead}, or the real host for this plugin" if instead else "use the real host for this plugin"
    return f"{what}; it is internal to the host and changes without notice: {advice}"


@dataclass
class Gaps:
    """Unmet requests of plugin code.

    Attributes:
        refused: Modules of Hermes that are not modelled.
        unmodelled: Parts of ``ctx`` that are not modelled.
        lacking: Packages of the release that are not installed here.
        missing: Other modules that were missing while the plugin loaded.
    """

    refused: set[str] = field(default_factory=set)
    unmodelled: set[str] = field(default_factory=set)
    lacking: set[str] = field(default_factory=set)
    missing: set[str] = field(default_factory=set)


class Code(NamedTuple):
    """Code of a plugin: its file or directory, and the top-level package of its modules."""

    place: str
    package: str

    @classmethod
    def of(cls, manifest: PluginManifest) -> Code:
        """Return the code of a plugin: its directory, or the package of its entry point."""
        path = manifest.path or ""
        if manifest.source == "entrypoint":
            return cls("", path.partition(":")[0].partition(".")[0])
        return cls(path, "")


class PluginImports:
    """Offers stand-ins, and rejects and records other imports of plugin code, with finders on `sys.meta_path`.

    `hidden` modules must not be found although they are installed.
    """

    def __init__(self, state: HostState, standins: Standins, own: OwnModules, hidden: HiddenModules) -> None:
        self._gaps: defaultdict[Code, Gaps] = defaultdict(Gaps)
        self._plugin_files = state.plugin_files
        self._refusals = state.refusals
        self._contract = state.contract
        self._standins = standins
        self._own = own
        self._hidden = hidden
        self._loads = False
        self._host_packages = state.contract.host_packages

    def install(self) -> None:
        """Install the finders."""
        set_aside(self._host_packages)
        self._hidden.set_aside()
        sys.meta_path.insert(0, _Finder(self.find_first))
        sys.meta_path.append(_Finder(self.record_missing))

    @contextlib.contextmanager
    def loading(self) -> Generator[None]:
        """Record missing modules in this context; imports by handlers that run later are not reported."""
        before, self._loads = self._loads, True
        try:
            yield
        finally:
            self._loads = before

    def is_host_module(self, name: str) -> bool:
        """Return whether a module is in a package of Hermes, so that it is removed with the host."""
        return name.partition(".")[0] in self._host_packages

    def find_gaps(self, plugin: Code) -> Gaps:
        """Return the unmet requests of one plugin's code so far."""
        roots = {plugin.place, os.path.realpath(plugin.place)} if plugin.place else set()
        found = Gaps()
        for code, gaps in self._gaps.items():
            if any(is_within(code.place, root) for root in roots) or (not roots and code.package == plugin.package):
                found.refused |= gaps.refused
                found.unmodelled |= gaps.unmodelled
                found.lacking |= gaps.lacking
                found.missing |= gaps.missing
        return found

    def note_unmodelled(self, plugin: Code, what: str) -> None:
        """Record that a plugin uses an unsupported part of ``ctx``."""
        self._gaps[plugin].unmodelled.add(what)
        self._refusals.note(f"model {what}")

    def note_failure(self, plugin: Code, error: BaseException) -> None:
        """Record a package of the release that a library failed to import while the plugin loaded."""
        package = (error.name or "").partition(".")[0] if isinstance(error, ModuleNotFoundError) else None
        if package in self._contract.third_party_modules:
            self._note_lacking(plugin, package)

    def find_first(self, name: str) -> ModuleSpec | None:
        """Find the stand-in for a module of Hermes, or reject the module, before other finders run.

        Raises:
            ImportError: The module of Hermes is not modelled; see `describe_unmodelled`.
            ModuleNotFoundError: The release has no such module, or the module is a dependency of ours.
        """
        package = name.partition(".")[0]
        if package not in self._host_packages and package not in self._hidden.packages:
            return None
        standin = self._standins.find(name, self.refuse) or self._own.find(name)
        request = self._find_request(through_libraries=True) if standin is None else None
        if request is None:
            return standin
        # `import agent.x` imports `agent` first; the error is about the module that the plugin requested.
        wanted = request.module or name
        if wanted in self._contract.host_modules:
            raise self._note_refusal(request, wanted)
        parents = accumulate(wanted.split("."), "{}.{}".format)
        absent = next(parent for parent in parents if parent not in self._contract.host_modules)
        if request.needs and not request.as_host:
            self._note_missing(request.code, absent)
        raise ModuleNotFoundError(f"No module named {absent!r}", name=absent)

    def refuse(self, name: str) -> ImportError:
        """Record the use of an unsupported name of a stand-in; return the exception to raise."""
        return self._note_refusal(self._find_request(through_libraries=True), name)

    def _note_refusal(self, request: _Request | None, name: str) -> ImportError:
        error = ImportError(describe_unmodelled(name, self._contract.release), name=name)
        if request is not None:
            self._gaps[request.code].refused.add(name)
            self._refusals.note(f"model {name}", error=error)
        return error

    def record_missing(self, name: str) -> None:
        """Record a module that no finder found, unless the plugin only checks whether it exists."""
        request = self._find_request()
        if request is not None and request.needs and not name.startswith("hermes_plugins."):
            package = name.partition(".")[0]
            if package in self._contract.third_party_modules:
                self._note_lacking(request.code, package)
            elif not request.as_host:
                self._note_missing(request.code, name)

    def _note_missing(self, plugin: Code, name: str) -> None:
        if self._loads:
            self._gaps[plugin].missing.add(name)

    def _note_lacking(self, plugin: Code, package: str) -> None:
        self._gaps[plugin].lacking.add(package)
        what = f"have the package {package}, which Hermes Agent {self._contract.release} brings"
        self._refusals.note(what, f"Install {package} in this environment. {HOST_DEPENDENCIES}.")

    def _find_request(self, *, through_libraries: bool = False) -> _Request | None:
        """Return the request of the code that started this import, or None if it is not plugin code.

        With `through_libraries`, code that plugin code calls counts too, such as a copy of it elsewhere.
        """
        module = ""
        probing = False
        frame: FrameType | None = inspect.currentframe()
        while frame is not None:
            file, function = frame.f_code.co_filename, frame.f_code.co_name
            if not _is_import_machinery(file):
                is_direct = file in self._plugin_files
                code = self._find_code(frame) if through_libraries or is_direct else None
                as_host = self._own.has(str(frame.f_globals.get("__name__")))
                return code and _Request(code, module, needs=is_direct and not probing, as_host=as_host)
            if function == "_find_and_load":
                module = frame.f_locals["name"]
            # `find_spec` only probes, and `from package import name` checks whether the name is a submodule.
            probing = probing or function == "_handle_fromlist" or file == "<frozen importlib.util>"
            frame = frame.f_back
        return None

    def _find_code(self, frame: FrameType | None) -> Code | None:
        """Return the innermost plugin code in a frame or its callers, or None if our own code comes first."""
        found = find_plugin_frame(frame, self._plugin_files, until=(_OURS,))
        if found is None:
            return None
        return Code(found.f_code.co_filename, str(found.f_globals.get("__name__", "")).partition(".")[0])


_OURS = str(Path(hermes_sdk.__file__).parent) + os.sep


"""The directory of our own code, whose imports are not those of a plugin."""


class _Request(NamedTuple):
    """Request of plugin code to the import system.

    Attributes:
        module: The requested module.
        needs: Whether the plugin itself imports the module, instead of checking for it or importing through a library.
        as_host: Whether the code runs under its name in a package of the host.
    """

    code: Code
    module: str
    needs: bool
    as_host: bool


class _Finder:
    """Finder that calls a method of `PluginImports` with the name of the module."""

    def __init__(self, find: Callable[[str], ModuleSpec | None]) -> None:
        self._find = find

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return self._find(name)


def _is_import_machinery(file: str) -> bool:
    return (
        file in (__file__, standin_loader.__file__)
        or file.startswith("<frozen ")
        or file.endswith(f"importlib{os.sep}__init__.py")
    )
