"""The commands `hermes-sdk contract show`, `diff`, `radar` and `extract`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hermes_sdk import contract, terminal
from hermes_sdk.cli.code_runs import INSPECTED_HERMES, Command
from hermes_sdk.cli.groups import Group
from hermes_sdk.cli.options import make_json_option, make_plain_release_option
from hermes_sdk.contract import Contract
from hermes_sdk.contract.behaviour import read_meanings
from hermes_sdk.contract.diff import COUNTED, Change, diff, format_change, where
from hermes_sdk.contract.facts import Fact, find_fact
from hermes_sdk.errors import UsageError
from hermes_sdk.files import write_file

if TYPE_CHECKING:
    from rich.console import Console

STYLES = {"added": ("+", "green"), "removed": ("-", "red"), "changed": ("~", "yellow"), "moved": ("→", "cyan")}


@click.group("contract", cls=Group)
def command() -> None:
    """Show, compare or extract the plugin contracts of Hermes releases."""


@command.command("show", cls=Command, runs=[])
@click.argument("what", metavar="[RELEASE | hook NAME | member NAME | module NAME]", nargs=-1)
@make_plain_release_option()
@make_json_option()
def show(what: tuple[str, ...], release: str, as_json: bool) -> None:
    """Print the contract of RELEASE, such as 0.19.0: methods for plugins, hooks, and the host's behaviour.

    With hook, member or module, print one fact in less than 1 kB: what it is, since when, and an example.

    \b
    Examples:
      hermes-sdk contract show hook pre_tool_call
      hermes-sdk contract show member register_tool --release 0.19.0
      hermes-sdk contract show module gateway.platforms.base
    """
    match what:
        case ("hook" | "member" | "module" as kind, name):
            _print_fact(find_fact(kind, name, contract.load(release)), as_json=as_json)
        case () | (_,):
            _print_contract(contract.load(what[0] if what else release), as_json=as_json)
        case _:
            raise UsageError(
                f"There is no contract for {' '.join(what)!r}.",
                fix="Pass a release, or `hook`, `member` or `module` with a name.",
            )


def _print_contract(loaded: Contract, *, as_json: bool) -> None:
    if as_json:
        facts = {name: loaded.section(name) for name in loaded.sections if name != "release"}
        _print_json(
            "show",
            release=loaded.release,
            grade=contract.grade(loaded.release),
            flags=vars(loaded.behaviour),
            sections=facts,
        )
    else:
        _show(loaded)


@command.command("diff", cls=Command, runs=[])
@click.argument("before")
@click.argument("after")
@make_json_option()
@click.option("--markdown", is_flag=True, help="Print a page for plugin authors.")
def compare(before: str, after: str, as_json: bool, markdown: bool) -> None:
    """Print what changed for plugins from release BEFORE to release AFTER."""
    if as_json and markdown:
        raise UsageError("--json and --markdown cannot be used together", fix="Drop one of them.")
    if markdown:
        from hermes_sdk.contract.page import page

        click.echo(page(contract.load(before), contract.load(after)), nl=False)
        return
    changes = diff(contract.load(before), contract.load(after))
    if as_json:
        grades = {release: contract.grade(release) for release in (before, after)}
        _print_json("diff", before=before, after=after, grades=grades, changes=[vars(change) for change in changes])
    else:
        _diff(before, after, changes)


@command.command("radar", cls=Command, runs=[INSPECTED_HERMES])
@click.argument("before")
@click.argument("after")
@make_json_option()
def radar(before: str, after: str, as_json: bool) -> None:
    """Print the functions of BEFORE that the embedded host models and that differ in AFTER.

    BEFORE and AFTER are releases, or the Python of a Hermes on this machine. Each function is listed with the modules
    of hermes_sdk/hosts/embedded that model it, whose behaviour may be wrong for AFTER.
    """
    from hermes_sdk.contract.imitations import find_suspects

    suspects = find_suspects(_find_fingerprints(before), _find_fingerprints(after))
    if as_json:
        _print_json("radar", before=before, after=after, functions=[one._asdict() for one in suspects])
        return
    from rich.text import Text

    rows = (
        [Text(*STYLES[one.change]), one.function + (f" → {one.place}" if one.place else ""), " ".join(one.modules)]
        for one in suspects
    )
    _rows(terminal.console(), f"{before} → {after}: {len(suspects)} functions", ("", "function", "imitated by"), rows)


def _find_fingerprints(host: str) -> Mapping[str, str]:
    """Return the fingerprints of a release, from its contract or an environment, or those of the Hermes of a Python."""
    from hermes_sdk.contract.extract import extract_fingerprints
    from hermes_sdk.hosts.environments import environment, is_installed

    if host in contract.api_releases():
        loaded = contract.load(host)
        if loaded.base == host:
            found: Mapping[str, str] = loaded.section("fingerprints")
            return found
    if Path(host).is_file():
        return extract_fingerprints(Path(host))
    if is_installed(host):
        return extract_fingerprints(environment(host).python)
    known = ", ".join(one for one in contract.api_releases() if contract.load(one).base == one)
    raise UsageError(
        f"The source of {host!r} is not on this machine.",
        fix=f"Pass the path of a Python that has Hermes, or one of: {known}.",
    )


@command.command("extract", cls=Command, runs=[INSPECTED_HERMES])
@click.option(
    "--python", type=click.Path(path_type=Path), required=True, help="Python interpreter with hermes-agent installed."
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="Output file, or hermes_sdk/contract/data to add the release.  [default: standard output]",
)
@make_plain_release_option(default="default: the version of the distribution")
def extract(python: Path, output: Path | None, release: str | None) -> None:
    """Extract the contract of an installed hermes-agent, as JSON or into the bundled data.

    Use a fresh environment: every installed package counts as part of the release.
    """
    from hermes_sdk.contract.extract import add_release, extract, render

    if output and not output.parent.is_dir():
        raise UsageError(f"There is no directory {output.parent}.", fix="Create it first.")
    found = extract(python)
    if release:
        found["release"] = release
    if output is None:
        click.echo(render(found), nl=False)
    elif output.is_dir():
        add_release(found, output)
    else:
        write_file(output, render(found).encode())


def _print_json(name: str, **content: Any) -> None:
    click.echo(json.dumps({"schema": f"hermes-sdk.contract-{name}/1", **content}, indent=2, ensure_ascii=False))


def _print_fact(fact: Fact, *, as_json: bool) -> None:
    if as_json:
        content = {name: value for name, value in fact._asdict().items() if value}
        document = {"schema": "hermes-sdk.contract-show/1", **content}
        click.echo(json.dumps(document, ensure_ascii=False, separators=(",", ":")))
        return
    click.echo(f"{terminal.style(fact.name, bold=True)}: {fact.kind} of Hermes {fact.release}, since {fact.since}")
    click.echo(fact.summary.replace("``", "`"))
    for title, arguments in (("Arguments", fact.arguments), ("In some calls", fact.sometimes)):
        if arguments:
            click.echo(f"\n{title}: {', '.join(f'{name}: {type_}' for name, type_ in arguments.items())}")
    if fact.returns:
        click.echo(f"\nReturns: {fact.returns.replace('``', '`')}")
    if fact.values:
        click.echo(f"Such as: {', '.join(json.dumps(value) for value in fact.values)}")
    if fact.names:
        click.echo(f"\nNames: {', '.join(fact.names)}{f' and {fact.more} more' if fact.more else ''}")
    click.echo(f"\n{fact.example}")
    if fact.documentation:
        click.echo(f"\nMore: hermes-sdk docs {fact.documentation}")


def _show(loaded: Contract) -> None:
    from rich.text import Text

    console = terminal.console()
    console.print(
        Text.assemble(("Hermes ", "bold"), (loaded.release, "bold"), (f"  {contract.grade(loaded.release)}", "dim"))
    )
    members = [one for name, one in sorted(loaded.context.items()) if not name.startswith("_")]
    _rows(
        console,
        "Members of ctx",
        ("member", "signature"),
        ([one.name, one.signature if one.kind == "method" else one.kind] for one in members),
    )
    hooks = ([hook.name, " ".join(hook.always), " ".join(hook.sometimes)] for hook in loaded.hooks.values())
    _rows(console, "Arguments of hook callbacks", ("hook", "always", "sometimes"), hooks)
    added = loaded.section("injected_hook_arguments")
    if added:
        console.print(Text.assemble(("and always ", "dim"), " ".join(added)))
    _rows(console, "Known names", ("", "names"), _names(loaded))
    on = ([name, meaning] for name, meaning in read_meanings().items() if getattr(loaded.behaviour, name))
    _rows(console, "Behaviour that differs between releases", ("flag", "meaning"), on)


def _names(loaded: Contract) -> list[Sequence[str]]:
    return [
        (title, " ".join(sorted(names)))
        for title, names in (
            ("plugin kinds", loaded.plugin_kinds),
            ("middleware", loaded.middleware_kinds),
            ("slash commands", loaded.slash_commands),
            ("CLI commands", [*loaded.cli_commands["before"], *loaded.cli_commands["after"]]),
            ("tools", loaded.tools),
            ("toolsets", loaded.toolsets),
            ("auxiliary tasks", loaded.auxiliary_tasks),
        )
    ]


def _diff(before: str, after: str, changes: list[Change]) -> None:
    from rich.text import Text

    console = terminal.console()
    console.print(Text(f"Hermes {contract.format_release(before)} → {contract.format_release(after)}", style="bold"))
    if not changes:
        console.print("No difference.")
    for section in dict.fromkeys(change.path[0] for change in changes):
        found = [change for change in changes if change.path[0] == section]
        if section in COUNTED:
            counts = {kind: sum(change.kind == kind for change in found) for kind in STYLES}
            told = ", ".join(f"{count} {kind}" for kind, count in counts.items() if count)
            console.print(Text.assemble("\n", (section, "bold"), (f"  {told} (all with --json)", "dim")))
        else:
            rows = (
                [Text(STYLES[one.kind][0], STYLES[one.kind][1]), " › ".join(where(one)), format_change(one)]
                for one in found
            )
            _rows(console, section, ("", "where", "what"), rows)


def _rows(console: Console, title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(cell if isinstance(cell, Text) else Text(cell) for cell in row))
    console.print(table)
