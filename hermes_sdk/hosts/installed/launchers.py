"""Python and code of launchers, environments and checkouts of Hermes, found without running them."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from hermes_sdk.documents import parse_json, read_text
from hermes_sdk.hosts.installed.search import search_path

_LIMIT = 1 << 20
_DEPTH = 4

_PYTHON = re.compile(r"python[\d.]*")
_HERMES = re.compile(r"\.?(?:async-)?hermes[\w.-]*")
_ENV = re.compile(r"#!\s*\S*/env\s+(?:-\S+\s+)*(python[\d.]*)")
_VARIABLE = re.compile(r"""(?m)^[ \t]*(?:export[ \t]+)?(\w+)=(["']?)([^\n"']*)\2[ \t]*$""")
_OWN_FOLDER = re.compile(
    r"""\$\(cd "?\$\(dirname [^)]*\)+"?[^)]*&& *pwd[^)]*\)|\$\(dirname [^)]*\)+|\$\{0%/\*\}|\$\{BASH_SOURCE%/\*\}"""
)
_ABSOLUTE = re.compile(r"""(?<=")/[^"\n\0]+(?=")|(?<=')/[^'\n\0]+(?=')|/[^\s'"`;|&()<>,$:\0]+""")


class Launch(NamedTuple):
    """Existing parts of an installation, the likeliest first.

    Attributes:
        pythons: Interpreters.
        roots: Checkouts, which contain the package ``hermes_cli``.
    """

    pythons: tuple[Path, ...]
    roots: tuple[Path, ...] = ()


def read_place(place: Path) -> Launch:
    """Return the parts of the Hermes at a path: a Python, an environment, a checkout or a launcher."""
    if _is_python(place):
        return _complete([place], [])
    if os.path.isfile(place):
        return _complete(*_read_launcher(place, _DEPTH))
    pythons = [place / "bin" / "python"]
    return _complete(pythons, [place] if is_code(place) else [])


def is_code(folder: Path) -> bool:
    """Return whether a directory contains the code of Hermes."""
    return os.path.isfile(folder / "hermes_cli" / "__init__.py")


def _complete(pythons: Iterable[Path], roots: Iterable[Path]) -> Launch:
    """Add the environments of the checkouts."""
    roots = dict.fromkeys(roots)
    managed = [python for root in roots for python in _find_managed(root)]
    local = [root / name / "bin" / "python" for root in roots for name in ("venv", ".venv")]
    existing = dict.fromkeys(python for python in (*managed, *pythons, *local) if _is_python(python))
    return Launch(tuple(existing), tuple(roots))


def _find_managed(root: Path) -> Iterator[Path]:
    """Yield the Python of the environment that the package manager of Hermes has selected for a checkout."""
    key = hashlib.sha256(str(root.resolve()).encode()).hexdigest()[:16]
    for data in (root.resolve().parent, Path.home() / ".hermes"):
        state = data / "installs" / key
        try:
            environment = Path(parse_json(read_text(state / "facts.json"))["packages"]["venv"]["environment"])
        except (OSError, ValueError, LookupError, TypeError):
            continue
        if environment.resolve().is_relative_to(state.resolve()):
            yield environment / "bin" / "python"


def _read_launcher(file: Path, depth: int) -> tuple[list[Path], list[Path]]:
    """Return the Pythons and checkouts that a launcher names, in order, including those of launchers that it starts."""
    real = file.resolve()
    pythons: list[Path] = []
    roots: list[Path] = []
    for path in _list_paths(real):
        if _is_python(path):
            pythons.append(path)
        elif depth and os.path.isfile(path) and _HERMES.fullmatch(path.name) and path.resolve() != real:
            nested = _read_launcher(path, depth - 1)
            pythons += nested[0]
            roots += nested[1]
        roots += [folder for folder in (path, *list(path.parents)[:4]) if _is_checkout(folder)]
    return pythons, roots


def _list_paths(launcher: Path) -> list[Path]:
    """Return the existing paths that occur in a launcher."""
    try:
        with launcher.open("rb") as opened:
            text = opened.read(_LIMIT).decode(errors="replace")
    except OSError:
        return []
    paths: list[str] = []
    if searched := _ENV.match(text):
        paths += map(str, search_path(searched[1]))
    if text.startswith("#!"):
        text = _expand(text, launcher.parent)
    paths += _ABSOLUTE.findall(text)
    return [Path(path) for path in dict.fromkeys(paths) if len(path) < 4096 and os.path.exists(path)]


def _expand(script: str, folder: Path) -> str:
    """Expand the variables in a shell script."""
    script = _OWN_FOLDER.sub(lambda _: str(folder), script)
    variables = {"HOME": str(Path.home())}

    def replace(text: str) -> str:
        text = re.sub(r"\$\{?(\w+)\}?", lambda found: variables.get(found[1], found[0]), text)
        return re.sub(r"(?<![^\s\"'=])~(?=/)", lambda _: variables["HOME"], text)

    for name, _, value in _VARIABLE.findall(script):
        variables[name] = replace(value)
    return replace(script)


def _is_checkout(folder: Path) -> bool:
    return folder.name not in ("site-packages", "dist-packages") and is_code(folder)


def _is_python(path: Path) -> bool:
    return _PYTHON.fullmatch(path.name) is not None and os.path.isfile(path) and os.access(path, os.X_OK)
