"""Build hooks: add files that the build backend does not collect, and links to the repository.

The wheel contains the templates as one archive, because installers compile every Python file that they install, and
the compiled files would become part of generated projects. Another archive contains the pages of the documentation.
The sdist contains the templates as plain files. The build backend enters each directory only once, so that links to
`templates/_shared` have to be added.
"""

from __future__ import annotations

import atexit
import re
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

_RELATIVE_LINK = re.compile(r"(?P<picture>!?)\[(?P<text>[^\]]*)\]\((?!https?:|#)(?P<target>[^)]+)\)")


class LinkHook(MetadataHookInterface):
    """Adds project URLs and the README, with absolute links, since a package index shows no other files."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the URLs and the README; without the address of a repository, omit URLs and links."""
        address: str = self.config["repository"]
        files = f"{address}/blob/v{metadata['version']}"
        linked = {
            "Repository": address,
            "Documentation": f"{files}/docs/index.md",
            "Changelog": f"{files}/CHANGELOG.md",
        }
        metadata["urls"] = linked if address else {}
        readme = Path(self.root, "README.md").read_text(encoding="utf-8")
        text = link_files(readme, files) if address else remove_links(readme)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


def link_files(text: str, files: str) -> str:
    """Return Markdown with relative links as links below an address; pictures link to the raw file."""

    def link(found: re.Match[str]) -> str:
        query = "?raw=true" if found["picture"] else ""
        return f"{found['picture']}[{found['text']}]({files}/{found['target']}{query})"

    return _RELATIVE_LINK.sub(link, text)


def remove_links(text: str) -> str:
    """Return Markdown without pictures and relative links; the texts of links stay."""
    return _RELATIVE_LINK.sub(lambda found: "" if found["picture"] else found["text"], text)


class PackageHook(BuildHookInterface[Any]):
    """Adds templates to the sdist, and templates, documentation and stub packages to the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the files before a build; an editable install reads the templates from its checkout."""
        root = Path(self.root)
        included = build_data["force_include"]
        if self.target_name == "sdist":
            included |= {str(link): str(link.relative_to(root)) for link in root.glob("templates/[!_]*/templates")}
            return
        # Install stub packages next to hermes_sdk, where type checkers look for them (PEP 561).
        included[str(root / "hermes_sdk/_stubs")] = "/"
        if version == "standard":
            scratch = TemporaryDirectory(prefix="hermes-sdk-build-")
            atexit.register(scratch.cleanup)
            templates = {str(root / "cookiecutter.json"): "cookiecutter.json"}
            templates |= {str(template): template.name for template in root.glob("templates/[!_]*")}
            pages = {str(page): page.relative_to(root / "docs").as_posix() for page in root.glob("docs/**/*.md")}
            for name, sources in (("templates.zip", templates), ("documentation.zip", pages)):
                archive = Path(scratch.name, name)
                self._pack(sources, archive)
                included[str(archive)] = f"hermes_sdk/{name}"

    def _pack(self, sources: dict[str, str], file: Path) -> None:
        """Write files to an archive under the given names, reproducibly: equal files result in equal bytes."""
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for found in sorted(
                self.build_config.builder.recurse_forced_files(sources), key=lambda found: found.distribution_path
            ):
                entry = zipfile.ZipInfo(found.distribution_path)
                entry.compress_type = zipfile.ZIP_DEFLATED
                entry.external_attr = (0o100755 if Path(found.path).stat().st_mode & 0o100 else 0o100644) << 16
                archive.writestr(entry, Path(found.path).read_bytes())
