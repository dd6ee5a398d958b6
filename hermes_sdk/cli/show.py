"""The command `hermes-sdk show`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import click

from hermes_sdk import contract, manifest, terminal
from hermes_sdk.cli.built_wheels import build_wheel
from hermes_sdk.cli.code_runs import PACKAGES, PLUGIN, REAL_HOST, WHEEL, Command
from hermes_sdk.cli.form_options import FormChoice, add_form_options, choose_form
from hermes_sdk.cli.host_options import add_host_option, choose_release, print_note
from hermes_sdk.cli.options import make_install_option, make_json_option, make_release_option
from hermes_sdk.contract.behaviour import FLAGS
from hermes_sdk.errors import UsageError
from hermes_sdk.hosts.inspection import show
from hermes_sdk.hosts.interface import HostKind, Report
from hermes_sdk.hosts.staging import HostChoice, Ran, list_unsupported_in, run_on_host
from hermes_sdk.manifest import EntryPoint, Located

if TYPE_CHECKING:
    from rich.table import Table

STATUS_STYLES = {"loaded": "bold green", "failed": "bold red", "unsupported": "bold yellow"}
SECTIONS = {"failed": "plugin-not-loading", "unsupported": "unsupported"}
"""Sections of the page about troubleshooting, by status."""
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


@click.command(name="show", cls=Command, runs=[PLUGIN, REAL_HOST, WHEEL, PACKAGES])
@click.argument("path", required=False, type=click.Path(path_type=Path))
@click.option("--entry-point", metavar="NAME", help="Show an installed plugin by its entry point, instead of PATH.")
@add_form_options
@add_host_option
@make_release_option()
@make_install_option()
@make_json_option()
def command(
    path: Path | None,
    entry_point: str | None,
    form: FormChoice,
    plugin: str,
    host: HostChoice,
    release: str | None,
    install: bool,
    as_json: bool,
) -> None:
    """Load the plugin at PATH in a child process and print what it registers.

    PATH defaults to the current directory. It can also be a core-tool file or a gateway event hook. All plugins of a
    project are shown, in all their forms.
    """
    if path is not None and entry_point is not None:
        raise UsageError("PATH and --entry-point cannot be used together.", fix="Drop one of them.")
    load = partial(_load, host=host, release=choose_release(host, release), install=install)
    if entry_point is not None:
        plugins = [[_Shown(load(None, installed=_find_entry_point(entry_point)))]]
    else:
        base = path or Path()
        try:
            found = manifest.find_plugins(base, choose_form(form), plugin)
        except manifest.MissingModuleError as missing:
            base = build_wheel(missing)
            found = manifest.find_plugins(base, choose_form(form), plugin)
        plugins = [[_Shown(load(base, located=one), one) for one in named.forms] for named in found]
    if as_json:
        first, *others = ({**one.ran.outcome, **one.ran.as_json()} for forms in plugins for one in forms)
        click.echo(json.dumps({**first, **({"others": others} if others else {})}, indent=2, ensure_ascii=False))
        return
    for number, forms in enumerate(plugins):
        _print_plugin(forms, is_spaced=number > 0)


class _Shown(NamedTuple):
    """Report on one form of a plugin; an installed plugin has no form."""

    ran: Ran[Report]
    located: Located | None = None

    @property
    def loads(self) -> bool:
        """Return whether the host loads the plugin."""
        return self.ran.outcome["status"] not in ("failed", "unsupported")


def _load(
    path: Path | None,
    *,
    host: HostChoice,
    release: str | None,
    install: bool,
    located: Located | None = None,
    installed: EntryPoint | None = None,
) -> Ran[Report]:
    """Load one form of a plugin, and report problems."""
    named: dict[str, Any] = {"form": located.form, "plugin": located.name} if located else {}

    def load(kind: HostKind, on: str) -> Report:
        return show(path, host=kind, release=on, installed=installed, install=install, **named)

    # With --install, the requirements of the plugin are installed for a real host.
    ran = run_on_host(host, release, load, list_unsupported_in, [located] if located and not install else [])
    print_note(ran)
    return ran


def _print_plugin(forms: Sequence[_Shown], *, is_spaced: bool) -> None:
    """Print the distinct reports of a plugin. If any form loads, the other forms are reduced to their errors."""
    console = terminal.console()
    works = any(one.loads for one in forms)
    alike: dict[str, list[_Shown]] = {}
    for one in sorted(forms, key=lambda one: works and not one.loads):
        alike.setdefault(repr(_list_facts(one.ran.outcome)), []).append(one)
    for number, (one, *others) in enumerate(alike.values()):
        report = one.ran.outcome
        named = [f"as a {each.located.form}" for each in (one, *others) if each.located and len(forms) > 1]
        form = " and ".join(named)
        if is_spaced or number:
            console.print()
        if works and not one.loads:
            told = f"{form.capitalize()}, it does not load: {report['error'] or report['status']}"
            console.print(told, markup=False, highlight=False)
        else:
            _print(report, form, one.ran.release)


def _find_entry_point(name: str) -> EntryPoint:
    from importlib_metadata import entry_points

    from hermes_sdk.manifest import ENTRY_POINT_GROUP

    known = {one.name: one.value for one in entry_points(group=ENTRY_POINT_GROUP)}
    if name not in known:
        there = ", ".join(sorted(known)) or "none"
        raise UsageError(f"No entry point {name!r} is installed.", fix=f"Entry points in {ENTRY_POINT_GROUP}: {there}.")
    return EntryPoint(name, known[name])


def _print(report: Report, form: str, release: str) -> None:
    from rich.text import Text

    console = terminal.console()
    plugin = report["plugin"]
    title = Text.assemble(
        (plugin["name"], "bold"),
        f" {plugin['version']}".rstrip(),
        "  ",
        (report["status"], STATUS_STYLES.get(report["status"], "bold")),
        f" {form}" if form else "",
        (f"  on {report['host']} {contract.format_release(release, report['host'])}", "dim"),
    )
    console.print(title)
    if report["error"]:
        console.print(Text(report["error"], style="red"))
    console.print(_table(report))
    if section := _find_section(report):
        console.print(f"More: hermes-sdk docs troubleshooting#{section}")
    for warning in _further_warnings(report):
        console.print(Text.assemble(("warning ", "yellow"), warning))
    if _has_deferred_tools(report):
        since = FLAGS["tools_always_deferred"].since
        console.print(f"Models reach its tools through tool_call: tool search is on by default since Hermes {since}.")


def _find_section(report: Report) -> str:
    """Return the section of the page about troubleshooting that explains a plugin's status; empty without one."""
    if report["status"] == "skipped" and report["memory_provider"]:
        return "memory-provider-does-nothing"
    return SECTIONS.get(report["status"], "")


def _has_deferred_tools(report: Report) -> bool:
    """Return whether the host offers some of the plugin's tools only through the tools of tool search."""
    release = contract.find_nearest(report["release"])
    promised = contract.load(release)
    return promised.behaviour.tools_always_deferred and bool({*report["tools"]} - promised.tools.keys())


def _list_facts(report: Report) -> list[Any]:
    """List the facts that users see about a form, to recognise forms with equal facts."""
    plugin = report["plugin"]
    return [plugin["key"], plugin["kind"], report["status"], _list_registrations(report), _further_warnings(report)]


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
    """Return warnings that add information to the error."""
    error = report["error"]
    return [warning for warning in report["warnings"] if error is None or error not in warning]


def _list_registrations(report: Report) -> dict[str, str]:
    """List the registrations of a plugin, one line per kind; empty kinds are omitted."""
    facts = cast("Mapping[str, Any]", report)
    found: dict[str, list[str]] = {name: facts[name] for name in LISTS}
    found |= {f"{category} providers": listed for category, listed in report["providers"].items()}
    for name in ("context_engine", "memory_provider"):
        found[name] = [facts[name]] if facts[name] else []
    found["missing imports"] = report["missing_imports"]
    return {name: ", ".join(listed) for name, listed in found.items() if listed}
