"""CPU time of the static check on a small plugin and on the bundled plugins of Hermes, and of a full check.

They are compared with Python, which only parses the same files, and with hermes-plugin-guard, a scanner from the
package index that runs in a separate environment.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.measure import Command, Figure, least_time, ratios
from bench.startup import SCRIPT
from hermes_sdk import installer
from hermes_sdk.cache import cache_dir, make_once
from hermes_sdk.check.plugin import Plugin
from hermes_sdk.hosts import default_release
from hermes_sdk.hosts.environments import environment
from hermes_sdk.manifest import locate_all
from hermes_sdk.scaffold.new import new

SCANNER = "hermes-plugin-guard==0.2.1"
ROUNDS = 15

_SCAN = "import sys; from hermes_plugin_guard.cli import main; sys.exit(main())"
_PARSE = """\
import ast, sys, warnings
warnings.simplefilter("ignore")
with open(sys.argv[1], encoding="utf-8") as names:
    for name in names.read().splitlines():
        with open(name, "rb") as file:
            ast.parse(file.read())
"""
_FUNCTION = """
def work_{}(value, *, name="x"):
    if value:
        return os.path.join(name, str(value))
    return [name]
"""
_MODULE = "import os\n" + "".join(map(_FUNCTION.format, range(1000)))


def figures() -> Iterator[Figure]:
    """Measure the checks; all but the full check are ratios of CPU times of whole processes, without a cache."""
    with tempfile.TemporaryDirectory(prefix="hermes-sdk-bench-") as name:
        scratch = Path(name)
        small = new("plugin", scratch)
        bundled = environment(default_release("real")).site_packages / "plugins"
        yield from _measure_small(small)
        yield _measure_loaded(small)
        yield from _measure_bundled(bundled, scratch / "names")
        yield _measure_growth(scratch)


def check(path: Path) -> Command:
    """Return the command for the static check of a path, with or without findings."""
    return Command([sys.executable, "-m", "hermes_sdk.check", str(path)], exits=(0, 1))


def scan(path: Path) -> Command:
    """Return the command that runs the scanner on a path; its findings are not failures."""
    return Command([str(_scanner()), "-c", _SCAN, "scan", "--fail-on", "none", str(path)])


def _measure_small(plugin: Path) -> Iterator[Figure]:
    unit = Command([sys.executable, "-c", "pass"])
    found = ratios(unit, {"check": check(plugin), "scan": scan(plugin)}, ROUNDS)
    # Using `-m` and importing pathlib, typing, ast, json and tomllib takes 3.3 times as long as starting Python;
    # importing the modules of the check takes another 2.5 times as long.
    yield Figure("check, small plugin / python -c pass", found["check"], 8.1)
    yield Figure("check, small plugin / hermes-plugin-guard", found["check"] / found["scan"], 1)


def _measure_loaded(plugin: Path) -> Figure:
    def run() -> None:
        subprocess.run([SCRIPT, "check", plugin], check=True, capture_output=True)

    return Figure("check, small plugin, loaded and built", least_time(run, 5), 0.8, "s")


def _measure_bundled(plugins: Path, names: Path) -> Iterator[Figure]:
    read = (file for located in locate_all(plugins) for file in Plugin(located, plugins).files if file.suffix == ".py")
    names.write_text("\n".join(map(str, read)), encoding="utf-8")
    parse = Command([sys.executable, "-c", _PARSE, str(names)])
    found = ratios(parse, {"check": check(plugins), "scan": scan(plugins)}, rounds=3)
    yield Figure("check, bundled plugins / ast.parse", found["check"], 2.7)
    yield Figure("check, bundled plugins / hermes-plugin-guard", found["check"] / found["scan"], 0.27)


def _measure_growth(scratch: Path) -> Figure:
    """Return the growth of costs for four times the lines; with the start of Python, linear growth is below four."""
    plugins: list[Path] = []
    for modules in (5, 20):
        plugin = scratch / f"growing-{modules}"
        plugin.mkdir()
        (plugin / "plugin.yaml").write_text("name: growing\nkind: standalone\n", encoding="utf-8")
        (plugin / "__init__.py").write_text("def register(ctx):\n    pass\n", encoding="utf-8")
        for number in range(modules):
            (plugin / f"module_{number}.py").write_text(_MODULE, encoding="utf-8")
        plugins.append(plugin)
    few, many = plugins
    return Figure("check, 4 times the lines", ratios(check(few), {"many": check(many)}, rounds=5)["many"], 4)


def _scanner() -> Path:
    """Return the interpreter of the scanner's environment, which is created if necessary."""
    folder = cache_dir() / "bench" / SCANNER

    def make(target: Path) -> None:
        installer.install(installer.create(target, sys.executable), [SCANNER])

    def is_usable(made: Path) -> bool:
        return (made / "bin" / "python").exists()

    make_once(folder, make, what=SCANNER, fix="Check the network.", is_usable=is_usable)
    return folder / "bin" / "python"
