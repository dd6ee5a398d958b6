"""Python environments that hold one release of hermes-agent, made once for each release and version of Python."""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import re
import shutil
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from hermes_sdk import contract
from hermes_sdk.errors import UnavailableError, UsageError
from hermes_sdk.hosts.real import installer
from hermes_sdk.hosts.real.cache import cache_dir, make_once
from hermes_sdk.manifest import Located

PYTHONS = ((3, 11), (3, 12), (3, 13))
"""The versions of Python that every release runs on."""

_NEVER_INSTALLED = frozenset({"hermes-agent", "hermes-sdk"})


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
        python: The interpreter to make it with. Default: the running one if Hermes runs on it, else one that is found.

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

    fix = f"Run the same command again with network; what it installs is kept in {cache_dir()}."
    make_once(folder, make, what=f"hermes-agent {release}", fix=fix, probe="bin/python")
    return Environment(release, folder / "bin" / "python", version)


def requirements(located: Located) -> tuple[str, ...]:
    """What a plugin declares to need: ``[project] dependencies``, else the ``requirements.txt`` beside its manifest.

    hermes-agent and hermes-sdk are left out: the first is the host, and no plugin needs the second at run time.

    Raises:
        UsageError: A requirement cannot be read.
    """
    project = located.project / "pyproject.toml"
    listed = located.directory / "requirements.txt"
    declared = _declared(project) if project.is_file() else None
    if declared is not None:
        return others(declared, str(project))
    return others(_lines(listed), str(listed)) if listed.is_file() else ()


def overlay(release: str, needed: Sequence[str]) -> tuple[Path, ...]:
    """What a plugin needs, as entries for a host's ``pythonpath``; the environment itself stays as it is.

    It is made once for each release, Python and set of requirements, and agrees with the environment's own versions.

    Args:
        release: The release.
        needed: The requirements, such as ``["httpx>=0.27"]``.

    Returns:
        One directory with the packages, or nothing when nothing is needed.

    Raises:
        UnavailableError: They could not be installed: no network, or versions that contradict the host's.
    """
    if not needed:
        return ()
    host = environment(release)
    key = hashlib.sha256("\n".join(sorted(needed)).encode()).hexdigest()[:16]
    folder = cache_dir() / "overlays" / f"{release}-py{host.version}-{key}"

    def make(made: Path) -> None:
        made.mkdir()
        constraints = made / "constraints.txt"
        constraints.write_text("\n".join(_versions(host)), encoding="utf-8")
        installer.install(host.python, needed, target=made, constraints=constraints)

    fix = f"Make its requirements agree with the versions in hermes-agent {release}, or run this again with network."
    make_once(folder, make, what=f"what the plugin needs ({', '.join(needed)})", fix=fix)
    return (folder,)


@functools.cache
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


def _declared(path: Path) -> list[str] | None:
    try:
        project = tomllib.loads(path.read_text(encoding="utf-8")).get("project", {})
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"it cannot be read: {error}", where=str(path)) from None
    found = project.get("dependencies")
    return [str(item) for item in found] if isinstance(found, list) else None


def _lines(path: Path) -> list[str]:
    lines = (re.sub(r"(^|\s)#.*", "", line).strip() for line in path.read_text(encoding="utf-8").splitlines())
    return [line for line in lines if line and not line.startswith("-")]


def others(texts: Sequence[str], where: str) -> tuple[str, ...]:
    """These requirements without hermes-agent and hermes-sdk.

    Raises:
        UsageError: One cannot be read; `where` says in which file.
    """
    try:
        parsed = [Requirement(text) for text in texts]
    except InvalidRequirement as error:
        raise UsageError(f"a requirement cannot be read: {error}", where=where) from None
    return tuple(str(item) for item in parsed if canonicalize_name(item.name) not in _NEVER_INSTALLED)


def _versions(host: Environment) -> list[str]:
    found = importlib.metadata.distributions(path=[str(host.site_packages)])
    return sorted(f"{item.metadata['Name']}=={item.version}" for item in found)
