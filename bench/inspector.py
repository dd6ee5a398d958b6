"""Time until the inspector shows a saved change, and memory that many saves leak."""

from __future__ import annotations

import contextlib
import re
import subprocess
import sys
import tempfile
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter

import httpx
from playwright.sync_api import sync_playwright

from bench.measure import Figure
from bench.plugins import make_home
from bench.view import BROWSER
from hermes_sdk.inspector.access import HEADER
from hermes_sdk.inspector.workbench import Workbench

SAVES = 200
_SETTLED = 20
_MOMENT = 10
_TIME_LIMIT = 0.5

_DEV = "from hermes_sdk.cli.main import run; run()"
_TEXT = "Does nothing"


class Plugin:
    """A small plugin that is saved again and again, each time with another description of its tool."""

    def __init__(self, home: Path) -> None:
        self.folder = home / "plugins" / "small-plugin-0000"
        self._source = self.folder / "__init__.py"
        self._body = self._source.read_text()
        self._saves = 0

    def save(self, body: str = "") -> str:
        """Save the plugin, and return its new description."""
        self._saves += 1
        text = f"Save number {self._saves}."
        self._source.write_text(body or self._body.replace(_TEXT, text))
        return text


def figures() -> Iterator[Figure]:
    """Measure wall-clock time, since the watch waits for a burst of saves to end; the least busy moment counts."""
    with tempfile.TemporaryDirectory(prefix="hermes-sdk-bench-") as name:
        plugin = Plugin(make_home(Path(name) / "home", 1))
        with _serve(plugin.folder) as (process, address):
            yield from _save_often(plugin, process, address)
        with _serve(plugin.folder) as (_, address):
            yield Figure("inspector, save to sight in a browser, median", _measure_page(plugin, address), 1000, "ms")
        yield Figure("inspector, hang at import, past its limit", _measure_hang(plugin), 1000, "ms")


@contextlib.contextmanager
def _serve(plugin: Path) -> Generator[tuple[subprocess.Popen[str], str]]:
    argv = [sys.executable, "-c", _DEV, "dev", str(plugin), "--port", "0", "--no-browser"]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        _, line = process.stdout.readline(), process.stdout.readline()
        try:
            yield process, line.rstrip().partition("Inspector: ")[2]
        finally:
            process.terminate()


def _save_often(plugin: Plugin, process: subprocess.Popen[str], address: str) -> Iterator[Figure]:
    """Save, wait until the page is notified, and read it; the first saves fill caches."""
    times: list[float] = []
    with httpx.Client(base_url=address.partition("/?")[0], timeout=60, trust_env=False) as client:
        [secret] = re.findall('data-secret="([^"]+)"', client.get(address).text)
        client.headers[HEADER] = secret
        with client.stream("GET", "/events") as stream:
            told = (line for line in stream.iter_lines() if line.startswith("data:"))
            next(told)
            for number in range(_SETTLED + SAVES):
                if number == _SETTLED:
                    before = _processes(process.pid)
                began = perf_counter()
                text = plugin.save()
                next(told)
                assert text in client.get("/tools").text
                times.append(1000 * (perf_counter() - began))
            after = _processes(process.pid)
    yield Figure("inspector, save to page, median", _least_median(times[_SETTLED:]), 300, "ms")
    yield Figure(f"inspector, {SAVES} saves, processes left", len(after) - len(before), 0, "")
    yield Figure(f"inspector, {SAVES} saves, memory", sum(after.values()) / sum(before.values()), 1.05)


def _measure_page(plugin: Plugin, address: str) -> float:
    times: list[float] = []
    with sync_playwright() as playwright, playwright.chromium.launch(executable_path=BROWSER) as browser:
        page = browser.new_page()
        page.goto(address)
        page.get_by_role("link", name="Tools").click()
        page.get_by_role("button", name="Call tool_0000").wait_for()
        for _ in range(3 * _MOMENT):
            began = perf_counter()
            # This function checks the page in each frame; a locator would soon check it only twice a second.
            page.wait_for_function("text => document.body.innerText.includes(text)", arg=plugin.save())
            times.append(1000 * (perf_counter() - began))
    return _least_median(times)


def _measure_hang(plugin: Plugin) -> float:
    """Return how long after the time limit a plugin that never finishes loading is reported, in milliseconds."""
    times: list[float] = []
    with contextlib.closing(Workbench(plugin.folder, time_limit=_TIME_LIMIT)) as bench:
        bench.load()
        plugin.save("while True: pass\n")
        for _ in range(3):
            began = perf_counter()
            bench.load()
            times.append(perf_counter() - began)
            assert bench.problem is not None
            assert bench.problem.message.startswith("plugin 'small-plugin-0000' did not load within")
    return 1000 * (min(times) - _TIME_LIMIT)


def _least_median(times: Sequence[float]) -> float:
    """Return the median of the least busy moment, because other programs add time for seconds on end."""
    return min(median(times[start : start + _MOMENT]) for start in range(0, len(times), _MOMENT))


def _processes(root: int) -> dict[int, int]:
    """Return the memory of a process and its descendants in kilobytes, by process id."""
    parents: dict[int, int] = {}
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            parents[int(process.name)] = int((process / "stat").read_text().rpartition(")")[2].split()[1])
    family = {root}
    while more := {child for child, parent in parents.items() if parent in family} - family:
        family |= more
    return {pid: held for pid in family if (held := _measure_memory(pid))}


def _measure_memory(pid: int) -> int:
    """Return the kilobytes of a process, including its part of shared memory; 0 if it has ended."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1])
    return 0
