"""Python environments that hold one release of hermes-agent, made once for each release and version of Python."""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from hermes_sdk import contract
from hermes_sdk.errors import UnavailableError, UsageError
from hermes_sdk.hosts.real import installer
from hermes_sdk.hosts.real.cache import cache_dir, make_once

PYTHONS = ((3, 11), (3, 12), (3, 13))
"""The versions of Python that every release runs on."""


@dataclass(frozen=True)
class Environment:
    """A Python that has one release of hermes-agent installed.

    Attributes:
        release: The release, such as ``0.19.0``.
        python: Its interpreter.
        version: The interpreter's version, such as ``3.11``.
    """

    release: str
    python: Path
    version: str

    @property
    def site_packages(self) -> Path:
        """Where its packages lie."""
        return self.python.parent.parent / "lib" / f"python{self.version}" / "site-packages"


def environment(release: str, python: str | None = None) -> Environment:
    """The environment of a release, made now if this machine has none (some 200 MB from the package index).

    Args:
        release: The release, such as ``0.19.0``.
        python: The interpreter to make it with. Default: the running one if the release runs on it, else one that is found.

    Raises:
        UsageError: The release is not known, or is the profile ``documented``.
        UnavailableError: It has to be made, and there is no network or no fitting Python.
    """
    if release not in contract.releases():
        raise UsageError(
            f"there is no real host {release!r}", fix=f"Releases that can run: {', '.join(contract.releases())}."
        )
    interpreter, version = _interpreter(python)
    folder = cache_dir() / "environments" / f"{release}-py{version}"

    def make(made: Path) -> None:
        installer.install(installer.create(made, interpreter), [f"hermes-agent=={release}"])

    make_once(folder, make, what=f"hermes-agent {release}", probe="bin/python")
    return Environment(release, folder / "bin" / "python", version)


def _interpreter(wanted: str | None) -> tuple[str, str]:
    """A Python that the releases run on, as a path or as a version that uv finds, and its version."""
    if wanted is None and sys.version_info[:2] in PYTHONS:
        return sys.executable, "{}.{}".format(*sys.version_info)
    newest_first = [f"{major}.{minor}" for major, minor in reversed(PYTHONS)]
    names = [wanted] if wanted else [f"python{version}" for version in newest_first]
    for found in filter(None, map(shutil.which, names)):
        if (version := installer.version_of(found)) in PYTHONS:
            return found, "{}.{}".format(*version)
    if wanted is None and installer.find_uv():
        return newest_first[0], newest_first[0]
    raise UnavailableError(
        f"{wanted or 'the running Python'} cannot run Hermes Agent, which needs Python 3.11, 3.12 or 3.13",
        fix="Install one of them, or uv, which fetches one.",
    )
