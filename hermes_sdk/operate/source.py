"""Parsing of plugin identifiers: a repository, a local directory or a wheel (statement J2)."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from hermes_sdk.errors import UsageError

_GITHUB = "https://github.com/"
_SCHEMES = ("https://", "http://", "git@", "ssh://", "file://")
_LOCAL = re.compile(r"/|(\.{1,2}|~[^/]*)(/|$)")
_HINT = (
    "Pass a repository (owner/repo, owner/repo/directory or a Git URL), a directory (./plugin) or a wheel "
    "(./plugin-1.0-py3-none-any.whl)."
)


@dataclass(frozen=True)
class Repository:
    """A plugin in a Git repository.

    Attributes:
        url: The URL to clone.
        subdirectory: The plugin's directory in the repository; empty for its root.
        ignored_ref: The branch or tag in a browser URL, which Hermes and this module ignore; usually empty.
    """

    url: str
    subdirectory: str = ""
    ignored_ref: str = ""

    @property
    def name(self) -> str:
        """The plugin's name if its manifest has none."""
        if self.subdirectory:
            return self.subdirectory.rpartition("/")[2]
        return self.url.rstrip("/").removesuffix(".git").rpartition("/")[2].rpartition(":")[2]

    @property
    def is_insecure(self) -> bool:
        """Return whether the transport does not authenticate the repository (statement J3)."""
        return self.url.startswith(("http://", "file://"))


def parse_source(identifier: str, browser_segments: Collection[str]) -> Repository | Path:
    """Parse an identifier.

    Repositories have the forms that ``hermes plugins install`` accepts; an identifier that starts like a path, or ends
    in ``.whl``, is a directory or a wheel.

    Args:
        browser_segments: The path segments after ``owner/repo`` that mark a browser URL of GitHub.

    Raises:
        UsageError: The identifier is not valid.
    """
    if identifier.startswith(_SCHEMES):
        return _parse_url(identifier, browser_segments)
    if _LOCAL.match(identifier) or identifier.endswith(".whl"):
        return _parse_path(identifier)
    owner, repository, *rest = [*filter(None, identifier.split("/")), "", ""]
    if not repository:
        raise UsageError(f"Invalid plugin identifier: '{identifier}'", fix=_HINT)
    return Repository(f"{_GITHUB}{owner}/{repository}.git", "/".join(filter(None, rest)))


def _parse_url(identifier: str, browser_segments: Collection[str]) -> Repository:
    if identifier.startswith(_GITHUB):
        path = identifier.removeprefix(_GITHUB).partition("?")[0].partition("#")[0].strip("/")
        owner, repository, segment, ref, *inside = [*path.split("/"), "", "", "", ""]
        if owner and repository and segment in browser_segments:
            url = f"{_GITHUB}{owner}/{repository.removesuffix('.git')}.git"
            return Repository(url, "/".join(filter(None, inside)), ref) if segment == "tree" else Repository(url)
    url, hash_sign, fragment = identifier.partition("#")
    if hash_sign:
        return Repository(url, fragment.strip("/"))
    url, boundary, path = identifier.partition(".git/")
    return Repository(f"{url}.git" if boundary else url, path.strip("/"))


def _parse_path(identifier: str) -> Path:
    try:
        path = Path(identifier).expanduser().resolve()
    except (RuntimeError, OSError, ValueError) as error:
        raise UsageError(f"'{identifier}' is not a valid path: {error}", fix=_HINT) from error
    if not path.exists():
        raise UsageError(f"'{identifier}' does not exist", fix=_HINT)
    return path
