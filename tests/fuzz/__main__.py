"""Play random examples on both hosts for a given time: `make fuzz SECONDS=600 SEED=1 RELEASE=0.22.2`.

Without a release, it plays all proven releases, newest first, each for an equal share of the time. The default seed is
the beginning of the last commit, so that it cannot be chosen. Each new difference is shrunk and written to
`build/fuzz`; scenarios can be copied to `tests/conformance/scenarios`. The figures of a release are written to
`figures.json`.
"""

from __future__ import annotations

import argparse
import io
import itertools
import json
import os
import shutil
import subprocess
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
    max_examples=8,
    database=None,
    deadline=None,
    phases=(Phase.generate, Phase.shrink),
    suppress_health_check=tuple(HealthCheck.__members__.values()),
)


class Fuzzer:
    """One run on a release.

    Args:
        seconds: The duration in seconds.
        shrinking: The maximum duration of the shrinking of one finding in seconds.
    """

    def __init__(self, release: str, seed: int, seconds: float, shrinking: float) -> None:
        self.figures: dict[str, Counter[Result]] = {}
        self._release = release
        self._random = Random(seed)
        self._end = time.monotonic() + seconds
        self._shrinking = shrinking
        self._played: dict[tuple[str, str], Outcome] = {}
        self._reported: set[tuple[str, str]] = set()

    def run(self, kinds: list[str]) -> None:
        """Play the kinds in turn until the time is over."""
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
                        wanted, end = outcome.signature, time.monotonic() + self._shrinking
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
    """Replace the figures of the played kinds of a release."""
    recorded = json.loads(FIGURES.read_text(encoding="utf-8")) if FIGURES.exists() else {}
    for kind, counts in figures.items():
        numbers = {result: counts[result] for result in ("equal", "refused", "different")}
        recorded.setdefault(release, {})[kind] = {"played": counts.total(), **numbers}
    FIGURES.write_text(json.dumps(recorded, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def commit_seed() -> int:
    """Return the first eight hexadecimal digits of the last commit as a number."""
    command = ["git", "-C", str(ROOT), "rev-parse", "HEAD"]
    asked = subprocess.run(command, capture_output=True, text=True, check=False)
    if asked.returncode:
        sys.exit(f"The seed comes from the last commit, and git says: {asked.stderr.strip()} Pass SEED.")
    return int(asked.stdout[:8], 16)


def play(release: str, given: argparse.Namespace, seconds: float) -> None:
    """Play the examples of a release, and write its figures."""
    print(f"seed {given.seed}, release {release}, {seconds:g} s", flush=True)
    try:
        environments.environment(release)
    except HermesSdkError as error:
        sys.exit(str(error))
    fuzzer = Fuzzer(release, given.seed, seconds, given.shrinking)
    fuzzer.run(given.kinds)
    write_figures(release, fuzzer.figures)
    for kind, counts in fuzzer.figures.items():
        print(f"{kind}: {counts.total()} played, {', '.join(f'{n} {result}' for result, n in counts.items())}")


def main() -> None:
    """Parse the arguments and play random examples on each release."""
    parser = argparse.ArgumentParser(prog="make fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, help="default: the beginning of the last commit")
    parser.add_argument("--release", help="default: all that are proven, the newest first")
    parser.add_argument("--kinds", nargs="*", choices=KINDS, default=list(KINDS))
    parser.add_argument("--shrinking", type=float, default=30, help="seconds to shrink one finding")
    given = parser.parse_args()
    given.seed = commit_seed() if given.seed is None else given.seed
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # Models may send lone surrogates.
    sys.dont_write_bytecode = True
    os.environ.setdefault("HERMES_SDK_SOURCES", str(ROOT / "tests" / "sources.toml"))
    releases = [given.release] if given.release else [*reversed(contract.releases())]
    for release in releases:
        play(release, given, given.seconds / len(releases))


if __name__ == "__main__":
    main()
