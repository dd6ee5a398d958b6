"""Nix with 200 plugins: CPU time of an evaluation and a switch, and files written by a switch to the same set."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.measure import Command, Figure
from bench.plugins import make_home

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from nix.programs import make_set
from nix.running import Nix, environment, load

COUNT = 200
ROUNDS = 7


def figures() -> Iterator[Figure]:
    """Measure CPU time, the least of several rounds; without Nix there are no figures."""
    if not shutil.which("nix-instantiate"):
        print("bench: no nix-instantiate on PATH, so Nix is not measured", file=sys.stderr)
        return
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        nix = Nix(environment(scratch / "nix"))
        plugins = sorted((make_home(scratch / "source", COUNT) / "plugins").iterdir())
        yield Figure(f"nix: evaluate a system with {COUNT} plugins", _evaluation(nix, plugins), 0.5, "s")
        yield from _switches(nix, plugins, scratch)


def _evaluation(nix: Nix, plugins: Sequence[Path]) -> float:
    code = f"({nix.system(Path('/var/lib/hermes/.hermes'), plugins)}).link.drvPath"
    command = Command(["nix-instantiate", "--eval", "--expr", code], nix.environment)
    return min(command.cpu() for _ in range(ROUNDS))


def _switches(nix: Nix, plugins: Sequence[Path], scratch: Path) -> Iterator[Figure]:
    """Measure switches of a home without plugins: from one set to a set of other plugins, and to the same set again."""
    (built,) = nix.build(f"({load('nix/lib.nix')} {{ pkgs = {nix.pkgs}; }}).buildPluginSet {{ plugins = [ ]; }}")
    others = sorted((make_home(scratch / "other", 2 * COUNT) / "plugins").iterdir())[COUNT:]
    sets = [make_set(scratch / "a", *plugins), make_set(scratch / "b", *others)]
    home = scratch / "home"

    def switch(*options: str | Path) -> float:
        return Command([str(built / "bin" / "hermes-plugins-link"), "--home", str(home), *map(str, options)]).cpu()

    first, other = [], []
    for _ in range(ROUNDS):
        first.append(switch("--set", sets[0]))
        other.append(switch("--set", sets[1]))
        switch("--unlink")
    yield Figure(f"nix: link {COUNT} plugins for the first time", min(first) * 1000, 200, "ms")
    yield Figure(f"nix: switch {COUNT} plugins to {COUNT} others", min(other) * 1000, 200, "ms")
    switch("--set", sets[1])
    before = _state(home)
    switch("--set", sets[1])
    changed = sum(before.get(path) != stat for path, stat in _state(home).items())
    yield Figure("nix: what a switch to the same set writes", changed, 0, "files")


def _state(home: Path) -> dict[Path, tuple[int, int]]:
    stats = {path: path.lstat() for path in [home, *home.rglob("*")]}
    return {path: (stat.st_ino, stat.st_mtime_ns) for path, stat in stats.items()}
