"""Portable plugins: a ``plugin.json``, skills and MCP servers, without Python code (statements N16 to N18)."""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from hermes_sdk import contract
from hermes_sdk.documents import parse_json, read_text
from hermes_sdk.manifest.load import YamlReader, load_yaml, reading_errors

MANIFEST = "plugin.json"
SERVERS = "mcp.json"

SCHEMA = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json"
SERVERS_SCHEMA = "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json"
_PLACEHOLDER = r"\$\{(PLUGIN_ROOT|PLUGIN_DATA)\}"
_ROOT_PREFIX = rf"\./|{_PLACEHOLDER}(?=/|$)"
_HEADER_NAME = r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"
_FIELDS = frozenset(
    {
        *("$schema", "name", "version", "description", "author", "homepage", "repository", "license", "keywords"),
        "extensions",
    }
)
_REMOTE_FIELDS = frozenset({"type", "url", "headers"})
_NAME = r"(?!.*(?:--|\.\.))[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?"
_SKILL_NAME = r"(?!.*--)[a-z0-9]+(?:-[a-z0-9]+)*"
_FRONT_MATTER = r"(?s)---(.*?)\n---\s*\n"


class Skill(NamedTuple):
    """A skill; `problem` is why it cannot be used, or empty."""

    name: str
    file: Path
    description: str = ""
    problem: str = ""


class Server(NamedTuple):
    """An MCP server, or the whole file if `name` is None; `problem` is why it cannot be used, or empty.

    `cwd` is the directory in which the host starts it; None for a remote server.
    """

    name: str | None
    problem: str = ""
    cwd: Path | None = None


def namespace(key: str) -> str:
    """Return the namespace of a plugin's skills."""
    import hashlib

    return f"agent-plugin-{slug(key)}-{hashlib.sha256(key.encode()).hexdigest()[:8]}"


def slug(name: str) -> str:
    """Return a name reduced to the characters allowed in tool names."""
    plain = "".join(one if one.isascii() and (one.isalnum() or one in "_-") else "-" for one in name.lower())
    return plain.strip("-_") or "plugin"


def read_key(directory: Path) -> str:
    """Return the key of a plugin: its name, or that of its directory if the host cannot read the manifest."""
    try:
        return str(read_manifest(directory)[0]["name"])
    except ValueError:
        return directory.name


def supported_range() -> str:
    """Return the releases that load portable plugins, as a value for `requires_hermes`."""
    first = next(one for one in contract.known_releases() if contract.load(one).behaviour.portable_plugins)
    return f">={first}"


def read_manifest(directory: Path) -> tuple[dict[str, Any], list[str]]:
    """Read the manifest of a directory.

    Returns:
        Its known fields, and messages about ignored ones.

    Raises:
        ValueError: The directory is not a portable plugin.
    """
    file = directory / MANIFEST
    if not _is_inside(file, directory) or not file.is_file():
        raise ValueError("plugin.json must be a regular file within the plugin root")
    manifest = _read_object(file)
    ignored = [f"ignored unknown top-level field: {name}" for name in sorted(manifest.keys() - _FIELDS)]
    known = {name: value for name, value in manifest.items() if name in _FIELDS}
    if "extensions" in known and not isinstance(known["extensions"], dict):
        del known["extensions"]
        ignored.append("ignored non-object extensions field")
    problem = _find_problem(known)
    if problem is not None:
        raise ValueError(f"plugin.json {problem}")
    return known, ignored


def _read_object(file: Path) -> dict[str, Any]:
    try:
        value = parse_json(read_text(file))
    except (OSError, ValueError) as error:
        raise ValueError(f"{file.name} is not valid readable JSON: {error}") from error
    if not isinstance(value, dict):
        raise ValueError(f"{file.name} must contain a JSON object")
    return value


def _find_problem(manifest: Mapping[str, Any]) -> str | None:
    name, author, keywords = manifest.get("name"), manifest.get("author", {}), manifest.get("keywords", [])
    if manifest.get("$schema") != SCHEMA:
        return "declares an unsupported or missing Agent Plugins schema"
    if not isinstance(name, str) or len(name) > 64 or not re.fullmatch(_NAME, name):
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


def find_skills(directory: Path, reader: YamlReader = "libyaml") -> Iterator[Skill]:
    """Yield the skills of a plugin, including unusable ones.

    Args:
        reader: The reader for their front matter.
    """
    folder = directory / "skills"
    for place in sorted(folder.iterdir()) if folder.is_dir() else ():
        file = place / "SKILL.md"
        if place.is_dir() and file.exists():
            yield _read_skill(place.name, file, directory, reader)


def _read_skill(name: str, file: Path, directory: Path, reader: YamlReader) -> Skill:
    if not _is_inside(file, directory) or not file.is_file():
        return Skill(name, file, problem="SKILL.md must be a regular in-root file")
    try:
        front = _parse_front_matter(file.read_text(encoding="utf-8").lstrip("\ufeff"), reader)
    except (OSError, ValueError) as error:
        return Skill(name, file, problem=f"invalid SKILL.md: {error}")
    problem = _find_skill_problem(front, name)
    return Skill(name, file, problem=problem) if problem else Skill(name, file.resolve(), front["description"])


def _parse_front_matter(content: str, reader: YamlReader) -> dict[str, Any]:
    if not content.startswith("---"):
        raise ValueError("missing YAML frontmatter")
    found = re.match(_FRONT_MATTER, content)
    if found is None:
        raise ValueError("unterminated YAML frontmatter")
    try:
        front = load_yaml(found[1], reader)
    except reading_errors() as error:
        raise ValueError(f"invalid YAML frontmatter: {error}") from error
    if not isinstance(front, dict):
        raise ValueError("YAML frontmatter must be an object")
    return front


def _find_skill_problem(front: Mapping[str, Any], directory: str) -> str:
    name, description, metadata = front.get("name"), front.get("description"), front.get("metadata", {})
    if name != directory or len(directory) > 64 or not re.fullmatch(_SKILL_NAME, directory):
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


def find_servers(directory: Path, data: Path) -> Iterator[Server]:
    """Yield the MCP servers of a plugin, including unusable ones.

    Args:
        data: The directory for the plugin's data, which the host sets as ``PLUGIN_DATA``.
    """
    file = directory / SERVERS
    if not os.path.lexists(file):
        return
    try:
        servers = _read_servers(file, directory)
    except ValueError as error:
        yield Server(None, problem=str(error))
        return
    roots = {"PLUGIN_ROOT": directory.resolve(), "PLUGIN_DATA": data.resolve()}
    for name, server in servers.items():
        try:
            if not name or not isinstance(server, dict):
                raise ValueError("invalid server entry")
            yield Server(name, cwd=_read_server(server, roots))
        except ValueError as error:
            yield Server(name, problem=str(error))


def _read_servers(file: Path, directory: Path) -> dict[str, Any]:
    if not _is_inside(file, directory) or not file.is_file():
        raise ValueError("mcp.json must be a regular in-root file")
    config = _read_object(file)
    if config.keys() != {"$schema", "mcpServers"}:
        raise ValueError("mcp.json has an invalid top-level shape")
    if config["$schema"] != SERVERS_SCHEMA:
        raise ValueError("mcp.json declares an unsupported schema")
    if not isinstance(config["mcpServers"], dict):
        raise ValueError("mcpServers must be an object")
    return config["mcpServers"]


def _read_server(server: Mapping[str, Any], roots: Mapping[str, Path]) -> Path | None:
    """Return the directory in which the host starts a server; None for a remote server.

    Raises:
        ValueError: The host skips the server.
    """
    match server.get("type"):
        case "stdio":
            return _read_stdio(server, roots)
        case "streamable-http":
            problem = _find_remote_problem(server)
        case "sse":
            problem = "portable sse transport is not supported" if _is_remote(server) else "invalid remote entry"
        case _:
            problem = "unknown MCP server type"
    if problem:
        raise ValueError(problem)
    return None


def _read_stdio(server: Mapping[str, Any], roots: Mapping[str, Path]) -> Path:
    command, args, env, cwd = server.get("command"), server.get("args", []), server.get("env", {}), server.get("cwd")
    if server.keys() - {"type", "command", "args", "env", "cwd"}:
        raise ValueError("unknown stdio field")
    if not isinstance(command, str) or not command or "\0" in command:
        raise ValueError("command must be a non-empty executable token")
    if command.startswith("./"):
        _resolve(command, roots, expanded=command)
    elif any(character.isspace() for character in command):
        raise ValueError("command must contain one executable token")
    elif "/" in command or "\\" in command or command in {".", ".."}:
        raise ValueError("command must be a bare executable or begin with ./")
    if not isinstance(args, list) or not all(isinstance(one, str) for one in args):
        raise ValueError("args must be an array of strings")
    if not isinstance(env, dict) or not all(isinstance(one, str) for pair in env.items() for one in pair):
        raise ValueError("env must map string keys to string values")
    if env.keys() & roots.keys():
        raise ValueError("PLUGIN_ROOT and PLUGIN_DATA are reserved")
    if cwd is None:
        return roots["PLUGIN_ROOT"]
    if not isinstance(cwd, str):
        raise ValueError("cwd must be a string")
    return _resolve(cwd, roots, expanded=re.sub(_PLACEHOLDER, lambda found: str(roots[found[1]]), cwd))


def _resolve(path: str, roots: Mapping[str, Path], *, expanded: str) -> Path:
    """Resolve a path in the root with which it begins."""
    found = re.match(_ROOT_PREFIX, path)
    if found is None:
        raise ValueError("path must start with ./, ${PLUGIN_ROOT}, or ${PLUGIN_DATA}")
    root = roots[found[1] or "PLUGIN_ROOT"]
    place = (root / expanded.removeprefix("./")).resolve()
    if not place.is_relative_to(root):
        raise ValueError("path escapes its resolved root")
    return place


def _find_remote_problem(server: Mapping[str, Any]) -> str:
    url, headers = server.get("url"), server.get("headers")
    if server.keys() - _REMOTE_FIELDS:
        return "unknown remote field"
    if not isinstance(url, str) or not url:
        return "url must be a non-empty string"
    try:
        parsed = urlsplit(url)
        host = parsed.hostname
    except ValueError as error:
        return f"url is not parseable: {error}"
    problems = (
        (parsed.scheme.lower() not in ("http", "https"), "url scheme must be http or https"),
        (parsed.username is not None or parsed.password is not None, "url must not contain user information"),
        (bool(parsed.fragment), "url must not contain a fragment"),
        (not host, "url must have a host"),
        (parsed.scheme.lower() == "http" and not _is_loopback(host or ""), "non-loopback url must use https"),
        (headers is not None and not _are_headers(headers), "invalid headers"),
    )
    return next((problem for wrong, problem in problems if wrong), "")


def _is_remote(server: Mapping[str, Any]) -> bool:
    url, headers = server.get("url"), server.get("headers")
    known = not server.keys() - _REMOTE_FIELDS and isinstance(url, str) and bool(url)
    return known and (headers is None or _are_headers(headers))


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _are_headers(headers: Any) -> bool:
    if not isinstance(headers, dict) or not all(re.fullmatch(_HEADER_NAME, name) for name in headers):
        return False
    values = all(isinstance(one, str) and not set(one) & set("\r\n") for one in headers.values())
    return values and len({name.lower() for name in headers}) == len(headers)


def _is_inside(file: Path, directory: Path) -> bool:
    return file.resolve().is_relative_to(directory.resolve())
