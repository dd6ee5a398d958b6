"""A plugin's entry in the catalog: a YAML file with the fields that the host's catalog reader knows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from hermes_sdk.errors import UsageError
from hermes_sdk.submit.capabilities import Uses

_NAME = re.compile(r"[a-z0-9_-]{1,64}")
_VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,31}")
_SSH = re.compile(r"(?:ssh://)?(?:[^@/\s]+@)?(?P<host>[^:/\s]+)(?::\d+/|[:/])(?P<path>.+)")
_HOST_WITH_OWNERS = "github.com"


def make_entry(manifest: Mapping[Any, Any], *, url: str, commit: str, subdirectory: str, uses: Uses) -> dict[str, Any]:
    """Return the fields of an entry; empty fields are omitted.

    Args:
        url: The URL of the repository in any form that Git accepts.

    Raises:
        UsageError: A required field cannot be created.
    """
    repository = make_https(url)
    version = str(manifest.get("version") or "").strip()
    fields = {
        "name": make_key(str(manifest.get("name") or "")),
        "title": _read_string(manifest.get("label")),
        "repo": repository,
        "sha": commit,
        "subdir": subdirectory,
        "description": " ".join(_read_string(manifest.get("description")).split()),
        "maintainer": _find_maintainer(repository, manifest.get("author")),
        "tier": "community",
        "category": uses.category,
        "requires_hermes": _read_string(manifest.get("requires_hermes")),
        "version": version if _VERSION.fullmatch(version) else "",
        "docs_url": docs if (docs := _read_string(manifest.get("homepage"))).startswith("https://") else "",
        "platforms": [one for one in manifest.get("platforms") or [] if isinstance(one, str)],
        "capabilities": {
            key: names for key, names in (*uses.provides.items(), ("requires_env", uses.variables)) if names
        },
    }
    return {name: value for name, value in fields.items() if value}


def render(entry: Mapping[str, Any]) -> str:
    """Return the YAML of an entry."""
    import yaml

    return yaml.safe_dump(dict(entry), sort_keys=False, allow_unicode=True, width=100)


def make_https(url: str) -> str:
    """Return the HTTPS URL of a repository, without user name and password.

    Raises:
        UsageError: It has no HTTPS URL, for example because it is a directory.
    """
    parts = urlsplit(url)
    if parts.scheme in ("http", "https") and parts.hostname:
        port = f":{parts.port}" if parts.port else ""
        host, path = f"{parts.hostname}{port}", parts.path
    elif parts.scheme != "file" and not url.startswith(("/", ".")) and (found := _SSH.fullmatch(url)):
        host, path = found["host"], found["path"]
    else:
        raise UsageError(
            f"the remote `origin` is {url!r}, which has no https address",
            fix="Publish the repository, and run `git remote set-url origin https://…`.",
        )
    return f"https://{host}/{path.strip('/').removesuffix('.git')}"


def make_key(name: str) -> str:
    """Return the key of a plugin in the catalog.

    Raises:
        UsageError: Its name has no letter, digit, `-` or `_`, or is too long.
    """
    key = re.sub(r"[^a-z0-9_-]+", "-", name.lower()).strip("-")
    if not _NAME.fullmatch(key):
        raise UsageError(
            f"the name {name!r} cannot be used as a key of the catalog",
            fix="Name the plugin with 1 to 64 letters, digits, `-` or `_`.",
        )
    return key


def _find_maintainer(repository: str, author: object) -> str:
    """Return the owner of a repository on GitHub, or else the author in the manifest."""
    parts = urlsplit(repository)
    if parts.hostname == _HOST_WITH_OWNERS:
        return parts.path.strip("/").partition("/")[0]
    return _read_string(author.get("name") if isinstance(author, dict) else author)


def _read_string(value: object) -> str:
    return str(value).strip() if value is not None and not isinstance(value, bool) else ""
