"""`make demo`: the main job from end to end, with the commands that an author types, in a temporary directory."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

from rich.console import Console
from rich.table import Table

BIN = Path(sys.executable).parent
RELEASE = "0.19.0"
UNAVAILABLE = 3
REGISTERED = {
    "tools": "tool",
    "hooks": "hook",
    "commands": "slash command",
    "cli_commands": "CLI command",
    "skills": "skill",
}

console = Console(highlight=False)


class StepFailed(Exception):
    """A command did not do what the demo expects; the text is what it printed."""


class LeftOut(Exception):
    """A step cannot run here; the text says why."""


def main() -> int:
    """Run the demo.

    Returns:
        0, also where the real host cannot be had; 1 when a step failed or the hosts saw different plugins.
    """
    table = Table("Step", "What it did", "Seconds", title="\nOne plugin, from nothing to the real Hermes")
    table.columns[-1].justify = "right"
    try:
        with tempfile.TemporaryDirectory(prefix="hermes-sdk-demo-") as directory:
            _walk(Path(directory), table)
    except KeyboardInterrupt:
        console.print("Stopped.")
        return 130
    except StepFailed as failure:
        console.print(str(failure), markup=False)
        return 1
    console.print(table)
    return 0


def _walk(directory: Path, table: Table) -> None:
    project = directory / "team-notes"
    reports: dict[str, dict[str, Any]] = {}

    def new() -> str:
        _run("hermes-sdk new plugin --no-input --name 'Team Notes'", directory)
        return f"{project.name}/ with {sum(path.is_file() for path in project.rglob('*'))} files"

    def check() -> str:
        findings = json.loads(_run("hermes-sdk check --format json", project))["findings"]
        return f"{len(findings) or 'no'} findings"

    def test() -> str:
        return _run("pytest -q -p no:cacheprovider", project).splitlines()[-1]

    def embedded() -> str:
        reports["embedded"] = json.loads(_run("hermes-sdk show --host embedded --json", project))
        return _summary(reports["embedded"])

    def real() -> str:
        reports["real"] = json.loads(_run(f"hermes-sdk show --host real --release {RELEASE} --json", project))
        _compare(reports["embedded"], reports["real"])
        return f"{_summary(reports['real'])}: the same plugin"

    _step(table, "Create a plugin", new)
    _step(table, "Check it", check)
    _step(table, "Run its tests on the embedded host", test)
    _step(table, "Load it in the embedded host", embedded)
    _step(table, f"Load it in the real Hermes {RELEASE}", real)


def _step(table: Table, name: str, act: Callable[[], str]) -> None:
    begin = perf_counter()
    with console.status(name):
        try:
            result = f"[green]{act()}[/]"
        except LeftOut as reason:
            result = f"[yellow]left out: {reason}[/]"
    table.add_row(name, result, f"{perf_counter() - begin:.1f}")


def _run(command: str, directory: Path) -> str:
    """Show a command, run it, and return its standard output.

    Raises:
        StepFailed: It ended with an error.
        LeftOut: It says that this machine lacks what it needs.
    """
    console.print(f"[dim]$[/] {command}")
    program, *arguments = shlex.split(command)
    done = subprocess.run([BIN / program, *arguments], cwd=directory, capture_output=True, text=True, check=False)
    if done.returncode == UNAVAILABLE:
        raise LeftOut(json.loads(done.stdout)["error"]["message"])
    if done.returncode:
        raise StepFailed(f"{command}\nended with exit code {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def _summary(report: dict[str, Any]) -> str:
    counts = {word: len(report[kind]) for kind, word in REGISTERED.items()}
    return ", ".join(f"{count} {word}{'s' if count > 1 else ''}" for word, count in counts.items() if count)


def _compare(embedded: dict[str, Any], real: dict[str, Any]) -> None:
    """Hold one report against the other, field by field; only the name of the host may differ.

    Raises:
        StepFailed: They differ.
    """
    differences = [
        f"  {field}: embedded {embedded.get(field)!r}, real {real.get(field)!r}"
        for field in sorted(embedded.keys() | real.keys())
        if field != "host" and embedded.get(field) != real.get(field)
    ]
    if differences:
        raise StepFailed("\n".join(["The two hosts saw different plugins:", *differences]))


if __name__ == "__main__":
    sys.exit(main())
