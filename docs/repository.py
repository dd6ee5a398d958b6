"""Write the parts of pages that depend on the address of this repository, and configure the address for the site.

`repository` in `pyproject.toml` is the only place with the address. It is empty until hermes-sdk is published: then
pages have no links to the repository, and hermes-sdk is installed from a clone.

A part of a page begins with `<!-- repository: NAME -->` and ends with `<!-- end of repository -->`.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from urllib.parse import urlsplit

from mkdocs.config.defaults import MkDocsConfig

ROOT = Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
ADDRESS: str = PROJECT["tool"]["hatch"]["metadata"]["hooks"]["custom"]["repository"]

_PART = re.compile(r"(<!-- repository: (?P<name>[\w-]+) -->\n).*?(?=<!-- end of repository -->)", re.DOTALL)

_NOT_RUN = "<!-- example: not run: the tests run in an environment that has it -->\n"
_PRE_COMMIT = """\
<!-- example: new -->
```yaml
# .pre-commit-config.yaml
- repo: {address}
  rev: v{version}
  hooks: [{{ id: %s }}]
```
"""
PUBLISHED = {
    "install": _NOT_RUN + "```sh\npip install 'hermes-sdk[test]'\n```\n",
    "pre-commit-check": _PRE_COMMIT % "hermes-sdk-check",
    "pre-commit-verify": _PRE_COMMIT % "hermes-sdk-verify",
    "action": """\
```yaml
# a step of a workflow, after the plugin's own packages are installed
- uses: {path}@v{version}
  with:
    target: ">=0.19"
    sarif: hermes.sarif
```
""",
    "attestation": """\
<!-- example: not run: it asks GitHub -->
```console
$ gh attestation verify hermes_sdk-{version}-py3-none-any.whl --repo {path}
```
""",
}
"""Parts of pages if the repository has an address."""

UNPUBLISHED = {
    "install": _NOT_RUN + "```sh\npip install './hermes-sdk[test]'      # beside a clone of hermes-sdk\n```\n"
}
"""Parts of pages if the repository has no address; the other parts are then empty."""


def fill(text: str, address: str) -> str:
    """Return a page with the parts for an address, which may be empty."""
    values = {
        "address": address,
        "path": urlsplit(address).path.strip("/"),
        "version": PROJECT["project"]["version"],
    }

    def write(part: re.Match[str]) -> str:
        published = PUBLISHED[part["name"]].format(**values)
        return part[1] + (published if address else UNPUBLISHED.get(part["name"], ""))

    return _PART.sub(write, text)


def on_config(config: MkDocsConfig, **_: object) -> MkDocsConfig:
    """Show the link to the repository on each page of the site."""
    if ADDRESS:
        config.repo_url = ADDRESS
        config.repo_name = "hermes-sdk"
    return config


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(fill(page.read_text(encoding="utf-8"), ADDRESS), encoding="utf-8")
