"""Paths that a plugin may read: programs, libraries, and Python with its packages, but no files of the user."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

_SYSTEM = (
    "/bin",
    "/gnu/store",
    "/home/linuxbrew",
    "/lib",
    "/lib32",
    "/lib64",
    "/nix",
    "/opt",
    "/proc",
    "/sbin",
    "/snap",
    "/sys",
    "/usr",
)
# Not all of /etc, because it contains password hashes and private keys, which a plugin that runs as root could read.
_CONFIGURATION = tuple(
    f"/etc/{name}"
    for name in (
        *("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "ld.so.preload"),
        *("locale.alias", "localtime", "timezone", "magic", "mime.types", "os-release", "debian_version"),
        *("gai.conf", "group", "host.conf", "hosts", "nsswitch.conf", "passwd", "protocols", "resolv.conf", "services"),
        *("ca-certificates", "crypto-policies", "pki/ca-trust/extracted", "pki/tls/cert.pem", "pki/tls/certs"),
        *("pki/tls/openssl.cnf", "ssl/cert.pem", "ssl/certs", "ssl/openssl.cnf"),
        *("bash.bashrc", "fonts", "gitconfig", "inputrc", "profile", "terminfo"),
    )
)
_DEVICES = ("/dev/full", "/dev/null", "/dev/random", "/dev/urandom", "/dev/zero")


def find_readable(additional: Iterable[str]) -> list[str]:
    """Return the readable paths, including `additional` paths, except directories that contain the user's home."""
    packages = [entry or str(Path.cwd()) for entry in sys.path]
    searched = os.pathsep.join(os.environ.get(name, "") for name in ("PATH", "LD_LIBRARY_PATH")).split(os.pathsep)
    programs = [place for place in searched if place.startswith("/")]
    # For version managers such as pyenv: a shim starts a program in a sibling directory.
    versions = [place.removesuffix("/shims") for place in programs if place.endswith("/shims")]
    environments = [place for one in programs for place in _find_environment(Path(one))]
    prefixes = (sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix)
    code = [part for place in (*packages, *find_editable(packages)) for part in list_code(place)]
    paths = (*prefixes, *code, *programs, *versions, *environments, *additional)
    home = _find_home()
    return [
        *_SYSTEM,
        *_CONFIGURATION,
        *_DEVICES,
        *(one for one in dict.fromkeys(paths) if not home.is_relative_to(os.path.realpath(one))),
    ]


def list_code(place: str) -> list[str]:
    """Return a directory with code, or its visible entries if it has an ``.env`` file with secrets."""
    if not os.path.isfile(f"{place}/.env"):  # noqa: PTH113
        return [place]
    with suppress(OSError):
        return [f"{place}/{name}" for name in os.listdir(place) if not name.startswith(".")]  # noqa: PTH208
    return []


def find_editable(packages: Iterable[str]) -> list[str]:
    """Return the projects that are installed in editable mode, whose directories need not be in `sys.path`."""
    projects: list[str] = []
    for directory in packages:
        # The directory may belong to another user.
        with suppress(OSError):
            projects += _read_projects(directory, os.stat(directory).st_mtime_ns)  # noqa: PTH116
    return projects


@cache
def _read_projects(directory: str, _changed_at: int) -> list[str]:
    """Return the editable projects of a site-packages directory; cached until a package is added or removed."""
    names = [name for name in os.listdir(directory) if name.endswith(".dist-info")]  # noqa: PTH208
    # `Path.glob` takes ten times as long.
    return [one for name in names if (one := _read_project(f"{directory}/{name}/direct_url.json"))]


def _read_project(record: str) -> str | None:
    with suppress(OSError, ValueError, AttributeError, LookupError, TypeError, RecursionError):
        with open(record, "rb") as file:  # noqa: PTH123
            origin = json.loads(file.read())
        if origin["dir_info"].get("editable"):
            return unquote(urlsplit(origin["url"]).path)
    return None


def _find_environment(programs: Path) -> Iterator[str]:
    """Yield the virtual environment of a ``bin`` directory, and the directories of its base Python."""
    if programs.name != "bin":
        return
    with suppress(OSError, ValueError):
        settings = (programs.parent / "pyvenv.cfg").read_text(encoding="utf-8")
        yield str(programs.parent)
        base = re.search(r"(?m)^home *= *(/.*?)\s*$", settings)
        python = os.path.realpath(f"{base[1]}/python3") if base else ""
        library = Path(python).parent.parent / "lib" if os.access(python, os.X_OK) else None
        if base and library and any(library.glob("python3*/os.py")):
            yield base[1]
            yield str(library)


def _find_home() -> Path:
    """Return the user's home from the password database, because HOME is already a temporary directory."""
    # Some builds of Python do not have the module, and some containers do not have the user.
    with suppress(ImportError, KeyError):
        import pwd

        return Path(os.path.realpath(pwd.getpwuid(os.getuid()).pw_dir))
    return Path("/")
