"""Real hosts of this machine: the user's own, those that hermes-sdk has installed, and those that it can install."""

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
        release: Its release.
        state: ``own``: the user has installed it; ``installed``: hermes-sdk has; ``available``: it can be installed.
        python: The version of its Python, such as ``3.11``; None unless it is installed, as are `size` and `place`.
        size: The bytes of its files.
        place: Where it is: an environment, or what the user calls their Hermes.
        distribution: The package that it is from.
        pid: The process of its server that stays between runs of pytest, if one runs.
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
        """The nearest release that is known; see `contract.find_nearest`."""
        return contract.find_nearest(self.release)

    def as_json(self) -> dict[str, Any]:
        """Return its entry in the schema ``hermes-sdk.hosts/1``."""
        place = str(self.place) if self.place else None
        return {**vars(self), "place": place, "grade": contract.grade(self.release), "nearest": self.nearest}


def list_hosts() -> list[Listed]:
    """Return the real hosts: the user's own, the installed and the available ones, each from the oldest release on."""
    servers = {str(one.place): one for one in warm.list_running(warm.find_folder())}
    found = (*map(_describe_own, list_own()), *_list_installed())
    hosts = [_add_server(one, servers.get(str(one.place))) for one in found]
    there = {one.release for one in hosts if one.state == "installed"}
    hosts += [Listed(one, "available") for one in contract.known_releases() if one not in there and find_source(one)]
    states = ("own", "installed", "available")
    known = contract.known_releases()
    return sorted(hosts, key=lambda one: (states.index(one.state), known.index(one.nearest), one.release))


def install(release: str) -> Listed:
    """Make the environment of a release, unless it is there.

    Raises:
        UsageError: There is no such release.
        UnavailableError: It cannot be made.
    """
    made = environment(release)
    if made.borrowed:
        raise UsageError("this Hermes is installed already", where=str(made.borrowed.place))
    return _describe(made.python.parents[1])


def _add_server(host: Listed, server: warm.Running | None) -> Listed:
    return replace(host, pid=server.pid, age=server.seconds) if server else host


def stop_servers(release: str | None) -> list[warm.Running]:
    """Stop the servers that stay between runs of pytest, of one release if it is given, and return them."""
    return warm.stop(warm.find_folder(), release)


def uninstall(release: str) -> list[Listed]:
    """Remove the environments that hermes-sdk has made for a release, and return them.

    Raises:
        UsageError: There are none.
    """
    installed = list(_list_installed())
    found = [one for one in installed if release == one.release]
    if not found:
        there = ", ".join(sorted({one.release for one in installed})) or "none"
        raise UsageError(
            f"hermes-sdk has not installed Hermes {release}, and removes nothing else.", fix=f"Installed: {there}."
        )
    stop_servers(release)
    cache = cache_dir()
    for place in [one.place for one in found if one.place]:
        checkouts = [path for path in map(Path, find_editable(_list_sites(place))) if path.is_relative_to(cache)]
        for folder in (
            place,
            *checkouts,
            *(cache / "overlays").glob(f"{place.name}-*"),
            cache / "scouted" / place.name,
        ):
            remove(folder)
    return found


def _list_installed() -> Iterator[Listed]:
    for settings in sorted((cache_dir() / "environments").glob("*/pyvenv.cfg")):
        if not settings.parent.name.startswith("."):
            yield _describe(settings.parent)


def _describe(folder: Path) -> Listed:
    """Describe an environment, whose name ends with the version of its Python."""
    named = {one.name.partition("-")[0]: one.name for site in _list_sites(folder) for one in _find_metadata(Path(site))}
    packages = {name: text.removesuffix(".dist-info").partition("-")[2] for name, text in named.items()}
    # The metadata of a redistribution names the release as `hermes-agent` too.
    release = packages.get("hermes_agent") or next(iter(packages.values()), folder.name)
    distribution = next((name for name in packages if name != "hermes_agent"), "hermes_agent").replace("_", "-")
    python = folder.name.rpartition("-py")[2]
    return Listed(release, "installed", python, _measure([folder]), folder, distribution)


def _list_sites(folder: Path) -> list[str]:
    return [str(site) for site in folder.glob("lib/python*/site-packages")]


def _find_metadata(site: Path) -> Iterable[Path]:
    return site.glob("*hermes_agent*.dist-info")


def _describe_own(own: Borrowed) -> Listed:
    tops = [one for one in own.kept if not any(one != other and one.is_relative_to(other) for other in own.kept)]
    return Listed(own.release, "own", own.version, _measure(tops), own.place, own.distribution)


def _measure(folders: Iterable[Path]) -> int:
    """Return the bytes of all files in some directories."""
    size = 0
    for top in folders:
        for folder, _, names in os.walk(top):
            size += sum(Path(folder, name).lstat().st_size for name in names)
    return size
