"""The cells of the matrix: where a plugin is run."""

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
    """A host to run a plugin on.

    Attributes:
        host: ``embedded`` or ``real``.
        release: A release, or for the real host ``git:<address>@<revision>`` or a path.
        python: The version of Python that the host runs on, such as ``3.11``.
    """

    host: HostKind
    release: str
    python: str

    @property
    def name(self) -> str:
        """The cell in one word, as `--only` takes it: ``embedded:0.19.0`` or ``real:0.19.0/3.12``."""
        return f"{self.host}:{self.release}" + (f"/{self.python}" if self.host == "real" else "")

    @property
    def is_revision(self) -> bool:
        """Return whether it is a revision of the host's repository, or a checkout or an installation of the user's."""
        return ":" in self.release or bool(contract.split_location(self.release)[1])

    @property
    def grade(self) -> str | None:
        """Return how much is known of the release; None for a revision."""
        return contract.grade(self.release)

    @property
    def is_reliable(self) -> bool:
        """Return whether a run shows how the release behaves: it is real, or proven."""
        return self.host == "real" or contract.is_proven(self.release)


class Job(NamedTuple):
    """A plugin in a cell.

    Attributes:
        path: The plugin, absolute, as `hermes_sdk.manifest.locate` takes it.
        project: The directory whose tests are the plugin's.
        cell: Where to run it.
        time_limit: Seconds that its tests have, all together.
        is_auto: Whether a plugin that reaches what an embedded host does not model runs in the real host instead.
        form: The form of the plugin.
        plugin: Its name, for a package; see `hermes_sdk.manifest.locate`.
    """

    path: str
    project: str
    cell: Cell
    time_limit: float
    is_auto: bool = False
    form: Form = "directory"
    plugin: str = ""

    def on(self, kind: HostKind) -> Job:
        """Return the same for a host of the same release."""
        if kind == self.cell.host:
            return self
        return self._replace(
            cell=Cell(kind, self.cell.release, _fitting(self.cell.release) if kind == "real" else _running())
        )


def plan(real: Sequence[str] = (), pythons: Sequence[str] = ()) -> tuple[Cell, ...]:
    """The cells of a matrix: every release that the embedded host models, and some on the real one.

    Args:
        real: Releases for the real host; ``all`` for those of `environments.list_releases`, ``installed`` or a path for
            a Hermes that the user has installed.
        pythons: The versions of Python to run the real host on; by default one that fits.

    Raises:
        UsageError: There is no such release.
    """
    embedded = [Cell("embedded", release, _running()) for release in contract.modelled_releases()]
    wanted = environments.list_releases() if list(real) == ["all"] else tuple(dict.fromkeys(real))
    return (*embedded, *(cell for release in wanted for cell in _list_real_cells(release, pythons)))


def _list_real_cells(wanted: str, pythons: Sequence[str]) -> list[Cell]:
    """Return the cells of a real host, one for each Python; a Hermes that the user has installed has its own."""
    release = installed.name_host(wanted)
    environments.check_release(release)
    if contract.split_location(release)[1]:
        return [Cell("real", release, environments.environment(release).version)]
    return [Cell("real", release, python) for python in pythons or [_fitting(release)]]


def find_not_run(cells: Iterable[Cell]) -> tuple[str, ...]:
    """Return the known releases that the embedded host does not model and that no cell runs, oldest first."""
    run = {cell.release for cell in cells}
    return tuple(one for one in contract.known_releases() if not contract.is_modelled(one) and one not in run)


def parse(text: str) -> Cell:
    """Read the name of a cell.

    Raises:
        UsageError: It is none.
    """
    found = _CELL.fullmatch(text)
    if found is None or found["host"] not in get_args(HostKind) or (found["host"] == "embedded" and found["python"]):
        raise UsageError(
            f"{text!r} is not a valid cell.", fix="Write it as embedded:0.19.0, real:0.19.0 or real:0.19.0/3.12."
        )
    host = cast("HostKind", found["host"])
    if host == "embedded":
        release = contract.load(found["release"]).release
        if not contract.is_modelled(release):
            raise UsageError(
                f"The embedded host models Hermes {contract.OLDEST_MODELLED} and later.", fix=f"Use real:{release}."
            )
        return Cell(host, release, _running())
    return _list_real_cells(found["release"], [found["python"]] if found["python"] else [])[0]


def _running() -> str:
    return "{}.{}".format(*sys.version_info)


def _fitting(release: str) -> str:
    """The Python that a real host gets when nobody says; also named where there is none, and the cell then says so."""
    try:
        return environments.python_version(release)
    except UnavailableError:
        return _running()
