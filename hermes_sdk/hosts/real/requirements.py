"""What a plugin itself needs besides the host, installed into a directory of its own beside the host's environment."""

from __future__ import annotations

import hashlib
import importlib.metadata
import re
import tomllib
from collections.abc import Sequence
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from hermes_sdk.errors import UsageError
from hermes_sdk.hosts.real import installer
from hermes_sdk.hosts.real.cache import cache_dir, make_once
from hermes_sdk.hosts.real.environments import Environment
from hermes_sdk.manifest import Located

_NEVER_INSTALLED = frozenset({"hermes-agent", "hermes-sdk"})


def requirements(located: Located) -> tuple[str, ...]:
    """What a plugin declares to need: ``[project] dependencies``, else the ``requirements.txt`` beside its manifest.

    hermes-agent and hermes-sdk are left out: the first is the host, and no plugin needs the second at run time.

    Raises:
        UsageError: A requirement cannot be read.
    """
    project = located.project / "pyproject.toml"
    listed = located.directory / "requirements.txt"
    declared = _declared(project) if project.is_file() else None
    if declared is not None:
        return _others(declared, project)
    return _others(_lines(listed), listed) if listed.is_file() else ()


def overlay(environment: Environment, needed: Sequence[str]) -> Path:
    """A directory with packages to append to the ``sys.path`` of an environment, which itself stays as it is.

    It is made once for each release, Python and set of requirements, and agrees with the environment's own versions.

    Args:
        environment: The host's environment.
        needed: The requirements, such as ``["httpx>=0.27"]``.

    Raises:
        UnavailableError: They could not be installed: no network, or versions that contradict the host's.
    """
    key = hashlib.sha256("\n".join(sorted(needed)).encode()).hexdigest()[:16]
    folder = cache_dir() / "overlays" / f"{environment.release}-py{environment.version}-{key}"

    def make(made: Path) -> None:
        made.mkdir()
        constraints = made / "constraints.txt"
        constraints.write_text("\n".join(_versions(environment)), encoding="utf-8")
        installer.install(environment.python, needed, target=made, constraints=constraints)

    make_once(folder, make, what=f"what the plugin needs ({', '.join(needed)})")
    return folder


def overlays(environment: Environment, located: Located) -> tuple[Path, ...]:
    """The overlay of a plugin as entries for ``pythonpath``: one directory, or none when it needs nothing."""
    needed = requirements(located)
    return (overlay(environment, needed),) if needed else ()


def _declared(path: Path) -> list[str] | None:
    try:
        project = tomllib.loads(path.read_text(encoding="utf-8")).get("project", {})
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"it cannot be read: {error}", where=str(path)) from None
    found = project.get("dependencies")
    return [str(item) for item in found] if isinstance(found, list) else None


def _lines(path: Path) -> list[str]:
    lines = (re.sub(r"(^|\s)#.*", "", line).strip() for line in path.read_text(encoding="utf-8").splitlines())
    return [line for line in lines if line and not line.startswith("-")]


def _others(texts: Sequence[str], path: Path) -> tuple[str, ...]:
    try:
        parsed = [Requirement(text) for text in texts]
    except InvalidRequirement as error:
        raise UsageError(f"a requirement cannot be read: {error}", where=str(path)) from None
    return tuple(str(item) for item in parsed if canonicalize_name(item.name) not in _NEVER_INSTALLED)


def _versions(environment: Environment) -> list[str]:
    found = importlib.metadata.distributions(path=[str(environment.site_packages)])
    return sorted(f"{item.metadata['Name']}=={item.version}" for item in found)
