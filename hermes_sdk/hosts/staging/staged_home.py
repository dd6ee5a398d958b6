"""Homes with plugins, ready to be opened by a host."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import ClassVar

from hermes_sdk import contract, manifest
from hermes_sdk.errors import UsageError
from hermes_sdk.home import Home
from hermes_sdk.hosts import open_host
from hermes_sdk.hosts.interface import Host, HostKind
from hermes_sdk.hosts.staging.copying import copy_files
from hermes_sdk.hosts.staging.core_tool import write_plugin
from hermes_sdk.hosts.staging.packages import find_required_packages, link_distribution, link_project
from hermes_sdk.manifest import ENTRY_POINT_GROUP, EntryPoint, Located, guessed_kind, portable

_CATEGORIES = {"model-provider": "model-providers"}
SITE = ".site-packages"
"""The directory of a home for the linked packages of plugins, with a subdirectory for each plugin."""

_IGNORED = frozenset({".git", "__pycache__"})

_PRELOADED = (
    "hermes_sdk.home.edit",
    "hermes_sdk.hosts.embedded.host",
    "hermes_sdk.hosts.embedded.agent.conversation",
    "hermes_sdk.hosts.embedded.report",
    "hermes_sdk.hosts.interface.names",
    "hermes_sdk.hosts.model_config",
    "hermes_sdk.hosts.real.servers",
)


def preload() -> None:
    """Import the modules that every host needs, in a process that forks for each host."""
    for name in _PRELOADED:
        import_module(name)


class StagedHome:
    """A home with plugins, ready to be opened by a host.

    Args:
        pythonpath: Directories that the host sees as installed packages.
        may_install: Whether to install the plugins' requirements for a real host.

    Attributes:
        pythonpath: The passed directories, and those with the packages of the plugins.
        entry_points: The entry points of installed plugins.
        servers_stay: Whether servers of real hosts may keep running after this process.

    Raises:
        UsageError: The release is not known, or the embedded host does not model it.
    """

    servers_stay: ClassVar[bool] = True

    def __init__(
        self,
        home: Home,
        kind: HostKind = "embedded",
        release: str = contract.DEFAULT,
        *,
        pythonpath: Iterable[Path] = (),
        may_install: bool = False,
    ) -> None:
        if kind == "embedded":
            contract.load_modelled(release)
        self.home = home
        self.kind: HostKind = kind
        self.release = release
        self.may_install = may_install
        self.pythonpath = list(pythonpath)
        self.entry_points: list[EntryPoint] = []

    def add(self, located: Located, *, link: bool = False, category: str = "") -> str:
        """Add a plugin to the home as ``hermes plugins install`` does, and enable it.

        Unlike the installer, this puts a model provider into the directory that the host searches for model providers.
        The modules of a package are linked as if the package were installed, so that Hermes finds its entry point; a
        memory provider is not enabled, because it only needs to be selected. A core-tool file becomes a plugin that
        imports it as ``tools.<its name>``. A gateway event hook goes into the home's ``hooks``, where the gateway loads
        it without being enabled.

        Repositories (``.git``), bytecode and virtual environments are not copied. Symbolic links within the plugin
        point to the copies of their targets; other links keep their targets.

        Args:
            link: Whether to link the plugin's directory instead of copying it.
            category: The subdirectory of ``plugins`` for a plugin that the host loads without being enabled.

        Returns:
            The plugin's key: the manifest's ``name``, or the name of the directory if the manifest has no name, with
            the prefix ``model-providers/`` for a model provider; without a manifest, the name of the entry point; for a
            core-tool file, its name without ``.py``; for an event hook or a plugin in a category, the name of its
            directory.

        Raises:
            UsageError: The home already has a plugin with that name.
            UnavailableError: The requirements of the plugin cannot be installed here.
        """
        if located.event_hook is not None:
            return self.add_event_hook(located.directory, link=link)
        if category:
            key = _place(located.directory, self.home.plugins_dir / category, link).name
        elif located.core_tool is not None:
            key = write_plugin(located.core_tool, self.home.plugins_dir / located.core_tool.stem, link=link)
            # Core tools may override tools without consent of the user, so the plugin must be allowed to.
            self.home.update_config({"plugins": {"entries": {key: {"allow_tool_override": True}}}})
        elif located.form == "package":
            key, folder = located.name, self.home.path / SITE / located.name
            link_project(located, folder)
            self.pythonpath.append(folder)
        else:
            key = _install(located.directory, self.home.plugins_dir, link)
        if not category and located.group == ENTRY_POINT_GROUP:
            self.home.enable(key)
        self.pythonpath += find_required_packages(located, self.kind, self.release, may_install=self.may_install)
        return key

    def add_event_hook(self, directory: Path, *, link: bool = False) -> str:
        """Add a directory to the gateway's event hooks, and return its name there."""
        return _place(directory, self.home.path / "hooks", link, directory.resolve().name).name

    def add_installed(self, entry_point: EntryPoint, folder: Path) -> str:
        """Enable a plugin that is installed in this Python environment, and return its key.

        Args:
            folder: The directory to create for links to the plugin's packages; it must outlive the host.

        Raises:
            UsageError: The plugin's module cannot be found.
            UnavailableError: Its requirements cannot be installed here.
        """
        self.home.enable(entry_point.name)
        self.entry_points.append(entry_point)
        if self.kind == "real":
            self.pythonpath += link_distribution(entry_point, folder, self.release, may_install=self.may_install)
        return entry_point.name

    def read_inherited_variables(self) -> dict[str, str]:
        """Return the variables that a host inherits from this process, so that tests can set variables for both hosts.

        An embedded host runs in this process, but must not use the user's HOME. A real host does not inherit
        ``PYTHON*``, which configures another interpreter; its homes, its temporary directory and some of ``HERMES_*``,
        which it sets itself; and ``CUSTOM_BASE_URL``, which would override the scripted model.
        """
        if self.kind == "embedded":
            return {"HOME": str(self.home.path)}
        from hermes_sdk.hosts.real.servers import host_variables

        own = {"HOME", "TMPDIR", "CUSTOM_BASE_URL", *host_variables(self.home.path, self.home.path)}
        return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON") and name not in own}

    def warm_up(self) -> None:
        """Load the tools of a real host before the first call, so that later hosts start faster.

        If `warm.is_allowed`, the server keeps running between runs, so the plugins must be the author's own.
        """
        if self.kind == "real":
            from hermes_sdk.hosts.environments import environment
            from hermes_sdk.hosts.real.servers import server

            server(environment(self.release), may_stay=self.servers_stay).warm()

    def open(
        self,
        *,
        cwd: Path | None = None,
        environment: Mapping[str, str] | None = None,
        accept_hooks: bool = False,
        stateless: bool = False,
        record: bool = False,
    ) -> Host:
        """Open a host on the home; see `open_host` for the arguments."""
        return open_host(
            self.kind,
            self.release,
            self.home,
            cwd=cwd,
            pythonpath=self.pythonpath,
            entry_points=self.entry_points,
            environment=environment,
            accept_hooks=accept_hooks,
            stateless=stateless,
            record=record,
        )


def _install(directory: Path, plugins: Path, link: bool) -> str:
    file = manifest.manifest_file(directory)
    fields = manifest.parse(file).value if file else None
    if file is None and (directory / portable.MANIFEST).is_file():
        return portable.read_key(_place(directory, plugins, link))
    declared = fields if isinstance(fields, dict) else {}
    kind = declared["kind"] if "kind" in declared else guessed_kind(directory)
    category = _CATEGORIES.get(kind, "") if isinstance(kind, str) else ""
    target = _place(directory, plugins / category, link)
    return f"{category}/{target.name}" if category else str(declared.get("name", target.name))


def _place(directory: Path, folder: Path, link: bool, name: str = "") -> Path:
    """Copy or link a directory into a folder, under a name; the default is the name that the installer uses."""
    target = folder / (name or manifest.installer_name(directory))
    if target.exists() or target.is_symlink():
        raise UsageError(f"the home already contains a plugin at {target}", fix="Use an empty home.")
    folder.mkdir(parents=True, exist_ok=True)
    if link:
        target.symlink_to(directory.resolve(), target_is_directory=True)
    else:
        _copy(directory.resolve(), target)
    return target


def _copy(source: Path, target: Path) -> None:
    copy_files(source, target, _IGNORED)
    for folder, directories, files in os.walk(target):
        for name in (*directories, *files):
            copy = Path(folder, name)
            if copy.is_symlink():
                _redirect(copy, source / copy.relative_to(target), source, target)


def _redirect(copy: Path, original: Path, source: Path, target: Path) -> None:
    """Make the copy of a link point to the copy of its target."""
    destination = original.resolve()
    inside = destination.is_relative_to(source)
    copy.unlink()
    if inside:
        copied = target / destination.relative_to(source)
        copy.symlink_to(os.path.relpath(copied, copy.parent))
    else:
        copy.symlink_to(destination)
