"""Build wheels of this repository, and install them into clean environments."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
BIN = Path(sys.executable).parent
UV = shutil.which("uv", path=f"{os.environ['PATH']}{os.pathsep}{BIN}")


def run(*argv: str, cwd: Path) -> str:
    """Run a command without environment variables of this Python, and return its output."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PYTEST", "VIRTUAL"))}
    done = subprocess.run(argv, cwd=cwd, env=kept, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def uv(*argv: str, cwd: Path) -> None:
    """Run uv offline, which is faster, and with the network only if that fails."""
    assert UV
    try:
        run(UV, "--offline", *argv, cwd=cwd)
    except AssertionError:
        run(UV, *argv, cwd=cwd)


def build(project: Path, output: Path, *options: str) -> Path:
    """Build a wheel, through an sdist unless an option changes that, and return its path."""
    if UV:
        uv("build", *options, "--out-dir", str(output), str(project), cwd=output.parent)
    else:
        run(sys.executable, "-m", "build", *options, "--outdir", str(output), str(project), cwd=output.parent)
    (wheel,) = output.glob("*.whl")
    return wheel


def add(environment: Path, *packages: str) -> None:
    """Install packages into an environment."""
    python = str(environment / "bin/python")
    if UV:
        uv("pip", "install", "--python", python, *packages, cwd=environment.parent)
    else:
        run(python, "-m", "pip", "install", *packages, cwd=environment.parent)


def install(wheel: Path, environment: Path, extra: str = "") -> None:
    """Create an environment with the wheel, its requirements, and those of an extra such as `[test]`."""
    if UV:
        uv("venv", "--python", sys.executable, str(environment), cwd=environment.parent)
    else:
        run(sys.executable, "-m", "venv", str(environment), cwd=environment.parent)
    add(environment, f"{wheel}{extra}")
