"""Portable plugins: a ``plugin.json``, skills and MCP servers, of which no Python runs (statements N16 and N17)."""

from __future__ import annotations

import hashlib
import ipaddress
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import yaml

from hermes_sdk.documents import parse_json, read_text
from hermes_sdk.manifest import load_yaml

MANIFEST = "plugin.json"
SERVERS = "mcp.json"

SCHEMA = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json"
SERVERS_SCHEMA = "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json"
_HEADER_NAME = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
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


def read_key(directory: Path) -> str:
    """Return the key of a plugin: its name, or that of its directory where the host cannot read the manifest."""
    try:
        return str(read_manifest(directory)[0]["name"])
    except ValueError:
        return directory.name


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
    if manifest.get("$schema") != SCHEMA:
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


def find_server_problems(directory: Path) -> Iterator[tuple[str, str]]:
    """Find why the host skips MCP servers: the server's name, or nothing for the whole file, and the problem."""
    file = directory / SERVERS
    if not os.path.lexists(file):
        return
    try:
        servers = _read_servers(file, directory)
    except (OSError, ValueError) as error:
        yield "", str(error)
        return
    for name, server in servers.items():
        problem = _find_server_problem(server) if name and isinstance(server, dict) else "invalid server entry"
        if problem:
            yield name, problem


def _read_servers(file: Path, directory: Path) -> dict[str, Any]:
    if not _lies_in(file, directory) or not file.is_file():
        raise ValueError("mcp.json must be a regular in-root file")
    config = parse_json(read_text(file))
    if not isinstance(config, dict) or config.keys() != {"$schema", "mcpServers"}:
        raise ValueError("mcp.json has an invalid top-level shape")
    if config["$schema"] != SERVERS_SCHEMA:
        raise ValueError("mcp.json declares an unsupported schema")
    if not isinstance(config["mcpServers"], dict):
        raise ValueError("mcpServers must be an object")
    return config["mcpServers"]


def _find_server_problem(server: Mapping[str, Any]) -> str:
    match server.get("type"):
        case "stdio":
            return _find_stdio_problem(server)
        case "streamable-http":
            return _find_remote_problem(server)
        case "sse":
            return "portable sse transport is not supported"
        case _:
            return "unknown MCP server type"


def _find_stdio_problem(server: Mapping[str, Any]) -> str:
    command, args, env = server.get("command"), server.get("args", []), server.get("env", {})
    if server.keys() - {"type", "command", "args", "env", "cwd"}:
        return "unknown stdio field"
    if not isinstance(command, str) or not command or "\0" in command:
        return "command must be a non-empty executable token"
    if command.startswith("./"):
        if ".." in command.split("/"):
            return "path escapes its resolved root"
    elif any(character.isspace() for character in command):
        return "command must contain one executable token"
    elif "/" in command or "\\" in command or command in {".", ".."}:
        return "command must be a bare executable or begin with ./"
    if not isinstance(args, list) or not all(isinstance(one, str) for one in args):
        return "args must be an array of strings"
    if not isinstance(env, dict) or not all(isinstance(one, str) for pair in env.items() for one in pair):
        return "env must map string keys to string values"
    if env.keys() & {"PLUGIN_ROOT", "PLUGIN_DATA"}:
        return "PLUGIN_ROOT and PLUGIN_DATA are reserved"
    return _find_directory_problem(server.get("cwd"))


def _find_directory_problem(cwd: Any) -> str:
    if cwd is None:
        return ""
    if not isinstance(cwd, str):
        return "cwd must be a string"
    if not re.match(r"\./|\$\{PLUGIN_(ROOT|DATA)\}(/|$)", cwd):
        return "path must start with ./, ${PLUGIN_ROOT}, or ${PLUGIN_DATA}"
    return "path escapes its resolved root" if ".." in cwd.split("/") else ""


def _find_remote_problem(server: Mapping[str, Any]) -> str:
    url, headers = server.get("url"), server.get("headers")
    if server.keys() - {"type", "url", "headers"}:
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


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _are_headers(headers: Any) -> bool:
    if not isinstance(headers, dict) or not all(map(_HEADER_NAME.fullmatch, headers)):
        return False
    values = all(isinstance(one, str) and not set(one) & set("\r\n") for one in headers.values())
    return values and len({name.lower() for name in headers}) == len(headers)


def _lies_in(file: Path, directory: Path) -> bool:
    return file.resolve().is_relative_to(directory.resolve())
