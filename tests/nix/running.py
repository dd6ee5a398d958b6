"""Nix with a private store, which needs no daemon, network or root."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
PLUGINS = Path(__file__).parent / "plugins"

PYTHON = Path(sys.executable).resolve()
SITE_PACKAGES = Path(yaml.__file__).resolve().parent.parent

SETTINGS = """\
build-users-group =
substitute = false
substituters =
sandbox = false
experimental-features = nix-command flakes
"""


def expression(value: Any) -> str:
    """Return a Nix expression for a JSON value."""
    text = json.dumps(json.dumps(value, default=str)).replace("${", "\\${")
    return f"(builtins.fromJSON {text})"


def load(file: Path | str) -> str:
    """Return a Nix expression that imports a file of the repository."""
    return f"(import (/. + {json.dumps(str(ROOT / file))}))"


@dataclass(frozen=True)
class Nix:
    """Nix with its own store.

    Attributes:
        environment: Environment variables that select the store.
    """

    environment: dict[str, str]

    lib = load("nix/testing/lib.nix")
    pkgs = (
        f"({load('nix/testing/pkgs.nix')} {{"
        f" python = {json.dumps(str(PYTHON))}; yaml = {json.dumps(str(SITE_PACKAGES))}; }})"
    )

    def run(self, *command: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run a Nix command."""
        done = subprocess.run(command, check=False, text=True, capture_output=True, env=self.environment)
        assert not (check and done.returncode), done.stderr
        return done

    def evaluate(self, code: str, *, check: bool = True) -> Any:
        """Return the value of an expression, or with `check=False` the completed process."""
        done = self.run(
            "nix-instantiate", "--eval", "--strict", "--json", "--read-write-mode", "--expr", code, check=False
        )
        if not check:
            return done
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def build(self, code: str, *options: str) -> list[Path]:
        """Build an expression, and return the output paths; raise BuildError if it fails."""
        done = self.run("nix-build", "--no-out-link", *options, "--expr", code, check=False)
        if done.returncode:
            raise BuildError(done.stderr)
        return [Path(line) for line in done.stdout.splitlines()]

    def system(self, home: Path, sources: Sequence[str | Path] = (), **given: Any) -> str:
        """Return the expression of a system (see system.nix); relative sources are directories in `plugins/`."""
        paths = expression([PLUGINS / source for source in sources])
        more = " ".join(f"{key} = {expression(value)};" for key, value in given.items())
        return (
            f"{load('tests/nix/system.nix')} {{ lib = {self.lib}; pkgs = {self.pkgs};"
            f" home = {expression(home)}; sources = {paths}; {more} }}"
        )


def flakes(nix: Nix, root: Path) -> tuple[str, str]:
    """Create a flake of this project and one of the stand-in for nixpkgs, and return both as inputs."""
    flake, nixpkgs = root / "flake", root / "nixpkgs"
    ignored = shutil.ignore_patterns("__pycache__")
    for name in ("nix", "hermes_sdk", "tests/nix", "docs"):
        shutil.copytree(ROOT / name, flake / name, ignore=ignored)
    for name in ("flake.nix", "pyproject.toml"):
        shutil.copy(ROOT / name, flake)
    shutil.copytree(ROOT / "nix" / "testing", nixpkgs / "nix" / "testing")
    shutil.copy(ROOT / "pyproject.toml", nixpkgs)
    shutil.copy(ROOT / "nix" / "testing" / "flake.nix", nixpkgs)
    system = nix.evaluate("builtins.currentSystem")
    machine = {"python": str(PYTHON), "yaml": str(SITE_PACKAGES), "system": system}
    (nixpkgs / "machine.nix").write_text(expression(machine))
    return f"path:{flake}", f"path:{nixpkgs}"


class BuildError(Exception):
    """Output of Nix for a failed build."""


def environment(root: Path) -> dict[str, str]:
    for name in ("store", "var", "log", "etc"):
        (root / name).mkdir(parents=True, exist_ok=True)
    (root / "etc" / "nix.conf").write_text(SETTINGS)
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(root),
        "NIX_STORE_DIR": str(root / "store"),
        "NIX_LOCALSTATE_DIR": str(root / "var"),
        "NIX_STATE_DIR": str(root / "var" / "nix"),
        "NIX_LOG_DIR": str(root / "log"),
        "NIX_CONF_DIR": str(root / "etc"),
        "NIX_REMOTE": "local",
        "NIX_PATH": "",
    }
