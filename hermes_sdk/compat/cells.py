"""Cells of the matrix: the hosts that run a plugin."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from typing import NamedTuple, cast, get_args

from hermes_sdk import contract
from hermes_sdk.errors import UnavailableError, UsageError
from hermes_sdk.hosts import environments, installed
from hermes_sdk.hosts.interface import HostKind
from hermes_sdk.manifest import Form

_CELL = re.compile(r"(?P<host>\w+):(?P<release>.+?)(?:/(?P<python>3\.\d+))?")


class Cell(NamedTuple):
    """A host on which a plugin is run.

    Attributes:
        host: ``embedded`` or ``real``.
        release: A release, or for the real host ``git:<address>@<revision>`` or a path.
        python: The host's Python version, such as ``3.11``.
    """

    host: HostKind
    release: str
    python: str

    @property
    def name(self) -> str:
        """The name of the cell for `--only`: ``embedded:0.19.0`` or ``real:0.19.0/3.12``."""
        return f"{self.host}:{self.release}" + (f"/{self.python}" if self.host == "real" else "")

    @property
    def is_revision(self) -> bool:
        """Return whether the host is a revision of its repository, a checkout, or the user's installation."""
        return ":" in self.release or bool(contract.split_location(self.release)[1])

    @property
    def grade(self) -> str | None:
        """Grade of the release: how well it is verified; None for a revision."""
        return contract.grade(self.release)

    @property
    def is_reliable(self) -> bool:
        """Return whether a run shows the release's behaviour: the host is real, or the release is proven."""
        return self.host == "real" or contract.is_proven(self.release)


class Job(NamedTuple):
    """A plugin in a cell.

    Attributes:
        path: The absolute path of the plugin; see `hermes_sdk.manifest.locate`.
        project: The directory with the plugin's tests.
        cell: The cell to run it in.
        time_limit: Timeout of all its tests together, in seconds.
        is_auto: Whether to use the real host if the plugin reaches anything that the embedded host does not model.
        form: The form of the plugin.
        plugin: The name of a package; see `hermes_sdk.manifest.locate`.
    """

    path: str
    project: str
    cell: Cell
    time_limit: float
    is_auto: bool = False
    form: Form = "directory"
    plugin: str = ""

    def on(self, kind: HostKind) -> Job:
        """Return the same job for another host of the same release."""
        if kind == self.cell.host:
            return self
        return self._replace(
            cell=Cell(
                kind, self.cell.release, _default_python(self.cell.release) if kind == "real" else _current_python()
            )
        )


def plan(real: Sequence[str] = (), pythons: Sequence[str] = ()) -> tuple[Cell, ...]:
    """Return the cells of a matrix: every modelled release on the embedded host, and some releases on the real one.

    Args:
        real: Releases for the real host; ``all`` for those of `environments.list_releases`, ``installed`` or a path for
            the user's own installation.
        pythons: The Python versions for the real host. Default: a suitable one.

    Raises:
        UsageError: A release is unknown.
    """
    embedded = [Cell("embedded", release, _current_python()) for release in contract.modelled_releases()]
    wanted = environments.list_releases() if list(real) == ["all"] else tuple(dict.fromkeys(real))
    return (*embedded, *(cell for release in wanted for cell in _list_real_cells(release, pythons)))


def _list_real_cells(wanted: str, pythons: Sequence[str]) -> list[Cell]:
    """Return a real host's cells, one per Python version; the user's own installation has only one."""
    release = installed.name_host(wanted)
    environments.check_release(release)
    if contract.split_location(release)[1]:
        return [Cell("real", release, environments.environment(release).version)]
    return [Cell("real", release, python) for python in pythons or [_default_python(release)]]


def find_not_run(cells: Iterable[Cell]) -> tuple[str, ...]:
    """Return the known releases that no cell runs and the embedded host does not model, oldest first."""
    run = {cell.release for cell in cells}
    return tuple(one for one in contract.known_releases() if not contract.is_modelled(one) and one not in run)


def parse(text: str) -> Cell:
    """Parse the name of a cell.

    Raises:
        UsageError: The name is not valid.
    """
    found = _CELL.fullmatch(text)
    if found is None or found["host"] not in get_args(HostKind) or (found["host"] == "embedded" and found["python"]):
        raise UsageError(
            f"{text!r} is not a valid cell.", fix="Write embedded:0.19.0, real:0.19.0 or real:0.19.0/3.12."
        )
    host = cast("HostKind", found["host"])
    if host == "embedded":
        release = contract.load(found["release"]).release
        if not contract.is_modelled(release):
            raise UsageError(
                f"The embedded host models Hermes {contract.OLDEST_MODELLED} and later.", fix=f"Use real:{release}."
            )
        return Cell(host, release, _current_python())
    return _list_real_cells(found["release"], [found["python"]] if found["python"] else [])[0]


def _current_python() -> str:
    return "{}.{}".format(*sys.version_info)


def _default_python(release: str) -> str:
    """Return the default Python of a real host, even if it is not installed; the cell then reports that."""
    try:
        return environments.python_version(release)
    except UnavailableError:
        return _current_python()
