"""The command `hermes-sdk show`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from hermes_sdk import contract, manifest, terminal
from hermes_sdk.cli.code_runs import PACKAGES, PLUGIN, REAL_HOST, Command
from hermes_sdk.cli.host_options import OPTION_HELP, add_host_option, choose_release, print_note
from hermes_sdk.errors import UsageError
from hermes_sdk.hosts.inspection import show
from hermes_sdk.hosts.interface import HostKind, Report
from hermes_sdk.hosts.staging import HostChoice, list_unsupported_in, run_on_host
from hermes_sdk.manifest import EntryPoint

if TYPE_CHECKING:
    from rich.table import Table

STATUS_STYLES = {"loaded": "bold green", "failed": "bold red", "unsupported": "bold yellow"}
LISTS = (
    "tools",
    "hooks",
    "middleware",
    "commands",
    "cli_commands",
    "skills",
    "mcp_servers",
    "platforms",
    "model_providers",
    "auxiliary_tasks",
    "slack_action_handlers",
    "gateway_hooks",
)


@click.command(name="show", cls=Command, runs=[PLUGIN, REAL_HOST, PACKAGES])
@click.argument("path", required=False, type=click.Path(path_type=Path))
@click.option("--entry-point", metavar="NAME", help="Show an installed plugin by its entry point, instead of PATH.")
@add_host_option
@click.option(
    "--release",
    metavar="R",
    help=f"Hermes release; with --host real also git:<url>@<rev> or path:<checkout>; {OPTION_HELP}",
)
@click.option("--install", is_flag=True, help="Install the plugin's requirements, as wheels, for the real host.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, schema hermes-sdk.show/1.")
def command(
    path: Path | None, entry_point: str | None, host: HostChoice, release: str | None, install: bool, as_json: bool
) -> None:
    """Load the plugin at PATH in a child process and print what it registers.

    PATH defaults to the current directory. It can also be a core-tool file or a gateway event hook.
    """
    if path is not None and entry_point is not None:
        raise UsageError("PATH and --entry-point exclude each other.", fix="Drop one of them.")
    installed = _find_entry_point(entry_point) if entry_point is not None else None
    wanted = None if installed else path or Path()
    chosen = choose_release(host, release)

    def load(kind: HostKind) -> Report:
        return show(wanted, host=kind, release=chosen, installed=installed, install=install)

    # With --install, a real host gets what the plugin requires.
    plugins = [manifest.locate(wanted)] if wanted and not install else []
    ran = run_on_host(host, chosen, load, list_unsupported_in, plugins)
    print_note(ran)
    if as_json:
        click.echo(json.dumps({**ran.outcome, **ran.as_json()}, indent=2, ensure_ascii=False))
    else:
        _print(ran.outcome)


def _find_entry_point(name: str) -> EntryPoint:
    from importlib_metadata import entry_points

    from hermes_sdk.manifest import ENTRY_POINT_GROUP

    known = {one.name: one.value for one in entry_points(group=ENTRY_POINT_GROUP)}
    if name not in known:
        there = ", ".join(sorted(known)) or "none"
        raise UsageError(f"No entry point {name!r} is installed.", fix=f"In {ENTRY_POINT_GROUP} there are: {there}.")
    return EntryPoint(name, known[name])


def _print(report: Report) -> None:
    from rich.text import Text

    console = terminal.console()
    plugin = report["plugin"]
    title = Text.assemble(
        (plugin["name"], "bold"),
        f" {plugin['version']}".rstrip(),
        "  ",
        (report["status"], STATUS_STYLES.get(report["status"], "bold")),
        (f"  on {report['host']} {contract.format_release(report['release'], report['host'])}", "dim"),
    )
    console.print(title)
    if report["error"]:
        console.print(Text(report["error"], style="red"))
    console.print(_table(report))
    for warning in _further_warnings(report):
        console.print(Text.assemble(("warning ", "yellow"), warning))


def _table(report: Report) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    plugin = report["plugin"]
    facts = {"key": plugin["key"], "kind": plugin["kind"], "source": plugin["source"]}
    for name, value in {**facts, **_list_registrations(report)}.items():
        if value:
            table.add_row(name.replace("_", " "), Text(value))
    return table


def _further_warnings(report: Report) -> list[str]:
    """The warnings that say more than the error does."""
    error = report["error"]
    return [warning for warning in report["warnings"] if error is None or error not in warning]


def _list_registrations(report: Report) -> dict[str, str]:
    """Return what the plugin registered, empty lists left out, one line a kind."""
    facts = cast("Mapping[str, Any]", report)
    found: dict[str, list[str]] = {name: facts[name] for name in LISTS}
    found |= {f"{category} providers": listed for category, listed in report["providers"].items()}
    for name in ("context_engine", "memory_provider"):
        found[name] = [facts[name]] if facts[name] else []
    found["missing imports"] = report["missing_imports"]
    return {name: ", ".join(listed) for name, listed in found.items() if listed}
