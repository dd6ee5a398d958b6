"""`HostState`: state that all parts of an embedded host share."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from importlib.machinery import PathFinder
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hermes_sdk.contract import Behaviour, Contract
from hermes_sdk.errors import HermesSdkError
from hermes_sdk.home import Home
from hermes_sdk.hosts.config import HostConfig
from hermes_sdk.hosts.embedded.process.environment import HomePath
from hermes_sdk.hosts.embedded.process.plugin_code import LogCapture, describe_swallowed
from hermes_sdk.hosts.embedded.process.refusals import Refusals
from hermes_sdk.hosts.embedded.process.session_variables import SessionVariables
from hermes_sdk.hosts.embedded.process.state import ProcessState
from hermes_sdk.hosts.embedded.wording import Wording
from hermes_sdk.hosts.in_worker.recording import Recording
from hermes_sdk.hosts.interface import NotSupported

if TYPE_CHECKING:
    from hermes_sdk.hosts.embedded.user_config import UserConfig
    from hermes_sdk.hosts.in_worker.builtin_calls import BuiltinCalls
    from hermes_sdk.hosts.interface import Swallowed
    from hermes_sdk.llm import ScriptedModel


class PluginFiles:
    """Files with plugin code: all files in added directories, except libraries in ``site-packages``."""

    def __init__(self, roots: Sequence[str]) -> None:
        self._roots = [root.rstrip(os.sep) for root in roots]

    def add(self, path: str) -> None:
        """Add a file, or the files of a directory."""
        self._roots.append(path.rstrip(os.sep))

    def add_package(self, package: str) -> None:
        """Add the files of a package, wherever Python finds it."""
        spec = find_spec(package)
        if spec is not None:
            for root in spec.submodule_search_locations or [spec.origin or package]:
                self.add(root)

    def __contains__(self, file: object) -> bool:
        return isinstance(file, str) and any(
            is_within(file, root) and "site-packages" not in file[len(root) :] for root in self._roots
        )


def is_within(file: str, root: str) -> bool:
    """Return whether a path is a root or below it."""
    return file.startswith(root) and file[len(root) : len(root) + 1] in ("", os.sep)


class HostState:
    """State that the parts of an embedded host share: built first, and passed to each of them.

    Directories in `pythonpath` count as installed packages; `stateless` makes delegation run within the turn.

    Attributes:
        home_path: The home as plugins see it; they may change it for a context.
        model: The scripted model; None until a test uses it.
        process: A snapshot of the process before the host changed it.
        swallowed: The exceptions of plugins that Hermes would swallow.
        memory: Data that parts store for the lifetime of the host, each under its own key.
        classes: The classes of Hermes that were created for this host, by name; created on import.
        take_message: Takes a message of a plugin for a chat of the running gateway; None without a gateway.
        replaced: Names that plugins replaced in the stand-ins and that Hermes would use in a turn.
        builtin_calls: Records and answers the calls of built-in tools; None unless requested.
        discovery_failed: Whether an exception stopped the discovery of plugins.
        inactive: Why the host cannot be used now; empty if it can.
    """

    def __init__(
        self,
        contract: Contract,
        home: Home,
        recording: Recording,
        *,
        cwd: Path | None = None,
        pythonpath: Sequence[Path] = (),
        stateless: bool = False,
    ) -> None:
        roots = [f"{home.path}/plugins", f"{home.path}/hooks", f"{cwd or home.path}/.hermes/plugins"]
        self.plugin_files = PluginFiles([*roots, *map(str, pythonpath)])
        self.refusals = Refusals(self.plugin_files)
        if contract.behaviour.unverified:
            contract = contract.with_behaviour(contract.behaviour.refusing(self._refuse_unverified))
        self.contract = contract
        self.home = home
        self.recording = recording
        self.cwd = cwd or home.path
        self.pythonpath = pythonpath
        self.stateless = stateless
        self.config = HostConfig(home.config_path, contract.behaviour)
        self.home_path = HomePath()
        self.session_variables = SessionVariables(contract)
        self.process = ProcessState()
        self.log = LogCapture(recording)
        self.model: ScriptedModel | None = None
        self.swallowed: list[Swallowed] = []
        self._last_swallowed: BaseException | None = None
        self.memory: dict[str, Any] = {}
        self.classes: dict[str, Any] = {}
        self.take_message: Callable[[str, str, str | None, Mapping[str, Any] | None], bool] | None = None
        self.replaced: set[str] = set()
        self.builtin_calls: BuiltinCalls | None = None
        self.discovery_failed = False
        self.inactive = ""

    @property
    def behaviour(self) -> Behaviour:
        """The behaviour of the release where releases differ."""
        return self.contract.behaviour

    @cached_property
    def wording(self) -> Wording:
        """The texts of Hermes: ``state.wording("tool_call.unknown", name=name, tools=tools)``."""
        return Wording(self.contract.base)

    @cached_property
    def user_config(self) -> UserConfig:
        """Read and write access to the configuration and the variables of the home."""
        from hermes_sdk.hosts.embedded.user_config import UserConfig

        return UserConfig(self.contract, self.home_path, self.config)

    def adopt_package(self, package: str) -> None:
        """Unload a plugin's package, so that it is imported again, and count its files as plugin code."""
        self.process.set_aside(package)
        self.plugin_files.add_package(package)

    def swallow(self, where: str, error: BaseException) -> None:
        """Record an exception that Hermes would swallow; `where` is text such as ``hook post_tool_call``.

        An exception that several places report is recorded once.
        """
        if error is self._last_swallowed:
            return
        self._last_swallowed = error
        self.swallowed.append(describe_swallowed(where, error, self.plugin_files))

    def unsupported(self, action: str, fix: str = "") -> NotSupported:
        """Return the error for an unsupported action, and record it for `Host.unsupported`.

        The action is a verb phrase such as ``run commands in the background``; the default fix is to use the real host.
        """
        error = NotSupported(action, "embedded", fix)
        self.refusals.note(action, fix, error=error)
        return error

    def _refuse_unverified(self, flag: str) -> NotSupported:
        release = self.contract.release
        return self.unsupported(f"do what Hermes {release} does here: its behaviour `{flag}` is unverified")

    def require_discovery(self, place: str) -> None:
        """Reject an operation, named by `place`, in which Hermes would retry a failed discovery of plugins.

        Raises:
            NotSupported: An exception stopped the discovery.
        """
        if self.discovery_failed and self.behaviour.discovery_retried:
            raise self.unsupported(f"repeat a discovery of plugins that failed, in a {place}")

    def require_originals(self, place: str) -> None:
        """Reject an operation, named by `place`, in which Hermes would use a name that a plugin replaced.

        Raises:
            NotSupported: A plugin replaced a name in a stand-in, or the discovery failed.
        """
        self.require_discovery(place)
        if self.replaced:
            raise self.unsupported(f"use the plugin's {', '.join(sorted(self.replaced))} in a {place}")

    def require_active(self) -> None:
        """Raise `HermesSdkError` if the host is closed or inactive."""
        if self.inactive:
            raise HermesSdkError(
                f"This host is {self.inactive}.", fix="Close the host opened after this one, or open a new host."
            )

    def finds_package(self, name: str) -> bool:
        """Return whether an optional package, which no release includes, is installed."""
        return PathFinder.find_spec(name, [str(directory) for directory in self.pythonpath]) is not None
