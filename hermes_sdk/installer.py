"""Makes Python environments and installs packages, with uv or with venv and pip, and checks repositories out."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

_TIME_LIMIT = 900.0
_LENGTH_SHOWN = 1000
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
        _run([interpreter, "-m", "venv", str(folder)])
    return folder / "bin" / "python"


def install(
    python: Path, requirements: Sequence[str], *, target: Path | None = None, constraints: Path | None = None
) -> None:
    """Install packages with compiled bytecode.

    Args:
        python: The interpreter that they are for.
        requirements: What to install, as pip understands it; ``-e <directory>`` is two of them.
        target: Install into this directory. Default: into the interpreter's own environment.
        constraints: A file of versions to keep to.

    Raises:
        InstallError: It did not work out, such as without network.
    """
    options = [*(["--target", str(target)] if target else []), *(["-c", str(constraints)] if constraints else [])]
    if uv := find_uv():
        command = [uv, "pip", "install", "--quiet", "--no-config", "--compile-bytecode", "--python", str(python)]
    else:
        _ensure_pip(python)
        command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    _run([*command, *options, *requirements])


def _ensure_pip(python: Path) -> None:
    """Give an environment pip, which one that uv made lacks."""
    if not list(python.parent.parent.glob("lib/python*/site-packages/pip")):
        _run([str(python), "-m", "ensurepip", "--default-pip"])


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


def _run(command: Sequence[str]) -> str:
    # The environment that is being worked on is named on the command line; an activated one would only confuse.
    environment = {name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "PYTHONPATH")}
    environment["GIT_TERMINAL_PROMPT"] = "0"
    try:
        done = subprocess.run(
            command,
            check=False,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_TIME_LIMIT,
        )
    except subprocess.TimeoutExpired:
        raise InstallError(f"{Path(command[0]).name} took longer than {_TIME_LIMIT:.0f} s") from None
    if done.returncode:
        said = " ".join((done.stderr.strip() or done.stdout.strip()).removeprefix("error: ").split())
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
