"""Builds the wheel of a plugin's project in a child process, and reads it."""

from __future__ import annotations

import configparser
import hashlib
import re
import sys
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import IO, NamedTuple, NoReturn

from packaging.requirements import Requirement

from hermes_sdk import installer
from hermes_sdk.cache import cache_dir, make_once
from hermes_sdk.check.model import NotRun
from hermes_sdk.check.plugin import Plugin
from hermes_sdk.check.releases import Outcome, guard
from hermes_sdk.check.rule import Rule
from hermes_sdk.errors import HermesSdkError, UnavailableError, UsageError
from hermes_sdk.files import write_files
from hermes_sdk.hosts.processes import isolation, process
from hermes_sdk.hosts.processes.answers import LayersMissingError
from hermes_sdk.hosts.staging.copying import copy_files
from hermes_sdk.journal import scratch_directory
from hermes_sdk.manifest import Located
from hermes_sdk.requirements import parse_requirements

_TIME_LIMIT = 120.0
_MAX_BYTES, _MAX_KEPT = 1_000_000, 64 * 1024**2
_MAX_FILES, _MAX_SIZE = 20_000, 1024**3
_NOT_COPIED = ("__pycache__", ".git", ".venv", "venv", "node_modules", "build", "dist", ".tox", ".nox", "*.egg-info")
_BACKEND = re.compile(r"\w+(\.\w+)*(:\w+(\.\w+)*)?")
_BUILDER = Path(__file__).with_name("builder.py")


@dataclass(frozen=True)
class Wheel:
    """Wheel and source distribution of a project.

    Attributes:
        files: The first megabyte of each file by its name in the wheel, including ``.dist-info``. After a total of
            64 MB, the contents are empty.
        metadata: The text of ``METADATA``, with fields such as ``Requires-Dist``.
        entry_points: For each group, the values by name.
        sources: The names of the files in the source distribution, without its top directory.
    """

    files: Mapping[str, bytes]
    metadata: str
    entry_points: Mapping[str, Mapping[str, str]]
    sources: frozenset[str]


@contextmanager
def checking_wheel(
    plugin: Plugin, rules: Iterable[Rule], *, online: bool, full_isolation: bool = False
) -> Generator[Callable[[], Iterator[Outcome]]]:
    """Build the wheel of the plugin's project, if it has a build configuration, during a ``with`` block.

    Args:
        rules: The rules; those that are not about wheels are skipped.
        online: Whether the build backend may be downloaded.
        full_isolation: Whether to build nothing if an isolation layer is missing.

    Yields:
        A function that waits for the wheel and runs the rules; it raises UnavailableError if a required isolation layer
        is missing.
    """
    concerned = [rule for rule in rules if rule.subject == "wheel"]
    if not concerned or not _is_packaged(plugin):
        yield lambda: iter(())
        return

    with ExitStack() as stack:
        finish: Callable[[], Wheel]
        try:
            finish = stack.enter_context(building(plugin, online=online, full_isolation=full_isolation))
        except HermesSdkError as error:
            finish = partial(_raise, error)
        yield lambda: _run_rules(plugin, concerned, finish)


def _raise(error: HermesSdkError) -> NoReturn:
    raise error


def _run_rules(plugin: Plugin, rules: Sequence[Rule], finish: Callable[[], Wheel]) -> Iterator[Outcome]:
    try:
        wheel = finish()
    except LayersMissingError:
        raise
    except HermesSdkError as error:
        unavailable = isinstance(error, UnavailableError)
        yield from (NotRun(rule.code, error.message, unavailable=unavailable) for rule in rules)
        return
    for rule in rules:
        yield from guard(rule, rule.findings(plugin, wheel))


def _is_packaged(plugin: Plugin) -> bool:
    """Return whether the project has a build system or entry points, so that users may build it."""
    project = plugin.pyproject.get("project")
    has_system = "build-system" in plugin.pyproject
    return isinstance(project, dict) and (has_system or not {"entry-points", "dynamic"}.isdisjoint(project))


@contextmanager
def building(plugin: Plugin, *, online: bool = False, full_isolation: bool = False) -> Generator[Callable[[], Wheel]]:
    """Build a copy of the plugin's project during a ``with`` block, isolated as `hosts.processes.isolation` can.

    Args:
        online: Whether the build backend may be downloaded if it is not installed.
        full_isolation: Whether to build nothing if an isolation layer is missing.

    Yields:
        A function that waits for the wheel. It raises HermesSdkError if the project cannot be built or the result
        cannot be read, and UnavailableError if a required isolation layer is missing.

    Raises:
        UnavailableError: The build backend is not installed.
        UsageError: The table ``[build-system]`` does not follow PEP 517 and PEP 518.
    """
    system = _read_system(plugin)
    packages = _find_packages(system, online)
    with (
        scratch_directory() as scratch,
        tempfile.TemporaryFile() as wheel,
        tempfile.TemporaryFile() as sdist,
    ):
        project, output = scratch / "project", scratch / "output"
        output.mkdir()
        copy_files(plugin.located.project, project, _NOT_COPIED)
        request = {
            "isolation": str(Path(isolation.__file__).parent),
            "packages": [*map(str, packages)],
            "backend": system.backend,
            "path": [str(project / entry) for entry in system.path],
            "output": str(output),
            "wheel": wheel.fileno(),
            "sdist": sdist.fileno(),
        }
        with process.running(
            # -S: downloaded packages could run code at the start of Python, before the process is isolated.
            [sys.executable, "-I", "-B", *(["-S"] if packages else []), str(_BUILDER)],
            environment=process.child_environment(scratch, scratch, {"SETUPTOOLS_SCM_PRETEND_VERSION": "0"}),
            cwd=project,
            time_limit=_TIME_LIMIT,
            request=request,
            isolated=process.Isolated(
                [str(scratch)], _TIME_LIMIT, isolation.FULL if full_isolation else (), [*map(str, packages)]
            ),
            files=[wheel.fileno(), sdist.fileno()],
        ) as finish:
            yield lambda: _read_built(finish(), wheel, sdist)


@contextmanager
def unpacked_wheel(project: Path, *, online: bool = False, full_isolation: bool = False) -> Generator[Path]:
    """Build the wheel of a project with `building`, unpack it, and yield the directory."""
    plugin = Plugin(Located(project, None, project, None), project)
    with building(plugin, online=online, full_isolation=full_isolation) as finish, scratch_directory() as folder:
        files = finish().files
        cut = next((name for name, content in files.items() if len(content) == _MAX_BYTES), None)
        if cut or sum(map(len, files.values())) == _MAX_KEPT:
            what = f"{cut} in the built wheel" if cut else "the built wheel"
            raise HermesSdkError(f"{what} is too large")
        write_files({folder / name: content for name, content in files.items()}, root=folder, journalled=False)
        yield folder


def _read_built(finished: process.Finished, wheel: IO[bytes], sdist: IO[bytes]) -> Wheel:
    # `seek` to the end returns the size; an empty file was not written.
    if finished.status or not wheel.seek(0, 2) or not sdist.seek(0, 2):
        last = (finished.stderr.strip() or _describe_end(finished)).splitlines()[-1]
        raise HermesSdkError(f"the wheel cannot be built: {last}")
    try:
        return read(wheel, sdist)
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile, tarfile.TarError, configparser.Error) as error:
        raise HermesSdkError(f"the built wheel cannot be read: {error}") from error


def _describe_end(finished: process.Finished) -> str:
    return "the backend created no wheel" if finished.ended == "answered" else finished.ended


class _System(NamedTuple):
    """Table ``[build-system]`` of a project."""

    requires: tuple[Requirement, ...]
    backend: str
    path: list[str]


def _read_system(plugin: Plugin) -> _System:
    where = str(plugin.pyproject_file)
    table = plugin.pyproject.get("build-system")
    table = table if isinstance(table, dict) else {"requires": ["setuptools"]}
    backend, path = table.get("build-backend", "setuptools.build_meta:__legacy__"), table.get("backend-path", [])
    if not isinstance(backend, str) or not _BACKEND.fullmatch(backend):
        fix = 'For example, write "hatchling.build".'
        raise UsageError(f"build-backend is {backend!r:.80}, which does not name a module", where=where, fix=fix)
    if not isinstance(path, list) or not all(isinstance(entry, str) for entry in path):
        raise UsageError("backend-path is not a list of strings", where=where, fix='For example, write ["."].')
    return _System(parse_requirements(table.get("requires", []), where), backend, path)


def _find_packages(system: _System, online: bool) -> tuple[Path, ...]:
    """Find the directories with the build backend; none if it is already installed or part of the project."""
    if system.path or find_spec(system.backend.partition(":")[0].partition(".")[0]):
        return ()
    key = "\0".join([sys.version, *sorted(map(str, system.requires))])
    folder = cache_dir() / "backends" / hashlib.sha256(key.encode()).hexdigest()[:16]
    names = [one.name for one in system.requires if one.marker is None or one.marker.evaluate()]
    is_usable = partial(installer.is_complete, names=names)
    if not online and not is_usable(folder):
        name = system.backend.partition(":")[0].partition(".")[0]
        raise UnavailableError(
            f"the build backend {name} is not installed; run `pip install -e '.[dev]'` if the project has a `dev` "
            "extra, or `hermes-sdk check --online`"
        )

    def make(target: Path) -> None:
        target.mkdir()
        installer.install_wheels(Path(sys.executable), system.requires, target)

    make_once(folder, make, what="The build backend", fix="Check the network.", is_usable=is_usable)
    return (folder,)


def read(wheel: IO[bytes], sdist: IO[bytes]) -> Wheel:
    """Read a wheel and a source distribution.

    Raises:
        HermesSdkError: One of them exceeds the limits on files or size.
    """
    wheel.seek(0)
    sdist.seek(0)
    files: dict[str, bytes] = {}
    room = _MAX_KEPT
    with zipfile.ZipFile(wheel) as archive:
        members = [one for one in archive.infolist() if not one.is_dir()]
        _refuse_large("wheel", len(members), sum(one.file_size for one in members))
        for one in members:
            with archive.open(one) as stream:
                files[one.filename] = stream.read(min(room, _MAX_BYTES))
            room -= len(files[one.filename])
    entry_points = _parse_entry_points(_read_info(files, "entry_points.txt"))
    return Wheel(files, _read_info(files, "METADATA"), entry_points, _list_sources(sdist))


def _list_sources(sdist: IO[bytes]) -> frozenset[str]:
    found, size = [], 0
    with tarfile.open(fileobj=sdist) as bundle:
        for one in bundle:
            size += one.size
            found.append(one)
            _refuse_large("source distribution", len(found), size)
    return frozenset(one.name.partition("/")[2] for one in found if one.isfile())


def _refuse_large(what: str, count: int, size: int) -> None:
    if count > _MAX_FILES or size > _MAX_SIZE:
        raise HermesSdkError(
            f"the built {what} has more than {_MAX_FILES:,} files or {_MAX_SIZE // 1024**2:,} MB.",
            fix="Exclude files that the plugin does not need at run time.",
        )


def _read_info(files: Mapping[str, bytes], name: str) -> str:
    found = (content for path, content in files.items() if path.endswith(f".dist-info/{name}"))
    return next(found, b"").decode(errors="replace")


def _parse_entry_points(text: str) -> dict[str, dict[str, str]]:
    parser = configparser.ConfigParser(delimiters=("=",), interpolation=None, strict=False)
    parser.optionxform = str  # type: ignore[assignment]  # Names of entry points are case-sensitive.
    parser.read_string(text)
    return {group: dict(parser[group]) for group in parser.sections()}
