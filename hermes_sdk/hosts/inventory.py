"""Real hosts: the user's own, those that hermes-sdk has installed, and those that it can install."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from hermes_sdk import contract
from hermes_sdk.cache import cache_dir, remove
from hermes_sdk.contract.sources import find_source
from hermes_sdk.errors import UsageError
from hermes_sdk.hosts.environments import environment
from hermes_sdk.hosts.installed import Borrowed, list_own
from hermes_sdk.hosts.processes.isolation.readable import find_editable
from hermes_sdk.hosts.real import warm


@dataclass(frozen=True)
class Listed:
    """A real host.

    Attributes:
        release: The release of Hermes.
        state: ``own`` if the user has installed it, ``installed`` if hermes-sdk has, or ``available``.
        python: The version of Python, such as ``3.11``; None if it is only available, like `size` and `place`.
        size: The size of its files in bytes.
        place: The path of the environment, or the path by which the user refers to their Hermes.
        distribution: The name of its distribution.
        pid: The process ID of its server that keeps running between runs of pytest, or None.
        age: The seconds since that server was started.
    """

    release: str
    state: Literal["own", "installed", "available"]
    python: str | None = None
    size: int | None = None
    place: Path | None = None
    distribution: str | None = None
    pid: int | None = None
    age: float | None = None

    @property
    def nearest(self) -> str:
        """The nearest known release; see `contract.find_nearest`."""
        return contract.find_nearest(self.release)

    def as_json(self) -> dict[str, Any]:
        """Return the host's entry for the schema ``hermes-sdk.hosts/1``."""
        place = str(self.place) if self.place else None
        return {**vars(self), "place": place, "grade": contract.grade(self.release), "nearest": self.nearest}


def list_hosts() -> list[Listed]:
    """Return the real hosts: the user's own, then installed, then available hosts, each sorted by release."""
    servers = {str(one.place): one for one in warm.list_running(warm.find_folder())}
    present = (*map(_describe_own, list_own()), *_list_installed())
    hosts = [_add_server(one, servers.get(str(one.place))) for one in present]
    installed = {one.release for one in hosts if one.state == "installed"}
    hosts += [
        Listed(one, "available") for one in contract.known_releases() if one not in installed and find_source(one)
    ]
    states = ("own", "installed", "available")
    known = contract.known_releases()
    return sorted(hosts, key=lambda one: (states.index(one.state), known.index(one.nearest), one.release))


def install(release: str) -> Listed:
    """Create the environment of a release, unless it exists.

    Raises:
        UsageError: There is no such release.
        UnavailableError: The environment cannot be created.
    """
    host = environment(release)
    if host.borrowed:
        raise UsageError("this Hermes is installed already", where=str(host.borrowed.place))
    return _describe(host.python.parents[1])


def _add_server(host: Listed, server: warm.Running | None) -> Listed:
    return replace(host, pid=server.pid, age=server.seconds) if server else host


def stop_servers(release: str | None) -> list[warm.Running]:
    """Stop the servers that keep running between runs of pytest, for one release or all, and return them."""
    return warm.stop(warm.find_folder(), release)


def uninstall(release: str) -> list[Listed]:
    """Remove the environments that hermes-sdk has created for a release, and return them.

    Raises:
        UsageError: There are none.
    """
    installed = list(_list_installed())
    removed = [one for one in installed if release == one.release]
    if not removed:
        releases = ", ".join(sorted({one.release for one in installed})) or "none"
        raise UsageError(
            f"hermes-sdk did not install Hermes {release}, so it does not remove it.", fix=f"Installed: {releases}."
        )
    stop_servers(release)
    cache = cache_dir()
    for place in [one.place for one in removed if one.place]:
        checkouts = [path for path in map(Path, find_editable(_list_sites(place))) if path.is_relative_to(cache)]
        for folder in (
            place,
            *checkouts,
            *(cache / "overlays").glob(f"{place.name}-*"),
            cache / "scouted" / place.name,
        ):
            remove(folder)
    return removed


def _list_installed() -> Iterator[Listed]:
    for settings in sorted((cache_dir() / "environments").glob("*/pyvenv.cfg")):
        if not settings.parent.name.startswith("."):
            yield _describe(settings.parent)


def _describe(folder: Path) -> Listed:
    """Describe an environment; its directory name ends with the version of Python."""
    named = {one.name.partition("-")[0]: one.name for site in _list_sites(folder) for one in _find_metadata(Path(site))}
    packages = {name: text.removesuffix(".dist-info").partition("-")[2] for name, text in named.items()}
    # An environment with a redistribution also has metadata of `hermes-agent`, with the release.
    release = packages.get("hermes_agent") or next(iter(packages.values()), folder.name)
    distribution = next((name for name in packages if name != "hermes_agent"), "hermes_agent").replace("_", "-")
    python = folder.name.rpartition("-py")[2]
    return Listed(release, "installed", python, _measure([folder]), folder, distribution)


def _list_sites(folder: Path) -> list[str]:
    return [str(site) for site in folder.glob("lib/python*/site-packages")]


def _find_metadata(site: Path) -> Iterable[Path]:
    return site.glob("*hermes_agent*.dist-info")


def _describe_own(own: Borrowed) -> Listed:
    protected = own.protected
    tops = [one for one in protected if not any(one != other and one.is_relative_to(other) for other in protected)]
    return Listed(own.release, "own", own.version, _measure(tops), own.place, own.distribution)


def _measure(folders: Iterable[Path]) -> int:
    """Return the size of all files in directories, in bytes."""
    size = 0
    for top in folders:
        for folder, _, names in os.walk(top):
            size += sum(Path(folder, name).lstat().st_size for name in names)
    return size
