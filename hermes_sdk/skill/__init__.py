"""The skill for coding agents: `install` writes it to the skills directory of an agent, `remove` deletes it.

A record next to the files contains their digests. Files that the user has changed are neither replaced nor removed.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple, get_args

from hermes_sdk import __version__, links
from hermes_sdk.documents import parse_json, read_bytes
from hermes_sdk.errors import UnavailableError, UsageError
from hermes_sdk.files import write_files
from hermes_sdk.home import Home

Agent = Literal["claude", "codex", "opencode", "hermes"]
AGENTS: Sequence[Agent] = get_args(Agent)

NAME = "hermes-sdk"
"""Name of the skill and of its directory, which must be equal."""

_FILES = Path(__file__).parent / "files"
_RECORD = ".hermes-sdk.json"

_PROJECT_DIRECTORIES: Mapping[Agent, str] = {
    "claude": ".claude/skills",  # https://code.claude.com/docs/en/skills
    "codex": ".agents/skills",  # https://developers.openai.com/codex/skills
    "opencode": ".opencode/skills",  # https://opencode.ai/docs/skills
}
_USER_DIRECTORIES: Mapping[Agent, Callable[[], Path]] = {
    "claude": lambda: Path.home() / ".claude/skills",
    "codex": lambda: Path.home() / ".agents/skills",
    "opencode": lambda: Path.home() / ".config/opencode/skills",
    # https://hermes-agent.nousresearch.com/docs/user-guide/features/skills
    "hermes": lambda: Home.current().path / "skills",
}


class Place(NamedTuple):
    """Directory of the skill for one agent.

    Attributes:
        agent: The agent.
        path: The directory.
        project: The project that contains the directory; None for a directory of the user.
    """

    agent: Agent
    path: Path
    project: Path | None


def find_places(agents: Sequence[Agent], project: Path | None) -> list[Place]:
    """Return the directories of the skill for agents.

    Args:
        agents: The agents; if empty, those for which the project or the user already has a directory.
        project: The project for the skill; None for the user's skills.

    Raises:
        UsageError: No agent is given and none is found, or an agent does not read skills of projects.
    """
    if project is not None and "hermes" in agents:
        fix = "Add --user, or list a directory of the project in skills.external_dirs of Hermes' config.yaml."
        raise UsageError("Hermes does not read skills from a project.", fix=fix)
    known = _USER_DIRECTORIES if project is None else _PROJECT_DIRECTORIES
    places = [Place(agent, _find_skills(agent, project) / NAME, project) for agent in AGENTS if agent in known]
    # By default, choose the agents whose directory, the parent of `skills`, exists.
    chosen = [one for one in places if (one.agent in agents if agents else one.path.parents[1].is_dir())]
    if not chosen:
        raise UsageError("No directory of a coding agent was found.", fix=f"Name the agent: --for {'|'.join(known)}.")
    return chosen


def _find_skills(agent: Agent, project: Path | None) -> Path:
    return _USER_DIRECTORIES[agent]() if project is None else project / _PROJECT_DIRECTORIES[agent]


def install(place: Place) -> list[Path]:
    """Write the skill, and return the changed files; none if this version is already installed.

    Raises:
        UsageError: The user has changed a file of the skill, or has another file with its name.
        UnavailableError: The files cannot be written.
    """
    contents = read_files()
    recorded = _read_record(place)
    found = {name: _read(place, name) for name in {*contents, *recorded}}
    changed = [
        name
        for name, data in found.items()
        if data is not None and data != contents.get(name) and _digest(data) != recorded.get(name)
    ]
    if changed:
        listed = ", ".join(str(place.path / name) for name in sorted(changed))
        raise UsageError(f"Not overwritten: changed since hermes-sdk wrote it: {listed}", fix="Move the files away.")
    record = {"version": __version__, "files": {name: _digest(data) for name, data in contents.items()}}
    contents[_RECORD] = json.dumps(record, indent=2).encode() + b"\n"
    written = [name for name, data in contents.items() if data != _read(place, name)]
    write_files({place.path / name: contents[name] for name in written}, root=place.project)
    for name in recorded.keys() - contents.keys():
        links.unlink(place.path / name)
    return [place.path / name for name in written]


def remove(place: Place) -> tuple[list[Path], list[Path]]:
    """Remove the skill; return the removed files, and those that remain because the user has changed them."""
    removed: list[Path] = []
    modified: list[Path] = []
    for name, digest in _read_record(place).items():
        data = _read(place, name)
        if data is not None:
            (removed if _digest(data) == digest else modified).append(place.path / name)
    for path in removed:
        links.unlink(path)
    if (place.path / _RECORD).exists():
        links.unlink(place.path / _RECORD)
        removed.append(place.path / _RECORD)
    for directory in (place.path / "references", place.path):
        if directory.is_dir() and not any(directory.iterdir()):
            links.remove_empty(directory)
    return removed, modified


def read_files() -> dict[str, bytes]:
    """Return the files of the skill, with the version of hermes-sdk filled in, by name."""
    found = {path.relative_to(_FILES).as_posix(): path.read_bytes() for path in sorted(_FILES.rglob("*.md"))}
    return {name: data.replace(b"{version}", __version__.encode()) for name, data in found.items()}


def _read(place: Place, name: str) -> bytes | None:
    try:
        return read_bytes(place.path / name, root=place.project)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UnavailableError(f"{place.path / name} cannot be read: {error.strerror}") from error


def _read_record(place: Place) -> Mapping[str, str]:
    """Return the digests of the written files by name; empty if there is no valid record."""
    try:
        files = parse_json(_read(place, _RECORD) or b"{}")["files"]
    except (ValueError, KeyError, TypeError):
        return {}
    if not isinstance(files, dict):
        return {}
    return {name: digest for name, digest in files.items() if isinstance(digest, str) and _is_below(name)}


def _is_below(name: str) -> bool:
    """Return whether a name in a record stays in the skill's directory; records of projects are not trusted."""
    return os.path.normpath(name) == name and not name.startswith(("/", ".."))


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
