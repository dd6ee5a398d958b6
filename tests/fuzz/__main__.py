"""Plays random examples on both hosts for a given time: `make fuzz SECONDS=600 SEED=1 RELEASE=0.19.0`.

Each new difference is shrunk and written to `build/fuzz`; one that is a scenario can be copied to
`tests/conformance/scenarios`. The figures of a release are written to `figures.json`.
"""

from __future__ import annotations

import argparse
import io
import itertools
import json
import os
import shutil
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random

from fuzz.comparison import Outcome, Result, play_on_both
from fuzz.examples import KINDS, Example, examples
from hypothesis import HealthCheck, Phase, find, settings
from hypothesis.errors import NoSuchExample

from hermes_sdk import contract
from hermes_sdk.errors import HermesSdkError
from hermes_sdk.hosts import environments

ROOT = Path(__file__).parents[2]
FIGURES = Path(__file__).with_name("figures.json")
FINDINGS = ROOT / "build" / "fuzz"

ROUND = settings(
    max_examples=12,
    database=None,
    deadline=None,
    phases=(Phase.generate, Phase.shrink),
    suppress_health_check=tuple(HealthCheck.__members__.values()),
)
SHRINKING = 30.0
"""Seconds that the shrinking of one finding may take."""


class Fuzzer:
    """One run on a release."""

    def __init__(self, release: str, seed: int, seconds: float) -> None:
        self.figures: dict[str, Counter[Result]] = {}
        self._release = release
        self._random = Random(seed)
        self._end = time.monotonic() + seconds
        self._played: dict[tuple[str, str], Outcome] = {}
        self._reported: set[tuple[str, str]] = set()

    def run(self, kinds: list[str]) -> None:
        """Take the kinds in turn until the time is over."""
        for kind in itertools.cycle(kinds):
            if time.monotonic() > self._end:
                return
            self._search(kind)

    def _search(self, kind: str) -> None:
        """Play a few examples of a kind; shrink and report the first new difference."""
        wanted, end = "", self._end

        def differs(example: Example) -> bool:
            nonlocal wanted, end
            key = (kind, example.digest)
            if key not in self._played:
                if time.monotonic() > end:
                    return False
                outcome = self._played[key] = play_on_both(example, self._release)
                if not wanted:
                    self.figures.setdefault(kind, Counter())[outcome.result] += 1
                    if outcome.result == "different" and self._is_new(kind, outcome):
                        wanted, end = outcome.signature, time.monotonic() + SHRINKING
            outcome = self._played[key]
            return bool(wanted) and outcome.result == "different" and outcome.signature == wanted

        try:
            found = find(examples(kind, self._release), differs, settings=ROUND, random=Random(self._random.random()))
        except NoSuchExample:
            return
        self._reported.add((kind, wanted))
        self._report(found, self._played[kind, found.digest])

    def _is_new(self, kind: str, outcome: Outcome) -> bool:
        return (kind, outcome.signature) not in self._reported

    def _report(self, example: Example, outcome: Outcome) -> None:
        folder = FINDINGS / f"{example.kind.replace(' ', '_')}_{example.digest}"
        shutil.rmtree(folder, ignore_errors=True)
        path = example.trim(outcome.asked).write(folder)
        lines = [f"  {place}\n    embedded {left}\n    real     {right}" for place, left, right in outcome.differences]
        print("\n".join([str(path), *lines[:6], *([f"  … {len(lines) - 6} more"] if lines[6:] else [])]), flush=True)


def write_figures(release: str, figures: dict[str, Counter[Result]]) -> None:
    """Replace the figures of the kinds that were played on a release."""
    recorded = json.loads(FIGURES.read_text(encoding="utf-8")) if FIGURES.exists() else {}
    for kind, counts in figures.items():
        numbers = {result: counts[result] for result in ("equal", "refused", "different")}
        recorded.setdefault(release, {})[kind] = {"played": counts.total(), **numbers}
    FIGURES.write_text(json.dumps(recorded, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def main() -> None:
    """Read the arguments, run, and write the figures."""
    parser = argparse.ArgumentParser(prog="make fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=time.time_ns() % 10**6)
    parser.add_argument("--release", default=contract.DEFAULT)
    parser.add_argument("--kinds", nargs="*", choices=KINDS, default=list(KINDS))
    given = parser.parse_args()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # A model may send half of a surrogate pair.
    print(f"seed {given.seed}, release {given.release}, {given.seconds:g} s", flush=True)
    sys.dont_write_bytecode = True
    os.environ.setdefault("HERMES_SDK_SOURCES", str(ROOT / "tests" / "sources.toml"))
    try:
        environments.environment(given.release)
    except HermesSdkError as error:
        sys.exit(str(error))
    fuzzer = Fuzzer(given.release, given.seed, given.seconds)
    fuzzer.run(given.kinds)
    write_figures(given.release, fuzzer.figures)
    for kind, counts in fuzzer.figures.items():
        print(f"{kind}: {counts.total()} played, {', '.join(f'{n} {result}' for result, n in counts.items())}")


if __name__ == "__main__":
    main()
