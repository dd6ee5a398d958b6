"""`make demo`: the commands of an author from a new project to a verified plugin, in a temporary directory."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from hermes_sdk.hosts.environments import find_newest_release, is_installed

BIN = Path(sys.executable).parent
RELEASE = find_newest_release()
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
    """A command failed or printed something unexpected; the text is its output."""


class Unavailable(Exception):
    """The machine lacks a requirement of a command; the text names the requirement and the remedy."""


class Walk:
    """The steps of the demo; `table` has a row for each completed step."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.project = directory / "team-notes"
        self.table = Table("Step", "What it did", "Seconds", title="One plugin, from nothing to the real Hermes")
        self.table.columns[-1].justify = "right"

    def take(self) -> str:
        """Run every step.

        Returns:
            The last sentence of the demo.
        """
        with self._step("Create a plugin") as row:
            self._run("hermes-sdk new plugin --no-input --name 'Team Notes'", self.directory)
            row.append(f"{self.project.name}/ with {_count_files(self.project)} files")
        with self._step("Check it") as row:
            findings = json.loads(self._run("hermes-sdk check --format json"))["findings"]
            row.append(f"{len(findings) or 'no'} findings")
        with self._step("Run its tests") as row:
            row.append(self._run("pytest -q").splitlines()[-1])
        with self._step("Load it in the embedded host") as row:
            embedded = json.loads(self._run(f"hermes-sdk show --host embedded --release {RELEASE} --json"))
            row.append(f"{embedded['status']}: {_count_registered(embedded)}")
        if not is_installed(RELEASE):
            console.print(f"Hermes {RELEASE} is not cached yet. Installing it once needs a network and takes minutes.")
        with self._step(f"Load it in Hermes {RELEASE}") as row:
            try:
                real = json.loads(self._run(f"hermes-sdk show --host real --release {RELEASE} --json"))
            except Unavailable as reason:
                row.append("[yellow]not run, see below[/]")
                return f"[yellow]Only the embedded half ran:[/] {escape(str(reason))}"
            _compare(embedded, real)
            row.append("the same, field by field")
        return f"Both hosts saw {_name_registered(real)}."

    @contextmanager
    def _step(self, name: str) -> Iterator[list[str]]:
        begin = perf_counter()
        row = [name]
        clock = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            TimeElapsedColumn(),
            transient=True,
            console=console,
            disable=not console.is_terminal,
        )
        with clock:
            clock.add_task(name, total=None)
            yield row
        self.table.add_row(*row, f"{perf_counter() - begin:.1f}")

    def _run(self, command: str, directory: Path | None = None) -> str:
        """Show a command, run it in the project, and return its standard output.

        Raises:
            Unavailable: The command reports that this machine lacks a requirement.
            StepFailed: The command failed with another error.
        """
        console.print(f"[dim]$[/] {command}")
        program, *arguments = shlex.split(command)
        done = subprocess.run(
            [BIN / program, *arguments], cwd=directory or self.project, capture_output=True, text=True, check=False
        )
        if done.returncode == UNAVAILABLE:
            error = json.loads(done.stdout)["error"]
            raise Unavailable(f"{error['message']}\n{error['fix']}")
        if done.returncode:
            raise StepFailed(f"{command}\nended with exit code {done.returncode}:\n{done.stdout}{done.stderr}")
        return done.stdout


def _count_files(project: Path) -> int:
    """Count the files of a project, except those of Git."""
    files = (path.relative_to(project) for path in project.rglob("*") if path.is_file())
    return sum(file.parts[0] != ".git" for file in files)


def _count_registered(report: dict[str, Any]) -> str:
    counts = {word: len(report[kind]) for kind, word in REGISTERED.items()}
    return ", ".join(f"{count} {word}{'s' if count > 1 else ''}" for word, count in counts.items() if count)


def _name_registered(report: dict[str, Any]) -> str:
    return ", ".join(f"the {word} [bold]{name}[/]" for kind, word in REGISTERED.items() for name in report[kind])


def _compare(embedded: dict[str, Any], real: dict[str, Any]) -> None:
    """Compare two reports field by field, except for the name of the host.

    Raises:
        StepFailed: They differ.
    """
    embedded, real = _without_host(embedded), _without_host(real)
    differences = [
        f"  {field}: embedded {embedded.get(field)!r}, real {real.get(field)!r}"
        for field in sorted(embedded.keys() | real.keys())
        if embedded.get(field) != real.get(field)
    ]
    if differences:
        raise StepFailed("\n".join(["The two hosts saw different plugins:", *differences]))


def _without_host(report: dict[str, Any]) -> dict[str, Any]:
    """Return a report without the names of hosts, including in the reports of the plugin's other forms."""
    others = [_without_host(other) for other in report.get("others", [])]
    return {field: value for field, value in report.items() if field != "host"} | {"others": others}


def main() -> int:
    """Run the demo.

    Returns:
        0 on success, even without a real host; 1 if a step failed or the reports of the hosts differ.
    """
    try:
        with tempfile.TemporaryDirectory(prefix="hermes-sdk-demo-") as directory:
            walk = Walk(Path(directory))
            closing = walk.take()
    except KeyboardInterrupt:
        console.print("Stopped.")
        return 130
    except StepFailed as failure:
        console.print(str(failure), markup=False)
        return 1
    console.print()
    console.print(walk.table)
    console.print(closing)
    return 0


if __name__ == "__main__":
    sys.exit(main())
