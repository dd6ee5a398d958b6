"""List the functions of the embedded host that ordinary use never executes: `python -m bench.reach [SUBJECT…]`.

The subjects are the tests of all template projects, the blocks of the documentation, the examples, the plugins that
Hermes bundles, the published plugins of `tests/hosts/test_public_plugins.py`, and ordinary fuzz examples. Functions
that only our own unit tests and conformance cases execute count as not reached.

While it runs, a `.pth` file makes each Python of this environment record executed functions as bytes of a
memory-mapped file: most plugins run in forks that close descriptors, see another file system and skip exit handlers.
Python 3.11 takes a few times as long as later versions, which have `sys.monitoring`.
"""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import sysconfig
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "hermes_sdk" / "hosts" / "embedded"
RELEASES = ("0.19.0", "0.22.2")
EXAMPLES = 50
"""Number of fuzz examples of each kind to play on each release."""

os.environ.setdefault("HERMES_SDK_SOURCES", str(ROOT / "tests" / "sources.toml"))
sys.path.append(str(ROOT / "tests"))

# This code runs whenever Python starts, so it imports little.
_TRACKER = """\
import json, mmap, sys, threading

with open({table!r}) as file:
    numbers = json.load(file)
with open({notes!r}, "r+b") as file:
    notes = mmap.mmap(file.fileno(), 0)

def note(code, *more):
    if code.co_filename.startswith({package!r}):
        number = numbers.get(f"{{code.co_filename}}:{{code.co_firstlineno}}:{{code.co_name}}")
        if number is not None:
            notes[number] = 1
    return sys.monitoring.DISABLE if more else None

def profile(frame, event, value):
    if event == "call":
        note(frame.f_code)

if sys.version_info < (3, 12):
    threading.setprofile(profile)
    sys.setprofile(profile)
elif not sys.monitoring.get_tool(sys.monitoring.PROFILER_ID):  # Some environments read each `.pth` file twice.
    sys.monitoring.use_tool_id(sys.monitoring.PROFILER_ID, "reach")
    sys.monitoring.register_callback(sys.monitoring.PROFILER_ID, sys.monitoring.events.PY_START, note)
    sys.monitoring.set_events(sys.monitoring.PROFILER_ID, sys.monitoring.events.PY_START)
"""


class Function(NamedTuple):
    """A function or method; `lines` counts its decorators and inner functions too."""

    file: Path
    name: str
    first: int
    lines: int


def find_functions(file: Path) -> Iterator[Function]:
    """Yield the functions and methods of a file, except inner functions."""

    def walk(node: ast.AST, prefix: str) -> Iterator[Function]:
        for inner in ast.iter_child_nodes(node):
            if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef):
                first = min(one.lineno for one in (inner, *inner.decorator_list))
                yield Function(file, prefix + inner.name, first, (inner.end_lineno or first) - first + 1)
            else:
                yield from walk(inner, f"{prefix}{inner.name}." if isinstance(inner, ast.ClassDef) else prefix)

    return walk(ast.parse(file.read_text(encoding="utf-8")), "")


@contextmanager
def tracking(functions: Sequence[Function]) -> Iterator[Path]:
    """Record the functions that any Python of this environment executes, as one byte for each in a file."""
    with tempfile.TemporaryDirectory(prefix="hermes-sdk-bench-") as folder:
        table, notes, tracker = (Path(folder, name) for name in ("table.json", "notes", "tracker.py"))
        keys = [f"{one.file}:{one.first}:{one.name.rpartition('.')[2]}" for one in functions]
        table.write_text(json.dumps({key: number for number, key in enumerate(keys)}), encoding="utf-8")
        notes.write_bytes(bytes(len(functions)))
        source = _TRACKER.format(table=str(table), notes=str(notes), package=str(PACKAGE))
        tracker.write_text(source, encoding="utf-8")
        hook = Path(sysconfig.get_path("purelib"), "hermes_sdk_bench_reach.pth")
        load = f"import os; path = {str(tracker)!r}; os.path.exists(path) and exec(open(path).read(), {{}})\n"
        hook.write_text(load, encoding="utf-8")
        try:
            yield notes
        finally:
            hook.unlink()


def play_templates() -> None:
    from templates.baking import KINDS, bake, variants

    with tempfile.TemporaryDirectory(prefix="hermes-sdk-bench-") as folder:
        for kind in KINDS:
            for variant, answers in variants(kind).items():
                project = bake(kind, Path(folder), kind.replace("-", "") + variant, answers)
                for release in RELEASES if variant == "default" else RELEASES[-1:]:
                    _pytest(project, "--hermes-release", release)


def play_documentation() -> None:
    _pytest(ROOT, "tests/docs/test_blocks.py", "-m", "not slow and not real_host")


def play_examples() -> None:
    for release in RELEASES:
        _pytest(ROOT, "tests/examples", "--hermes-release", release)


def _pytest(directory: Path, *words: str) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words]
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    print(directory.name, *words, *done.stdout.splitlines()[-1:], flush=True)


def play_bundled() -> None:
    from bench.agreement import find_bundled
    from hermes_sdk.hosts.inspection import show

    for release in RELEASES:
        print(release, dict(Counter(show(plugin, release=release)["status"] for plugin in find_bundled())), flush=True)


def play_published() -> None:
    from hosts.test_public_plugins import PLUGINS, find_entry_point

    from hermes_sdk.errors import HermesSdkError
    from hermes_sdk.hosts.environments import overlay
    from hermes_sdk.hosts.inspection import show

    packages = list(sys.path)
    for release in RELEASES:
        counts: Counter[str] = Counter()
        for package in PLUGINS:
            try:
                (site,) = overlay(release, [package], may_install=True)
                sys.path[:] = [*packages, str(site)]
                counts[show(None, installed=find_entry_point(site), release=release)["status"]] += 1
            except HermesSdkError as error:
                print(release, package, "was skipped:", error.message, flush=True)
        print(release, dict(counts), flush=True)


def play_fuzz() -> None:
    from fuzz.comparison import play_embedded
    from fuzz.examples import KINDS, Example, examples
    from hypothesis import HealthCheck, Phase, given, settings

    checks = list(HealthCheck)
    quick = settings(max_examples=EXAMPLES, derandomize=True, phases=[Phase.generate], suppress_health_check=checks)
    for release in RELEASES:
        for kind in (kind for kind in KINDS if not kind.startswith("wild ")):
            counts: Counter[str] = Counter()

            @settings(quick, database=None, deadline=None)
            @given(examples(kind, release))
            def play(example: Example) -> None:
                counts["refused" if play_embedded(example, release).refusals else "played"] += 1  # noqa: B023

            play()
            print(release, kind, dict(counts), flush=True)


SUBJECTS = {name[5:]: value for name, value in list(globals().items()) if name.startswith("play_")}


def main(words: Sequence[str]) -> None:
    """Run each subject in its own process, and print the functions that were not reached."""
    if words[:1] == ["--play"]:
        return SUBJECTS[words[1]]()
    functions = [one for file in sorted(PACKAGE.rglob("*.py")) for one in find_functions(file)]
    with tracking(functions) as notes, ThreadPoolExecutor(2) as pool:
        list(pool.map(_play, words or SUBJECTS))
        missed = [one for one, noted in zip(functions, notes.read_bytes(), strict=True) if not noted]
    for file in dict.fromkeys(one.file for one in missed):
        here = [one for one in missed if one.file == file]
        print(f"\n{file.relative_to(PACKAGE)}: {sum(one.lines for one in here)} lines")
        print("\n".join(f"  {one.first:4} {one.lines:3} {one.name}" for one in here))
    lines, total = sum(one.lines for one in missed), sum(one.lines for one in functions)
    share = f"{len(missed) / len(functions):.1%}, {lines / total:.1%}"
    print(f"\nNot reached: {len(missed)} of {len(functions)} functions, {lines} of their {total} lines ({share})")
    return None


def _play(subject: str) -> None:
    command = [sys.executable, "-W", "ignore", "-m", "bench.reach", "--play", subject]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as player:
        for line in player.stdout or ():
            print(f"{subject}: {line.rstrip()}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
