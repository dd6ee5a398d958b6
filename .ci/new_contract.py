"""Reads the contract of the newest Hermes Agent on the package index, when it is not known yet.

Writes the data, the page `docs/reference/host-changes.md`, and what changed for plugin authors to `build/contract.md`.
"""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path

from uv import find_uv_bin

ROOT = Path(__file__).parents[1]
DATA = ROOT / "hermes_sdk/contract/data"
PAGE = ROOT / "build/contract.md"


def main() -> None:
    """Extract, compare, write."""
    from hermes_sdk import contract
    from hermes_sdk.contract.extract import add_release, extract
    from hermes_sdk.contract.page import page

    python = ROOT / "build/newest/bin/python"
    uv("venv", "--clear", str(python.parents[1]))
    uv("pip", "install", "--python", str(python), "hermes-agent")
    found = extract(python)
    release = found["release"]
    if release in contract.releases():
        print(f"Hermes Agent {release} is known.")
        return
    before = contract.load(contract.releases()[-1])
    add_release(found, DATA)
    contract.releases.cache_clear()
    PAGE.write_text(page(before, contract.load(release)), encoding="utf-8")
    changes = runpy.run_path(str(ROOT / "docs/host_changes.py"))
    changes["PAGE"].write_text(changes["page"](), encoding="utf-8")
    print(f"Hermes Agent {release} is new: see {PAGE.relative_to(ROOT)}.")


def uv(*arguments: str) -> None:
    """Run uv."""
    subprocess.run([find_uv_bin(), *arguments, "--quiet"], check=True, stdout=sys.stderr)


if __name__ == "__main__":
    main()
