"""Creation of Python environments, package installation with uv or with venv and pip, and Git checkouts.

Requirements of plugins are installed only by `install_wheels`, which runs none of their code.
"""

from __future__ import annotations

import contextlib
import csv
import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Generator, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hermes_sdk.journal import scratch_directory

if TYPE_CHECKING:
    from packaging.requirements import Requirement

_TIME_LIMIT = 900.0
_MAX_MESSAGE_LENGTH = 1000
_PROXIES = ("all_proxy", "https_proxy", "http_proxy", "no_proxy")
_INHERITED = frozenset(
    {"PATH", "LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "SSL_CERT_DIR", "SSL_CERT_FILE"}
    | {f"UV_{name}" for name in ("CACHE_DIR", "HTTP_RETRIES", "HTTP_TIMEOUT", "INDEX", "DEFAULT_INDEX", "OFFLINE")}
    | {f"PIP_{name}" for name in ("CACHE_DIR", "CERT", "CONFIG_FILE", "DEFAULT_TIMEOUT", "RETRIES", "TRUSTED_HOST")}
    | {
        f"{tool}_{name}"
        for tool in ("PIP", "UV")
        for name in ("EXTRA_INDEX_URL", "FIND_LINKS", "INDEX_URL", "NO_INDEX")
    }
)
_UNREACHABLE = re.compile(
    "dns error|name resolution|resolve host|connection refused|network is unreachable|new connection|timed out", re.I
)
_COMMIT = re.compile(r"[0-9a-f]{40}")


class InstallError(OSError):
    """A step of an installation failed; the text is the last output of the installer."""


def find_uv() -> str | None:
    """Return the uv program on PATH, else that of the package ``uv``, else None."""
    if found := shutil.which("uv"):
        return found
    if importlib.util.find_spec("uv") is None:
        return None
    import uv

    try:
        return str(uv.find_uv_bin())
    except FileNotFoundError:
        return None


def create(folder: Path, interpreter: str) -> Path:
    """Create an empty environment and return its interpreter.

    Args:
        folder: The directory of the environment; must not exist yet.
        interpreter: The path of a Python interpreter, or with uv a version such as ``3.13``.

    Raises:
        InstallError: The environment could not be created.
    """
    if uv := find_uv():
        _run([uv, "venv", "--quiet", "--no-project", "--no-config", "--python", interpreter, str(folder)])
    else:
        _run([interpreter, "-I", "-m", "venv", str(folder)])
    return folder / "bin" / "python"


def install(python: Path, wanted: Sequence[str]) -> None:
    """Install packages that the user trusts into an interpreter's environment, with compiled bytecode.

    Args:
        python: The interpreter.
        wanted: Arguments for pip, such as requirements, or ``-e`` and a directory. Must not come from a plugin.

    Raises:
        InstallError: The installation failed, for example without network.
    """
    if uv := find_uv():
        command = _uv_command(uv, python)
    else:
        _ensure_pip(python)
        command = _pip_command(python)
    _run([*command, *wanted])


def install_wheels(
    python: Path, requirements: Iterable[Requirement], target: Path, constraints: Path | None = None
) -> None:
    """Install a plugin's requirements into a directory from wheels only, so that none of their code runs.

    The installer gets a temporary home, and only those of the user's variables that configure access to the index.

    Args:
        python: The interpreter for which to install them.
        constraints: A constraints file.

    Raises:
        InstallError: The installation failed, for example without network or because there is no wheel.
    """
    options = ["--target", str(target), "--only-binary", ":all:", *(["-c", str(constraints)] if constraints else [])]
    with isolated_environment() as (environment, scratch):
        if uv := find_uv():
            command = _uv_command(uv, python)
        else:
            _run([str(python), "-I", "-m", "venv", str(scratch / "pip")], environment, scratch)
            command = _pip_command(scratch / "pip" / "bin" / "python")
        _run([*command, *options, "--", *map(str, requirements)], environment, scratch)


@contextlib.contextmanager
def isolated_environment() -> Generator[tuple[dict[str, str], Path]]:
    """Yield the environment and working directory of an installer that processes a plugin's requirements."""
    with scratch_directory("hermes-sdk-install-") as scratch:
        inherited = {key: value for key, value in os.environ.items() if key in _INHERITED or key.lower() in _PROXIES}
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "uv"
        defaults = {"UV_CACHE_DIR": str(cache)}
        configuration = Path.home() / ".config" / "pip" / "pip.conf"
        if configuration.is_file():
            defaults["PIP_CONFIG_FILE"] = str(configuration)
        yield {**defaults, **inherited, "HOME": str(scratch), "TMPDIR": str(scratch)}, scratch


def is_complete(site: Path, names: Iterable[str]) -> bool:
    """Return whether a directory contains these distributions with all their top-level files."""
    from packaging.utils import canonicalize_name

    found = {canonicalize_name(info.name.partition("-")[0]): info for info in site.glob("*.dist-info")}
    infos = [found.get(canonicalize_name(name)) for name in names]
    return site.is_dir() and all(info is not None and _has_top_level(site, info / "RECORD") for info in infos)


def _has_top_level(site: Path, record: Path) -> bool:
    try:
        with record.open(encoding="utf-8", newline="") as file:
            top = {row[0].partition("/")[0] for row in csv.reader(file) if row}
    except (OSError, ValueError):
        return False
    return all((site / name).exists() for name in top if name != "..")


def _uv_command(uv: str, python: Path) -> list[str]:
    return [uv, "pip", "install", "--quiet", "--no-config", "--compile-bytecode", "--python", str(python)]


def _pip_command(python: Path) -> list[str]:
    # Without -I, a directory `pip` in the current directory would be imported.
    return [str(python), "-I", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]


def _ensure_pip(python: Path) -> None:
    """Install pip in an environment that lacks it because uv created it."""
    if not list(python.parent.parent.glob("lib/python*/site-packages/pip")):
        _run([str(python), "-I", "-m", "ensurepip", "--default-pip"])


def check_out(address: str, revision: str, folder: Path) -> None:
    """Fetch a single revision of a Git repository, without its history.

    Args:
        address: The address of the repository, or a directory.
        revision: A tag, branch or full commit hash.
        folder: The target directory; must not exist yet.

    Raises:
        InstallError: Git, the network or the revision is missing.
    """
    git = shutil.which("git")
    if git is None:
        raise InstallError("git is not installed")
    _run([git, "init", "--quiet", str(folder)])
    _run([git, "-C", str(folder), "fetch", "--quiet", "--depth", "1", "--no-tags", "--", address, revision])
    _run([git, "-C", str(folder), "checkout", "--quiet", "--detach", "FETCH_HEAD"])


def resolve_revision(address: str, revision: str) -> str | None:
    """Return the commit of a tag or branch in a Git repository; None if it cannot be determined."""
    if _COMMIT.fullmatch(revision):
        return revision
    git = shutil.which("git")
    if git is None:
        return None
    try:
        listed = _run([git, "ls-remote", "--", address, revision, f"{revision}^{{}}"])
    except InstallError:
        return None
    commits = [line.split("\t")[0] for line in listed.splitlines()]
    return commits[-1] if commits else None  # For an annotated tag, the last line has its commit.


def _run(command: Sequence[str], environment: Mapping[str, str] | None = None, cwd: Path | None = None) -> str:
    # Ignore an activated environment: the target environment is passed on the command line.
    own = {name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "PYTHONPATH")}
    # Without a network, uv's three retries take seven seconds.
    defaults = {"UV_HTTP_RETRIES": "1"}
    try:
        completed = subprocess.run(
            command,
            check=False,
            env={**defaults, **(own if environment is None else environment), "GIT_TERMINAL_PROMPT": "0"},
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_TIME_LIMIT,
        )
    except subprocess.TimeoutExpired:
        raise InstallError(f"{Path(command[0]).name} took longer than {_TIME_LIMIT:.0f} s") from None
    if completed.returncode:
        said = " ".join((completed.stderr.strip() or completed.stdout.strip()).removeprefix("error: ").split())
        if _UNREACHABLE.search(said):
            address = re.search(r"https?://([^/\s`']+)", said)
            raise InstallError(f"{address[1] if address else 'the package index'} cannot be reached")
        raise InstallError(said[-_MAX_MESSAGE_LENGTH:] or f"{command[0]} ended with status {completed.returncode}")
    return completed.stdout


def version_of(interpreter: str) -> tuple[int, int] | None:
    """Return the version of a Python interpreter, or None if it cannot be run."""
    program = "import sys; print(*sys.version_info[:2])"
    try:
        completed = subprocess.run(
            [interpreter, "-I", "-c", program], check=False, capture_output=True, text=True, timeout=30
        )
        major, minor = map(int, completed.stdout.split())
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
    return major, minor
