"""Run every bench and print one table: what was measured, the ratio, its limit and the verdict."""

from __future__ import annotations

import sys

from rich.console import Console
from rich.table import Table

from bench import new, startup


def main() -> int:
    console = Console()
    with console.status("Measuring; this takes about a minute"):
        figures = [*startup.figures(), *new.figures()]
    table = Table("Figure", "Ratio", "Limit", "Verdict", title="Ratios of CPU time, medians of interleaved rounds")
    for figure in figures:
        verdict = "[green]holds[/]" if figure.holds else "[red]too slow[/]"
        table.add_row(figure.name, f"{figure.ratio:.2f}", f"{figure.limit:.2f}", verdict)
    console.print(table)
    return 0 if all(figure.holds for figure in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
