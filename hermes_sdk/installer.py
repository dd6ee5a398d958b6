"""Makes Python environments and installs packages, with uv or with venv and pip, and checks repositories out.

What a plugin requires is installed by `install_wheels` only, which runs no code of it.
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
_LENGTH_SHOWN = 1000
_PROXIES = ("all_proxy", "https_proxy", "http_proxy", "no_proxy")
_PASSED = frozenset(
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
    """A step failed; the text is what the installer said last."""


def find_uv() -> str | None:
    """The uv program of PATH, else the one that the package ``uv`` brings, else None."""
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
    """Make an empty environment and return its interpreter.

    Args:
        folder: Where; it must not exist.
        interpreter: The path of a Python, or a version such as ``3.13`` when uv is there to find or fetch it.

    Raises:
        InstallError: It could not be made.
    """
    if uv := find_uv():
        _run([uv, "venv", "--quiet", "--no-project", "--no-config", "--python", interpreter, str(folder)])
    else:
        _run([interpreter, "-I", "-m", "venv", str(folder)])
    return folder / "bin" / "python"


def install(python: Path, wanted: Sequence[str]) -> None:
    """Install packages that the user trusts into an interpreter's own environment, with compiled bytecode.

    Args:
        python: The interpreter.
        wanted: What to install, as pip understands it; ``-e <directory>`` is two of them. Nothing of a plugin.

    Raises:
        InstallError: It did not work out, such as without network.
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
    """Install what a plugin requires into a directory. Nothing is built, so no code of it runs.

    The installer has a temporary home, and none of the user's variables but those that say how to reach the index.

    Args:
        python: The interpreter that they are for.
        constraints: A file of versions to keep to.

    Raises:
        InstallError: It did not work out, such as without network, or because there is no wheel.
    """
    options = ["--target", str(target), "--only-binary", ":all:", *(["-c", str(constraints)] if constraints else [])]
    with surroundings() as (environment, scratch):
        if uv := find_uv():
            command = _uv_command(uv, python)
        else:
            _run([str(python), "-I", "-m", "venv", str(scratch / "pip")], environment, scratch)
            command = _pip_command(scratch / "pip" / "bin" / "python")
        _run([*command, *options, "--", *map(str, requirements)], environment, scratch)


@contextlib.contextmanager
def surroundings() -> Generator[tuple[dict[str, str], Path]]:
    """Yield the environment and the working directory of an installer that reads what a plugin says."""
    with scratch_directory("hermes-sdk-install-") as scratch:
        kept = {key: value for key, value in os.environ.items() if key in _PASSED or key.lower() in _PROXIES}
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "uv"
        defaults = {"UV_CACHE_DIR": str(cache)}
        configuration = Path.home() / ".config" / "pip" / "pip.conf"
        if configuration.is_file():
            defaults["PIP_CONFIG_FILE"] = str(configuration)
        yield {**defaults, **kept, "HOME": str(scratch), "TMPDIR": str(scratch)}, scratch


def is_whole(site: Path, names: Iterable[str]) -> bool:
    """Return whether a directory of packages has these distributions, with all that they put at its top."""
    from packaging.utils import canonicalize_name

    found = {canonicalize_name(info.name.partition("-")[0]): info for info in site.glob("*.dist-info")}
    infos = [found.get(canonicalize_name(name)) for name in names]
    return site.is_dir() and all(info is not None and _has_top(site, info / "RECORD") for info in infos)


def _has_top(site: Path, record: Path) -> bool:
    try:
        with record.open(encoding="utf-8", newline="") as file:
            top = {row[0].partition("/")[0] for row in csv.reader(file) if row}
    except (OSError, ValueError):
        return False
    return all((site / name).exists() for name in top if name != "..")


def _uv_command(uv: str, python: Path) -> list[str]:
    return [uv, "pip", "install", "--quiet", "--no-config", "--compile-bytecode", "--python", str(python)]


def _pip_command(python: Path) -> list[str]:
    # A directory `pip` where the user is would be imported without -I.
    return [str(python), "-I", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]


def _ensure_pip(python: Path) -> None:
    """Give an environment pip, which one that uv made lacks."""
    if not list(python.parent.parent.glob("lib/python*/site-packages/pip")):
        _run([str(python), "-I", "-m", "ensurepip", "--default-pip"])


def check_out(address: str, revision: str, folder: Path) -> None:
    """Fetch one revision of a Git repository, without its history.

    Args:
        address: The address of the repository, or a directory.
        revision: A tag, branch or full commit hash.
        folder: Where to; it must not exist.

    Raises:
        InstallError: There is no Git, no network, or no such revision.
    """
    git = shutil.which("git")
    if git is None:
        raise InstallError("git is not installed")
    _run([git, "init", "--quiet", str(folder)])
    _run([git, "-C", str(folder), "fetch", "--quiet", "--depth", "1", "--no-tags", "--", address, revision])
    _run([git, "-C", str(folder), "checkout", "--quiet", "--detach", "FETCH_HEAD"])


def resolve_revision(address: str, revision: str) -> str | None:
    """Return the commit that a tag or branch of a Git repository names; None when that cannot be asked."""
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
    return commits[-1] if commits else None  # The last one is the commit of an annotated tag.


def _run(command: Sequence[str], environment: Mapping[str, str] | None = None, cwd: Path | None = None) -> str:
    # The environment that is being worked on is named on the command line; an activated one would only confuse.
    own = {name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "PYTHONPATH")}
    # Without a network, uv's three retries take seven seconds.
    defaults = {"UV_HTTP_RETRIES": "1"}
    try:
        done = subprocess.run(
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
    if done.returncode:
        said = " ".join((done.stderr.strip() or done.stdout.strip()).removeprefix("error: ").split())
        if _UNREACHABLE.search(said):
            address = re.search(r"https?://([^/\s`']+)", said)
            raise InstallError(f"{address[1] if address else 'the package index'} cannot be reached")
        raise InstallError(said[-_LENGTH_SHOWN:] or f"{command[0]} ended with status {done.returncode}")
    return done.stdout


def version_of(interpreter: str) -> tuple[int, int] | None:
    """The version of a Python, or None when it does not run."""
    program = "import sys; print(*sys.version_info[:2])"
    try:
        done = subprocess.run(
            [interpreter, "-I", "-c", program], check=False, capture_output=True, text=True, timeout=30
        )
        major, minor = map(int, done.stdout.split())
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
    return major, minor
