"""Python environments with one release of hermes-agent, cached per release and version of Python."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from hermes_sdk import contract, installer
from hermes_sdk.cache import cache_dir, make_once
from hermes_sdk.contract.sources import Source, chosen_sources, find_source
from hermes_sdk.errors import UnavailableError, UsageError
from hermes_sdk.files import write_file
from hermes_sdk.hosts import installed
from hermes_sdk.hosts.dependencies import HOST, find_unmet
from hermes_sdk.hosts.processes.isolation.readable import find_editable, list_code

PYTHONS = ((3, 11), (3, 12), (3, 13))
"""The versions of Python on which a release runs, unless its source says otherwise."""

_NEWEST_PYTHON = (3, 14)
"""The version of Python that some releases need; others use it only on request."""

_GIT = re.compile(r"git:(?P<address>.+)@(?P<revision>[^@]+)")

_verified: set[Path] = set()
"""The environments that this process has verified; cached because verification lists all their files."""


@dataclass(frozen=True)
class Environment:
    """A Python environment with one release of hermes-agent.

    Attributes:
        version: The version of Python, such as ``3.11``.
        borrowed: The user's installed Hermes that this environment runs, or None.
    """

    release: str
    python: Path
    version: str
    borrowed: installed.Borrowed | None = None

    @property
    def site_packages(self) -> Path:
        """The site-packages directory."""
        return self.python.parent.parent / "lib" / f"python{self.version}" / "site-packages"

    @property
    def package_directories(self) -> list[str]:
        """The site-packages directories, including those of a borrowed Hermes."""
        return [str(self.site_packages), *map(str, self.borrowed.packages if self.borrowed else ())]

    @property
    def directories(self) -> list[Path]:
        """The directories of the environment: its own, the base Python's, and those of editable installs."""
        places = [self.python.parent.parent, self.python.resolve().parent.parent]
        if self.borrowed:
            places += [self.python.parents[2], *self.borrowed.packages, *map(Path, list_code(str(self.borrowed.code)))]
        return [*places, *map(Path, find_editable(self.package_directories))]


def list_releases() -> tuple[str, ...]:
    """Return the releases with a source for which the embedded host is proven or unavailable, oldest first."""
    wanted = (one for one in contract.known_releases() if contract.is_proven(one) or not contract.is_modelled(one))
    return tuple(one for one in wanted if find_source(one))


def find_newest_release() -> str:
    """Return the newest proven release that is installed here or available on the package index.

    Later releases are installed from their tags only on request.
    """
    return next(release for release in reversed(contract.releases()) if _is_available(release))


def _is_available(release: str) -> bool:
    source = find_source(release)
    return source is not None and (bool(source.requirement) or is_installed(release))


def check_release(release: str) -> None:
    """Check that a real host with this name exists: a release or ``git:<address>@<revision>``.

    Names from `installed.name_host` are also accepted.

    Raises:
        UsageError: There is no such host.
    """
    if not contract.split_location(release)[1]:
        _find_source(release)


def _find_source(release: str) -> Source:
    """Return the source from which a host is installed."""
    if found := _GIT.fullmatch(release):
        return Source(address=found["address"], revision=found["revision"])
    if source := find_source(release):
        return source
    if release in contract.known_releases():
        fix = "The Git tag of this release is unknown; pass a revision as git:<address>@<revision>."
    else:
        fix = f"Use one of: {', '.join(list_releases())}, installed, a path, git:<address>@<revision>."
    raise UsageError(f"the real host {release!r} does not exist", fix=fix)


def python_version(release: str) -> str:
    """Return the version of Python that `environment` uses for a release, such as ``3.11``.

    Raises:
        UsageError: The release is not known.
        UnavailableError: No suitable Python was found.
    """
    return _choose_python(release, _find_source(release))[1]


def _choose_python(release: str, source: Source, wanted: str | None = None) -> tuple[str, str]:
    """Return the Python for a release, as a path or as a version for uv, and its version."""
    wanted = wanted or os.environ.get("HERMES_SDK_PYTHON")
    if source.needs:
        return _find_interpreter(release, wanted, (contract.parse_release(source.needs)[:2],))
    return _find_interpreter(release, wanted, (*PYTHONS, _NEWEST_PYTHON) if wanted else PYTHONS)


def environment(release: str, python: str | None = None) -> Environment:
    """Return the environment of a release; create it if this machine has none (about 200 MB from the package index).

    Upstream's later releases come from their repository. They cannot be built as wheels, so the cache has a checkout
    per commit, which is installed in editable mode.

    Args:
        release: The release, such as ``0.19.0``, or ``git:<address>@<revision>``; or the name of a Hermes that the user
            has installed, which runs in its own Python.
        python: The interpreter to use, or its version, such as ``3.12``. Default: ``$HERMES_SDK_PYTHON``, otherwise the
            running interpreter if it can run Hermes, otherwise one that can.

    Raises:
        UsageError: The release is not known.
        UnavailableError: The environment cannot be created, for example without network or a suitable Python.
    """
    if contract.split_location(release)[1]:
        return _borrow(release)
    source = _find_source(release)
    if source.python:
        return _describe(release, source.python)
    interpreter, version = _choose_python(release, source, python)
    fix = f"Rerun the command with network access; installed hosts are cached in {cache_dir()}."
    commit = _resolve_commit(source) if source.revision else ""
    if commit:
        check_out = partial(installer.check_out, source.address, source.revision)
        make_once(_checkout_path(commit), check_out, what=f"hermes-agent {release}", fix=fix, is_usable=_is_checkout)
    name, wanted = _plan(release, source, commit)
    folder = cache_dir() / "environments" / f"{name}-py{version}"

    def make(target: Path) -> None:
        installer.install(installer.create(target, interpreter), wanted)
        _move_programs(target, folder)

    if folder not in _verified or not folder.is_dir():
        make_once(folder, make, what=f"hermes-agent {release}", fix=fix, is_usable=partial(_has_host, source))
        if source.requirement and _find_distribution(source) != HOST:
            _add_metadata(folder, release)
        _verified.add(folder)
    return Environment(release, folder / "bin" / "python", version)


def _move_programs(source: Path, target: Path) -> None:
    """Rewrite the shebangs of an environment's programs for its final directory."""
    for program in (source / "bin").iterdir():
        if program.is_file() and not program.is_symlink():
            text = program.read_bytes()
            if text.startswith(b"#!") and bytes(source) in text:
                write_file(program, text.replace(bytes(source), bytes(target)), durable=False, journalled=False)


def _add_metadata(folder: Path, release: str) -> None:
    """Add metadata of ``hermes-agent`` to an environment with a redistribution, for plugins that look for it."""
    for site in folder.glob("lib/python*/site-packages"):
        file = site / f"hermes_agent-{release}.dist-info" / "METADATA"
        if not file.exists():
            file.parent.mkdir(exist_ok=True)
            text = f"Metadata-Version: 2.1\nName: {HOST}\nVersion: {release}\n"
            write_file(file, text.encode(), mode=0o644, durable=False)


def _borrow(name: str) -> Environment:
    borrowed = installed.find_borrowed(name)
    return Environment(name, borrowed.python, borrowed.version, borrowed)


def _describe(release: str, python: str) -> Environment:
    """Return the existing environment of a Python.

    Raises:
        UnavailableError: The interpreter cannot be run.
    """
    if (version := installer.version_of(python)) is None:
        raise UnavailableError(f"{python} cannot be run", fix="Name the Python of an environment that has Hermes.")
    return Environment(release, Path(python), "{}.{}".format(*version))


def lend(release: str) -> tuple[list[Path], dict[str, str]]:
    """Create the environment of a release for a child process without network access.

    Returns:
        The paths that the child must be able to read, and its variables.
    """
    chosen = chosen_sources()
    paths = [cache_dir(), *environment(release).directories, *map(Path, chosen.values())]
    return paths, {"HERMES_SDK_CACHE": str(cache_dir()), **chosen}


def is_installed(release: str, needed: Collection[str] = ()) -> bool:
    """Return whether a release and these requirements are installed."""
    host = _find_installed(release)
    if host is None:
        return False
    unmet = _find_unmet(needed, host)
    return not unmet or _has_overlay(unmet, _find_overlay(host, unmet))


def _find_installed(release: str) -> Environment | None:
    """Return the environment of a release if it exists, otherwise None."""
    try:
        if contract.split_location(release)[1]:
            return _borrow(release)
        source = _find_source(release)
        if source.python:
            return _describe(release, source.python)
        version = python_version(release)
    except (UnavailableError, UsageError):
        return None
    file = _commit_path(source)
    commit = file.read_text(encoding="utf-8") if source.revision and file.is_file() else ""
    if source.revision and not commit:
        return None
    name, _ = _plan(release, source, commit)
    folder = cache_dir() / "environments" / f"{name}-py{version}"
    return Environment(release, folder / "bin" / "python", version) if _has_host(source, folder) else None


def _has_host(source: Source, folder: Path) -> bool:
    """Return whether an environment is complete: it has a Python and hermes-agent."""
    files = (folder / "pyvenv.cfg").is_file() and (folder / "bin" / "python").exists()
    sites = folder.glob("lib/python*/site-packages")
    return files and any(installer.is_complete(site, [_find_distribution(source)]) for site in sites)


def _find_distribution(source: Source) -> str:
    """Return the name of the distribution that contains the host."""
    from packaging.requirements import Requirement

    return Requirement(source.requirement).name if source.requirement else HOST


def _is_checkout(folder: Path) -> bool:
    return (folder / "pyproject.toml").is_file()


def _plan(release: str, source: Source, commit: str) -> tuple[str, list[str]]:
    """Return the name of an environment and its requirements; `commit` is the commit of the source's revision."""
    if source.requirement:
        is_plain = source.requirement == f"hermes-agent=={release}"
        return release if is_plain else _slugify(source.requirement), [source.requirement]
    return f"git-{commit[:16]}", ["-e", str(_checkout_path(commit))]


def _resolve_commit(source: Source) -> str:
    """Return the commit of a revision; without network access, the last known commit."""
    file = _commit_path(source)
    if commit := installer.resolve_revision(source.address, source.revision):
        write_file(file, commit.encode(), mode=0o644, durable=False)
        return commit
    if file.is_file():
        return file.read_text(encoding="utf-8")
    raise UnavailableError(
        f"the revision {source.revision!r} of {source.address} cannot be found",
        fix="Check the address, the revision and your network connection.",
    )


def _commit_path(source: Source) -> Path:
    return cache_dir() / "revisions" / _digest(source.address, source.revision)


def _checkout_path(commit: str) -> Path:
    return cache_dir() / "checkouts" / commit


def _slugify(text: str) -> str:
    return re.sub(r"[^a-z0-9.]+", "-", text.lower())


def _digest(*parts: str) -> str:
    import hashlib

    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def overlay(release: str, needed: Collection[str], python: str | None = None, *, may_install: bool) -> tuple[Path, ...]:
    """Install the unmet requirements of a plugin into a separate directory, and return that directory, if any.

    The directory is cached per release, Python and set of requirements, and its versions are compatible with those of
    the environment.

    Args:
        needed: The requirements of a plugin.
        may_install: Whether to install missing requirements.

    Raises:
        UnavailableError: The requirements cannot be installed: no network, no wheel, or a conflict with the host's
            versions.
    """
    if not needed:
        return ()
    from packaging.requirements import Requirement

    host = environment(release, python)
    unmet = _find_unmet(needed, host)
    if not unmet:
        return ()
    folder, name = _find_overlay(host, unmet), contract.format_release(release, "real")
    if not may_install and not _has_overlay(unmet, folder):
        raise UnavailableError(
            f"the plugin requires {', '.join(unmet)}, which {'is' if len(unmet) == 1 else 'are'} not installed for the "
            f"real host {name}",
            fix="To install from wheels, pass --install to `hermes-sdk show` or `hermes-sdk compat`.",
        )

    def make(target: Path) -> None:
        target.mkdir()
        constraints = target / "constraints.txt"
        constraints.write_text("\n".join(_list_versions(host)), encoding="utf-8")
        installer.install_wheels(host.python, map(Requirement, unmet), target, constraints)

    fix = f"Align its requirements with the versions in hermes-agent {name}, or rerun with network access."
    what = f"the plugin's requirements ({', '.join(unmet)})"
    make_once(folder, make, what=what, fix=fix, is_usable=partial(_has_overlay, unmet))
    return (folder,)


def _find_unmet(needed: Collection[str], host: Environment) -> Collection[str]:
    return find_unmet(needed, host.package_directories, host.version)


def _has_overlay(unmet: Collection[str], folder: Path) -> bool:
    from packaging.requirements import Requirement

    names = [one.name for one in map(Requirement, unmet)]
    return (folder / "constraints.txt").is_file() and installer.is_complete(folder, names)


def _find_overlay(host: Environment, unmet: Collection[str]) -> Path:
    """Return the directory for the unmet requirements of an environment."""
    return cache_dir() / "overlays" / f"{host.python.parent.parent.name}-{_digest(*sorted(unmet))}"


@cache
def _find_interpreter(release: str, wanted: str | None, accepted: tuple[tuple[int, ...], ...]) -> tuple[str, str]:
    """Return a Python for a release, as a path or as a version for uv, and its version.

    `wanted` is a path, a version, or None for any; `accepted` has the accepted versions, oldest first.
    """
    running = "{}.{}".format(*sys.version_info)
    if wanted in (None, running) and sys.version_info[:2] in accepted:
        return sys.executable, running
    newest_first = [".".join(map(str, version)) for version in reversed(accepted)]
    versions = [wanted] if wanted in newest_first else [] if wanted else newest_first
    for found in filter(None, map(shutil.which, [f"python{version}" for version in versions] or [str(wanted)])):
        version = installer.version_of(found)
        if version is not None and version in accepted:
            return found, "{}.{}".format(*version)
    if versions and installer.find_uv():
        return versions[0], versions[0]
    needed = " or ".join(filter(None, [", ".join(newest_first[:0:-1]), newest_first[0]]))
    raise UnavailableError(
        f"{wanted or 'the running Python'} cannot run Hermes Agent {release}, which needs Python {needed}",
        fix=f"Install Python {newest_first[0]}, or run `pip install uv`, which downloads it.",
    )


def _list_versions(host: Environment) -> list[str]:
    import importlib.metadata

    found = importlib.metadata.distributions(path=host.package_directories)
    return sorted(f"{item.metadata['Name']}=={item.version}" for item in found)
