"""Read the contract of the newest release of Hermes Agent, if it is not known yet.

Upstream tags a release `v<release>` and publishes no wheels: the host is installed from a checkout of the tag. Writes
the data, the tag of the release in `sources.toml`, the page `docs/reference/host-changes.md`, and what changed for
plugin authors to `build/contract.md`.
"""

from __future__ import annotations

import re
import runpy
import subprocess
import tomllib
from pathlib import Path

from hermes_sdk import contract
from hermes_sdk.contract import parse_release
from hermes_sdk.contract.extract import add_release, extract
from hermes_sdk.contract.page import page
from hermes_sdk.hosts.environments import environment

ROOT = Path(__file__).parents[1]
DATA = ROOT / "hermes_sdk/contract/data"
SOURCES = ROOT / "hermes_sdk/contract/sources.toml"
PAGE = ROOT / "build/contract.md"

# Older tags are dates, such as v2026.9.21.
_TAG = re.compile(r"refs/tags/v(0\.\d+\.\d+)$", re.MULTILINE)


def main() -> None:
    """Extract the contract of the newest tag, and write it and its differences from the previous release."""
    address = tomllib.loads(SOURCES.read_text(encoding="utf-8"))["repository"]["address"]
    release = find_newest(address)
    if release in contract.api_releases():
        print(f"Hermes Agent {release} is known.")
        return
    before = contract.load(contract.api_releases()[-1])
    found = extract(environment(f"git:{address}@v{release}").python)
    add_release({**found, "release": release}, DATA)
    SOURCES.write_text(add_source(SOURCES.read_text(encoding="utf-8"), release), encoding="utf-8")
    for known in (contract.known_releases, contract.releases, contract.api_releases, contract.load):
        known.cache_clear()
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page(before, contract.load(release)), encoding="utf-8")
    changes = runpy.run_path(str(ROOT / "docs/host_changes.py"))
    changes["PAGE"].write_text(changes["page"](), encoding="utf-8")
    print(f"Hermes Agent {release} is new: see {PAGE.relative_to(ROOT)}.")


def find_newest(address: str) -> str:
    """Return the newest release that has a tag in a repository."""
    command = ["git", "ls-remote", "--tags", "--refs", "--", address]
    listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return max(_TAG.findall(listed), key=parse_release)


def add_source(text: str, release: str) -> str:
    """Add the tag of a release to the text of `sources.toml`."""
    if release not in tomllib.loads(text)["tag"]:
        text += f'"{release}" = "v{release}"\n'
    return text


if __name__ == "__main__":
    main()
