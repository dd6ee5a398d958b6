"""Write `docs/reference/nix.md`: the options of the Nix modules."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "reference" / "nix.md"


def render(lib: str = "./nix/testing/lib.nix") -> str:
    """Return the page.

    Args:
        lib: The lib of nixpkgs or its stand-in, as a Nix path relative to the repository.
    """
    expression = f"import ./nix/docs.nix {{ lib = import {lib}; }}"
    # Nothing is built, so use the dummy store, which works without a Nix store on disk.
    command = ["nix-instantiate", "--eval", "--strict", "--json", "--store", "dummy://", "--expr", expression]
    text: str = json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout)
    return text


if __name__ == "__main__":
    if shutil.which("nix-instantiate"):
        PAGE.write_text(render(), encoding="utf-8")
    else:
        print(f"no nix-instantiate on PATH: {PAGE.relative_to(ROOT)} stays as it is", file=sys.stderr)
