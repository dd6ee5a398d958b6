"""Makes Python environments and installs packages: with uv, from PATH or the package ``uv``, else with venv and pip."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

_TIME_LIMIT = 900.0
_LENGTH_SHOWN = 1000


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
        requirements: What to install, as pip understands it.
        target: Install into this directory. Default: into the interpreter's own environment.
        constraints: A file of versions to keep to.

    Raises:
        InstallError: It did not work out, such as without network.
    """
    options = [*(["--target", str(target)] if target else []), *(["-c", str(constraints)] if constraints else [])]
    if uv := find_uv():
        command = [uv, "pip", "install", "--quiet", "--no-config", "--compile-bytecode", "--python", str(python)]
    else:
        command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    _run([*command, *options, *requirements])


def _run(command: Sequence[str]) -> None:
    # The environment that is being worked on is named on the command line; an activated one would only confuse.
    environment = {name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "PYTHONPATH")}
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
