"""Portable plugins: a directory with a ``plugin.json`` and skills, of which no Python runs (statements N16 and N17)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from hermes_sdk.documents import parse_json, read_text
from hermes_sdk.manifest import load_yaml

MANIFEST = "plugin.json"
SERVERS = "mcp.json"

_SCHEMA = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json"
_FIELDS = frozenset(
    {
        *("$schema", "name", "version", "description", "author", "homepage", "repository", "license", "keywords"),
        "extensions",
    }
)
_NAME = re.compile(r"(?!.*(?:--|\.\.))[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?")
_SKILL_NAME = re.compile(r"(?!.*--)[a-z0-9]+(?:-[a-z0-9]+)*")
_FRONT_MATTER = re.compile(r"---(.*?)\n---\s*\n", re.DOTALL)


class Skill(NamedTuple):
    """One skill; `problem` says why it cannot be used, or is empty."""

    name: str
    file: Path
    description: str = ""
    problem: str = ""


def namespace(key: str) -> str:
    """Return the namespace of the skills of a plugin."""
    plain = "".join(one if one.isascii() and (one.isalnum() or one in "_-") else "-" for one in key.lower())
    return f"agent-plugin-{plain.strip('-_') or 'plugin'}-{hashlib.sha256(key.encode()).hexdigest()[:8]}"


def read_manifest(directory: Path) -> tuple[dict[str, Any], list[str]]:
    """Read the manifest of a directory.

    Returns:
        Its known fields, and what is wrong with others.

    Raises:
        ValueError: The directory holds no portable plugin.
    """
    file = directory / MANIFEST
    if not _lies_in(file, directory) or not file.is_file():
        raise ValueError("plugin.json must be a regular file within the plugin root")
    try:
        manifest = parse_json(read_text(file))
    except (OSError, ValueError) as error:
        raise ValueError(f"plugin.json is not valid readable JSON: {error}") from error
    if not isinstance(manifest, dict):
        raise ValueError("plugin.json must contain a JSON object")
    ignored = [f"ignored unknown top-level field: {name}" for name in sorted(manifest.keys() - _FIELDS)]
    known = {name: value for name, value in manifest.items() if name in _FIELDS}
    if "extensions" in known and not isinstance(known["extensions"], dict):
        del known["extensions"]
        ignored.append("ignored non-object extensions field")
    problem = _find_problem(known)
    if problem is not None:
        raise ValueError(f"plugin.json {problem}")
    return known, ignored


def _find_problem(manifest: Mapping[str, Any]) -> str | None:
    name, author, keywords = manifest.get("name"), manifest.get("author", {}), manifest.get("keywords", [])
    if manifest.get("$schema") != _SCHEMA:
        return "declares an unsupported or missing Agent Plugins schema"
    if not isinstance(name, str) or len(name) > 64 or not _NAME.fullmatch(name):
        return "name does not satisfy v1 constraints"
    for field in ("version", "description", "homepage", "repository", "license"):
        if not isinstance(manifest.get(field, ""), str):
            return f"{field} must be a string"
    if not isinstance(keywords, list) or not all(isinstance(one, str) for one in keywords):
        return "keywords must be an array of strings"
    if not isinstance(author, dict):
        return "author must be an object"
    if author.keys() - {"name", "email", "url"} or not all(isinstance(one, str) for one in author.values()):
        return "author may contain only string name, email, and url fields"
    if not all(isinstance(one, dict) for one in manifest.get("extensions", {}).values()):
        return "extension namespace values must be objects"
    return None


def find_skills(directory: Path) -> Iterator[Skill]:
    """Find the skills of a plugin, those that cannot be used included."""
    folder = directory / "skills"
    for place in sorted(folder.iterdir()) if folder.is_dir() else ():
        file = place / "SKILL.md"
        if place.is_dir() and file.exists():
            yield _read_skill(place.name, file, directory)


def _read_skill(name: str, file: Path, directory: Path) -> Skill:
    if not _lies_in(file, directory) or not file.is_file():
        return Skill(name, file, problem="SKILL.md must be a regular in-root file")
    try:
        front = _front_matter(file.read_text(encoding="utf-8").lstrip("\ufeff"))
    except (OSError, ValueError) as error:
        return Skill(name, file, problem=f"invalid SKILL.md: {error}")
    problem = _find_skill_problem(front, name)
    return Skill(name, file, problem=problem) if problem else Skill(name, file.resolve(), front["description"])


def _front_matter(content: str) -> dict[str, Any]:
    if not content.startswith("---"):
        raise ValueError("missing YAML frontmatter")
    found = _FRONT_MATTER.match(content)
    if found is None:
        raise ValueError("unterminated YAML frontmatter")
    try:
        front = load_yaml(found[1])
    except yaml.YAMLError as error:
        raise ValueError(f"invalid YAML frontmatter: {error}") from error
    if not isinstance(front, dict):
        raise ValueError("YAML frontmatter must be an object")
    return front


def _find_skill_problem(front: Mapping[str, Any], directory: str) -> str:
    name, description, metadata = front.get("name"), front.get("description"), front.get("metadata", {})
    if name != directory or len(directory) > 64 or not _SKILL_NAME.fullmatch(directory):
        return "name must match the directory and satisfy Agent Skills constraints"
    if not isinstance(description, str) or not 1 <= len(description) <= 1024:
        return "description must be a non-empty string of at most 1024 characters"
    if not isinstance(front.get("license", ""), str):
        return "license must be a string"
    compatibility = front.get("compatibility", "any")
    if not isinstance(compatibility, str) or not 1 <= len(compatibility) <= 500:
        return "compatibility must be a string of 1 to 500 characters"
    if not isinstance(metadata, dict) or not all(isinstance(one, str) for pair in metadata.items() for one in pair):
        return "metadata must map string keys to string values"
    return "" if isinstance(front.get("allowed-tools", ""), str) else "allowed-tools must be a string"


def _lies_in(file: Path, directory: Path) -> bool:
    return file.resolve().is_relative_to(directory.resolve())
