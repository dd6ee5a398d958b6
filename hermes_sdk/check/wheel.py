"""The wheel of a plugin's project: built in a child process, and read."""

from __future__ import annotations

import configparser
import hashlib
import json
import shutil
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hermes_sdk import installer
from hermes_sdk.cache import cache_dir, make_once
from hermes_sdk.check.model import NotRun
from hermes_sdk.check.plugin import Plugin
from hermes_sdk.check.rule import Rule
from hermes_sdk.check.static import Outcome, guard
from hermes_sdk.errors import HermesSdkError, UnavailableError
from hermes_sdk.hosts.sandbox import isolation, process

_TIME_LIMIT = 120.0
_MAX_BYTES = 1_000_000
_LEFT_BEHIND = ("__pycache__", ".git", ".venv", "venv", "node_modules", "build", "dist", ".tox", ".nox", "*.egg-info")
_BUILDER = Path(__file__).with_name("builder.py")


@dataclass(frozen=True)
class Wheel:
    """What the project's build backend makes of it.

    Attributes:
        files: The beginning of each file by its name in the wheel, with those of ``.dist-info``.
        metadata: The text of ``METADATA``: an e-mail header with ``Requires-Dist`` and others.
        entry_points: Values by name, by group.
        sources: The names of the files in the source distribution, without its top directory.
    """

    files: Mapping[str, bytes]
    metadata: str
    entry_points: Mapping[str, Mapping[str, str]]
    sources: frozenset[str]


def run_wheel_rules(plugin: Plugin, rules: Iterable[Rule], *, online: bool) -> Iterator[Outcome]:
    """Build the wheel of the plugin's project, if it is one, and run the rules about wheels.

    Args:
        plugin: The plugin.
        rules: The rules; the others are passed over.
        online: Whether the build backend may be fetched.
    """
    concerned = [rule for rule in rules if rule.subject == "wheel"]
    if not concerned or "project" not in plugin.pyproject:
        return
    try:
        wheel = build(plugin, online=online)
    except HermesSdkError as error:
        yield from (NotRun(rule.code, error.message) for rule in concerned)
        return
    for rule in concerned:
        yield from guard(rule, rule.findings(plugin, wheel))


def build(plugin: Plugin, *, online: bool = False) -> Wheel:
    """Build a copy of the plugin's project, isolated as `hosts.sandbox.isolation` can.

    Args:
        plugin: The plugin.
        online: Whether the build backend may be fetched when it is not installed here.

    Raises:
        UnavailableError: The build backend is not here.
        HermesSdkError: The project cannot be built.
    """
    system = plugin.pyproject.get("build-system")
    system = system if isinstance(system, dict) else {"requires": ["setuptools"]}
    python = _find_interpreter(plugin, system, online)
    with tempfile.TemporaryDirectory(prefix="hermes-sdk-", ignore_cleanup_errors=True) as name:
        scratch = Path(name)
        project, output = scratch / "project", scratch / "output"
        output.mkdir()
        shutil.copytree(plugin.located.project, project, symlinks=True, ignore=shutil.ignore_patterns(*_LEFT_BEHIND))
        request = {
            "isolation": isolation.__file__,
            "writable": name,
            "seconds": _TIME_LIMIT,
            "backend": system.get("build-backend", "setuptools.build_meta:__legacy__"),
            "path": [str(project / entry) for entry in system.get("backend-path", [])],
            "output": str(output),
        }
        finished = process.run(
            [str(python), "-I", "-B", str(_BUILDER), json.dumps(request)],
            environment=process.child_environment(scratch, scratch, {"SETUPTOOLS_SCM_PRETEND_VERSION": "0"}),
            cwd=project,
            time_limit=_TIME_LIMIT,
        )
        wheels, sdists = list(output.glob("*.whl")), list(output.glob("*.tar.gz"))
        if finished.status or not wheels or not sdists:
            last = (finished.stderr.strip() or finished.ended).splitlines()[-1]
            raise HermesSdkError(f"the wheel cannot be built: {last}")
        try:
            return read(wheels[0], sdists[0])
        except (OSError, zipfile.BadZipFile, tarfile.TarError, configparser.Error) as error:
            raise HermesSdkError(f"the wheel that was built cannot be read: {error}") from error


def _find_interpreter(plugin: Plugin, system: Mapping[str, Any], online: bool) -> Path:
    """Find a Python that has the build backend: this one, or one that is made for it."""
    requires = sorted(map(str, system.get("requires", [])))
    backend = str(system.get("build-backend", "setuptools"))
    if system.get("backend-path") or find_spec(backend.partition(":")[0].partition(".")[0]):
        return Path(sys.executable)
    folder = cache_dir() / "build" / hashlib.sha256("\0".join(requires).encode()).hexdigest()[:16]
    python = folder / "bin" / "python"
    if not online and not python.exists():
        fix = "Install it, or let it be fetched with --online."
        raise UnavailableError(f"the build backend of {plugin.pyproject_file.name} is not installed here. {fix}")

    def make(target: Path) -> None:
        installer.install(installer.create(target, sys.executable), requires)

    make_once(folder, make, what="The build backend", fix="Check the network.", probe="bin/python")
    return python


def read(wheel: Path, sdist: Path) -> Wheel:
    """Read a wheel and a source distribution."""
    with zipfile.ZipFile(wheel) as archive:
        files = {one.filename: _read_beginning(archive, one) for one in archive.infolist() if not one.is_dir()}
    with tarfile.open(sdist) as bundle:
        sources = frozenset(one.name.partition("/")[2] for one in bundle.getmembers() if one.isfile())
    entry_points = _parse_entry_points(_read_info(files, "entry_points.txt"))
    return Wheel(files, _read_info(files, "METADATA"), entry_points, sources)


def _read_beginning(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    with archive.open(member) as stream:
        return stream.read(_MAX_BYTES)


def _read_info(files: Mapping[str, bytes], name: str) -> str:
    found = (content for path, content in files.items() if path.endswith(f".dist-info/{name}"))
    return next(found, b"").decode(errors="replace")


def _parse_entry_points(text: str) -> dict[str, dict[str, str]]:
    parser = configparser.ConfigParser(delimiters=("=",), interpolation=None, strict=False)
    parser.optionxform = str  # type: ignore[assignment]  # Names of entry points keep their case.
    parser.read_string(text)
    return {group: dict(parser[group]) for group in parser.sections()}
