"""Python environments that run an installed Hermes with its packages, without changing the installation."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from hermes_sdk.cache import cache_dir, make_once
from hermes_sdk.contract import split_location
from hermes_sdk.documents import parse_json, parse_toml, read_text
from hermes_sdk.errors import UnavailableError, UsageError
from hermes_sdk.files import write_files
from hermes_sdk.hosts import in_worker
from hermes_sdk.hosts.installed.launchers import Launch, read_place

OLDEST_PYTHON, NEWEST_PYTHON = (3, 11), (3, 14)
"""The supported versions of Python for an installed Hermes."""

_HOST = "hermes-agent"
_VERSION = re.compile(r"\d[\w.+-]*")
_TIME_LIMIT = 30.0
_CODE = ("hermes_cli", "agent", "gateway", "plugins", "tools")
"""The packages of Hermes whose changes invalidate the environment."""

# `find_spec` for a top-level package does not execute code of Hermes.
_PROBE = """
import importlib.metadata, importlib.util, json, os, site, sys, sysconfig
sys.path[:0] = sys.argv[1:]
spec = importlib.util.find_spec("hermes_cli")
code = os.path.dirname(os.path.dirname(spec.origin)) if spec and spec.origin else ""
owners = [
    one for one in importlib.metadata.distributions()
    if any(e.group == "console_scripts" and e.value.startswith("hermes_cli") for e in one.entry_points)
]
if not owners:
    names = importlib.metadata.packages_distributions().get("hermes_cli", ())
    owners = [importlib.metadata.distribution(name) for name in names]
print(json.dumps({
    "code": code,
    "python": sys.version_info[:2],
    "base": getattr(sys, "_base_executable", "") or sys.executable,
    "prefix": sys.prefix,
    "is_environment": sys.prefix != sys.base_prefix,
    "path": [one for one in sys.path if one and one != code],
    "sites": [*site.getsitepackages(), *([site.getusersitepackages()] if site.ENABLE_USER_SITE else [])],
    "distribution": owners[0].metadata["Name"] if owners else "",
    "release": owners[0].version if owners else "",
    "has_names": bool(owners and owners[0].read_text("top_level.txt")),
}))
"""


@dataclass(frozen=True)
class Borrowed:
    """An installed Hermes, and our Python environment that runs it.

    Attributes:
        place: The path that the user names: a launcher, a Python, an environment or a checkout.
        release: The release of Hermes.
        distribution: The name of the installed distribution.
        version: The version of Python, such as ``3.14``.
        python: The Python of our environment.
        code: The directory with the code of Hermes.
        packages: The directories with its packages.
        protected: The directories that must not change.
    """

    place: Path
    release: str
    distribution: str
    version: str
    python: Path
    code: Path
    packages: tuple[Path, ...]
    protected: tuple[Path, ...]

    @property
    def name(self) -> str:
        """The name of the host: its release and its place."""
        return f"{self.release}@{self.place}"


def borrow(place: Path) -> Borrowed:
    """Return the Hermes that is installed at a place; create or update our environment for it if necessary.

    Raises:
        UnavailableError: There is no Hermes, or it cannot run here.
    """
    facts = _probe_place(place)
    folder = _get_folder(place)
    files = _list_files(place, facts)
    is_usable = partial(_has_files, files=files)
    make_once(folder, partial(_make, files=files, facts=facts), what=f"Hermes at {place}", fix="", is_usable=is_usable)
    return _read(place)


def find_borrowed(name: str) -> Borrowed:
    """Return the Hermes with a host's name, without checking for changes since it was last borrowed.

    Raises:
        UnavailableError: It no longer exists.
    """
    place = Path(split_location(name)[1])
    try:
        return _read(place)
    except (OSError, ValueError, LookupError):
        return borrow(place)


def _get_folder(place: Path) -> Path:
    return cache_dir() / "borrowed" / hashlib.sha256(os.fsencode(place)).hexdigest()[:16]


def _read(place: Path) -> Borrowed:
    folder = _get_folder(place)
    facts = parse_json(read_text(folder / "host.json"))
    return Borrowed(
        place,
        facts["release"],
        facts["distribution"],
        facts["version"],
        folder / facts["digest"] / "bin" / "python",
        Path(facts["code"]),
        tuple(map(Path, facts["sites"])),
        tuple(map(Path, facts["kept"])),
    )


def _probe_place(place: Path) -> dict[str, Any]:
    """Return the facts of an installation, from its first Python that has Hermes."""
    launch = read_place(place)
    if not launch.pythons:
        raise UnavailableError(
            "the Python that runs this Hermes was not found",
            where=str(place),
            fix="Name the Python of its environment. A Hermes in a container cannot be used.",
        )
    for python in launch.pythons:
        facts = _run_probe(python, launch)
        if facts and facts["code"]:
            return _check(place, facts)
    where = ", ".join(map(str, launch.pythons))
    raise UnavailableError(
        f"Hermes is not installed for {where}, or its Python version is not 3.11–3.14", where=str(place)
    )


def _run_probe(python: Path, launch: Launch) -> dict[str, Any] | None:
    environment = {"HOME": str(Path.home()), "PATH": os.defpath, "LC_ALL": "C.UTF-8"}
    command = [str(python), "-E", "-P", "-B", "-c", _PROBE, *map(str, launch.roots)]
    try:
        done = subprocess.run(
            command,
            env=environment,
            cwd="/",
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=True,
            timeout=_TIME_LIMIT,
        )
        return dict(parse_json(done.stdout))
    except (OSError, ValueError, subprocess.SubprocessError):
        return None


def _check(place: Path, facts: dict[str, Any]) -> dict[str, Any]:
    """Complete and check the facts of an installation; the project file of a checkout overrides its metadata."""
    if not OLDEST_PYTHON <= tuple(facts["python"]) <= NEWEST_PYTHON:
        raise UnavailableError(f"this Hermes runs on Python {facts['python']}, not on 3.11–3.14", where=str(place))
    release, distribution = _read_project(Path(facts["code"]) / "pyproject.toml")
    facts["release"] = release or facts["release"]
    facts["distribution"] = distribution or facts["distribution"] or _HOST
    if not _VERSION.fullmatch(facts["release"]):
        raise UnavailableError("the release of this Hermes is unknown: it has no metadata", where=str(place))
    facts["sites"] = [one for one in dict.fromkeys(facts["sites"]) if Path(one).is_dir()]
    return facts


def _read_project(file: Path) -> tuple[str, str]:
    try:
        project = parse_toml(read_text(file))["project"]
        return str(project["version"]), str(project["name"])
    except (OSError, ValueError, LookupError, UsageError):
        return "", ""


def _list_files(place: Path, facts: dict[str, Any]) -> dict[str, bytes]:
    """Return the files of our environment by their paths."""
    version = "{}.{}".format(*facts["python"])
    own = {one: facts[one] for one in ("prefix", "sites", "path", "code")}
    environment = [facts["prefix"]] if facts["is_environment"] else []
    own["kept"] = list(dict.fromkeys([*facts["sites"], facts["code"], *environment]))
    packages = f"lib/python{version}/site-packages"
    code = {
        f"{packages}/_hermes_sdk_startup.py": Path(__file__).with_name("startup.py"),
        f"{packages}/_hermes_sdk_after_import.py": Path(in_worker.__file__).with_name("after_import.py"),
    }
    files = {
        "pyvenv.cfg": f"home = {Path(facts['base']).parent}\ninclude-system-site-packages = false\n".encode(),
        f"{packages}/hermes_sdk.pth": b"import _hermes_sdk_startup\n",
        f"{packages}/_hermes_sdk_host.json": json.dumps(own).encode(),
        **{f"{packages}/{name}": text for name, text in _list_metadata(facts).items()},
        **{name: path.read_bytes() for name, path in code.items()},
    }
    digest = hashlib.sha256(repr((facts, files, _list_states(Path(facts["code"])))).encode()).hexdigest()[:16]
    host = {
        "place": str(place),
        "version": version,
        "digest": digest,
        **{one: facts[one] for one in ("release", "distribution", "sites", "code")},
        "kept": own["kept"],
    }
    return {"host.json": json.dumps(host).encode(), **{f"{digest}/{name}": text for name, text in files.items()}}


def _list_metadata(facts: dict[str, Any]) -> dict[str, bytes]:
    """Return the metadata of ``hermes-agent`` that the installation lacks and plugins or our worker read."""
    if facts["distribution"] == _HOST and facts["has_names"]:
        return {}
    folder = f"hermes_agent-{facts['release']}.dist-info"
    metadata = {f"{folder}/METADATA": f"Metadata-Version: 2.1\nName: {_HOST}\nVersion: {facts['release']}\n".encode()}
    if facts["has_names"]:
        return metadata
    code = Path(facts["code"])
    names = {one.stem for one in code.glob("*.py")} | {one.parent.name for one in code.glob("*/__init__.py")}
    return {
        **metadata,
        f"{folder}/top_level.txt": "\n".join(sorted(names)).encode(),
        f"{folder}/entry_points.txt": b"[console_scripts]\nhermes = hermes_cli.main:main\n",
    }


def _list_states(code: Path) -> list[tuple[str, int, int]]:
    """Return path, size and modification time of the code's files, to notice changes."""
    states: list[tuple[str, int, int]] = []
    for package in _CODE:
        for folder, _, names in os.walk(code / package):
            for name in names:
                if name.endswith(".py"):
                    status = Path(folder, name).stat()
                    states.append((f"{folder}/{name}", status.st_size, status.st_mtime_ns))
    return sorted(states)


def _has_files(folder: Path, files: dict[str, bytes]) -> bool:
    facts = folder / "host.json"
    return facts.is_file() and facts.read_bytes() == files["host.json"]


def _make(folder: Path, files: dict[str, bytes], facts: dict[str, Any]) -> None:
    write_files(
        {folder / name: content for name, content in files.items()}, new_mode=0o644, durable=False, journalled=False
    )
    programs = next(folder.glob("*/pyvenv.cfg")).parent / "bin"
    programs.mkdir()
    for name in ("python", "python3", "python{}.{}".format(*facts["python"])):
        (programs / name).symlink_to(facts["base"])
