"""Update the fingerprints of all releases with a contract, after a change of `hosts/embedded/imitated.toml`."""

from __future__ import annotations

from pathlib import Path

from hermes_sdk.contract.extract import extract_fingerprints, render_section
from hermes_sdk.contract.loader import read_releases
from hermes_sdk.contract.weave import weave
from hermes_sdk.hosts.environments import environment

DATA = Path(__file__).parents[1] / "hermes_sdk/contract/data"


def main() -> None:
    """Write the fingerprints of each release from its source."""
    releases = read_releases(DATA)
    found = {release: render_section(extract_fingerprints(environment(release).python)) for release in releases}
    (DATA / "fingerprints.txt").write_text(weave(found), encoding="utf-8")


if __name__ == "__main__":
    main()
