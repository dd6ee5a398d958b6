"""The command `hermes-sdk plugins`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hermes_sdk import contract
from hermes_sdk.errors import HermesSdkError, UsageError
from hermes_sdk.home import Home
from hermes_sdk.operate import state
from hermes_sdk.operate.text import printable, redacted

if TYPE_CHECKING:
    from hermes_sdk.operate.install import Installed
    from hermes_sdk.operate.state import Plugin
    from hermes_sdk.operate.variables import Variable

_NOTE_LIMIT = 10_000
"""How many characters of a plugin's note are printed."""

STATUS_STYLES = {"enabled": "green", "disabled": "red", "not enabled": "yellow"}

_release = click.option(
    "--release", default=contract.DEFAULT, metavar="R", show_default=True, help="The release of Hermes that uses it."
)
_Command = Callable[..., Any]


@click.group("plugins", invoke_without_command=True)
@_release
@click.pass_context
def command(context: click.Context, release: str) -> None:
    """Manage the plugins of a home, without Hermes: HERMES_HOME, else ~/.hermes.

    Without a command, choose on a screen what is enabled.
    """
    context.default_map = {name: {"release": release} for name in command.commands}
    if context.invoked_subcommand is None:
        _choose(Home.current(), release)


def _choose(home: Home, release: str) -> None:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("the screen needs a terminal", fix="Name a command; `hermes-sdk plugins --help` lists them.")
    home.refuse_managed()
    from hermes_sdk.operate.screen import choose

    saved = choose(home, release)
    click.echo(f"Saved in {home.config_path}: {saved}." if saved else "Nothing was changed.")


@command.command("install")
@click.argument("identifier")
@click.option("--ref", default="", help="A branch, a tag or a full SHA, instead of the repository's own branch.")
@click.option("-f", "--force", is_flag=True, help="Replace the plugin of that name.")
@click.option("--enable/--no-enable", default=None, help="Whether to enable it.  [default: ask on a terminal, else no]")
@_release
def install(identifier: str, ref: str, force: bool, enable: bool | None, release: str) -> None:
    """Install a plugin and ask for the variables that it requires.

    IDENTIFIER is owner/repo, owner/repo/directory, a Git URL (a directory in it after '#'), a local directory such as
    ./plugin, or a wheel.
    """
    from hermes_sdk.operate.install import install as put
    from hermes_sdk.operate.install import source_of
    from hermes_sdk.operate.source import Repository

    home = Home.current()
    home.refuse_managed()
    source = source_of(identifier, release)
    if isinstance(source, Repository):
        _announce(source.url, source.ignored_ref, insecure=source.is_insecure)
    installed = put(home, source, ref=ref, force=force, release=release)
    _print_examples(installed)
    _ask_for_variables(home, installed)
    _print_note(installed)
    _print_errors(installed.directory, release)
    if _confirm(f"Enable '{installed.name}' now?") if enable is None else enable:
        state.enable_installed(home, installed.name, release)
        click.echo(f"{_ok()} {installed.name} is enabled.")
    else:
        click.echo(f"It is not enabled. To enable it: hermes-sdk plugins enable {installed.name}")
    click.echo("A running gateway sees it after a restart.")


@command.command("update")
@click.argument("name")
def update(name: str) -> None:
    """Bring a plugin to the newest commit of the branch that it was installed from."""
    from hermes_sdk.operate.install import update as pull

    updated = pull(Home.current(), name)
    _print_examples(updated)
    click.echo(f"{_ok()} {name} {'was updated' if updated.changed else 'is up to date'}.")


@command.command("remove")
@click.argument("name")
@click.option(
    "--clean/--no-clean",
    default=None,
    help="Whether to clear it out of config.yaml, too.  [default: ask on a terminal, else no]",
)
@_release
def remove(name: str, clean: bool | None, release: str) -> None:
    """Delete the files of a plugin. NAME is its directory below plugins/."""
    from hermes_sdk.operate.install import installed_directory
    from hermes_sdk.operate.install import remove as delete

    home = Home.current()
    directory = installed_directory(home, name)
    names = state.names_of(home, directory, release)
    delete(home, name)
    click.echo(f"{_ok()} {name} was removed from {home.plugins_dir}.")
    left = state.leftovers(home, names)
    if not left:
        return
    if _confirm("config.yaml still names it. Clear that out?") if clean is None else clean:
        home.update_config(left)
        click.echo(f"{_ok()} {home.config_path} does not name it any more.")
    else:
        click.echo(f"{home.config_path} still names it.")


@command.command("enable")
@click.argument("name")
@click.option(
    "--allow-tool-override/--no-allow-tool-override",
    default=None,
    help="Whether it may replace built-in tools.  [default: ask on a terminal, else no]",
)
@_release
def enable(name: str, allow_tool_override: bool | None, release: str) -> None:
    """Let the host load a plugin. NAME is its key, its name, or the last part of its key."""
    home = Home.current()
    home.refuse_managed()
    if allow_tool_override is None and state.find(home, name, release).source != "bundled":
        allow_tool_override = _confirm("May it replace built-in tools, and so see everything that goes through them?")
    plugin = state.enable(home, name, allow_tool_override=bool(allow_tool_override), release=release)
    _print_switched(home, plugin, "enabled")
    if allow_tool_override and plugin.source != "bundled":
        click.echo(f"{_ok()} {printable(plugin.key)} may replace built-in tools.")


@command.command("disable")
@click.argument("name")
@_release
def disable(name: str, release: str) -> None:
    """Keep the host from loading a plugin. NAME is its key, its name, or the last part of its key."""
    home = Home.current()
    _print_switched(home, state.disable(home, name, release), "disabled")


@command.command("migrate")
@_release
def migrate(release: str) -> None:
    """Enable what is installed in a home from before plugins had to be enabled (configuration schema 20 or older)."""
    home = Home.current()
    enabled = state.migrate(home, release)
    if enabled is None:
        click.echo(f"{home.config_path} needs no migration.")
    else:
        listed = ", ".join(map(printable, enabled)) or "no plugin, since none is installed"
        click.echo(f"{_ok()} Enabled in {home.config_path}: {listed}.")


@command.command("list")
@click.option("--enabled", "only_enabled", is_flag=True, help="Only plugins that are enabled.")
@click.option("--user", "--no-bundled", "no_bundled", is_flag=True, help="Only plugins that are not part of Hermes.")
@click.option("--plain", is_flag=True, help="Print a line each: status, source, version and name.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, schema hermes-sdk.plugins/1.")
@_release
def list_(only_enabled: bool, no_bundled: bool, plain: bool, as_json: bool, release: str) -> None:
    """List the plugins of a home and whether the host may load them."""
    home = Home.current()
    found = [
        plugin
        for plugin in state.plugins(home, release)
        if not (only_enabled and plugin.status != "enabled") and not (no_bundled and plugin.source == "bundled")
    ]
    if as_json:
        document = {"schema": "hermes-sdk.plugins/1", "home": str(home.path), "plugins": list(map(asdict, found))}
        click.echo(json.dumps(document, indent=2, ensure_ascii=False, default=str))
    elif plain:
        for plugin in found:
            click.echo(printable(f"{plugin.status:12} {plugin.source:8} {plugin.version:8} {plugin.name}"))
    else:
        _print_table(home, found)


def _announce(url: str, ignored_ref: str, *, insecure: bool) -> None:
    if insecure:
        click.echo("Warning: nothing proves where this comes from; https:// or git@ would.", err=True)
    if ignored_ref:
        click.echo(f"Warning: the address names '{ignored_ref}', which is not used; add --ref {ignored_ref}.", err=True)
    click.echo(f"Cloning {redacted(url)} ...")


def _print_examples(installed: Installed) -> None:
    for name in installed.examples:
        click.echo(f"Made {printable(name)} from {printable(name)}.example.")


def _ask_for_variables(home: Home, installed: Installed) -> None:
    """Ask for what the plugin requires and save it; an end of input or Ctrl-C ends the questions, nothing else."""
    from hermes_sdk.operate.variables import credential, missing_variables

    missing = missing_variables(home, installed.manifest)
    if missing:
        click.echo(f"\n{installed.name} requires:")
    for variable in missing:
        _describe(variable)
        try:
            value = credential(_ask(f"  {variable.name}: ", hidden=variable.secret))
        except (EOFError, KeyboardInterrupt):
            click.echo(f"\n  Skipped. Set what is missing in {home.env_path}.")
            return
        try:
            if value:
                home.set_env(variable.name, value)
            click.echo(f"  {_ok()} Saved in {home.env_path}." if value else f"  Skipped; set it in {home.env_path}.")
        except UsageError as error:
            click.echo(f"  Not saved: {error}", err=True)


def _describe(variable: Variable) -> None:
    click.echo(f"  {variable.name}{' - ' if variable.description else ''}{variable.description}")
    if variable.url:
        click.echo(f"  Get it at {variable.url}")


def _ask(prompt: str, *, hidden: bool) -> str:
    if hidden and sys.stdin.isatty():
        import getpass

        return getpass.getpass(prompt)
    click.echo(prompt, nl=False)
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line


def _confirm(question: str) -> bool:
    """Ask a question on a terminal; elsewhere, at the end of input and on Ctrl-C the answer is no."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return False
    try:
        return click.confirm(question, default=False)
    except click.Abort:
        click.echo()
        return False


def _print_note(installed: Installed) -> None:
    """Print what the plugin says after its installation, or where it is."""
    from rich.console import Console
    from rich.markdown import Markdown
    from rich.panel import Panel

    note = installed.directory / "after-install.md"
    if note.is_file():
        with note.open(encoding="utf-8", errors="replace") as file:
            text = printable(file.read(_NOTE_LIMIT))
        Console().print(Panel(Markdown(text, hyperlinks=False), title=installed.name, expand=False))
    click.echo(f"{_ok()} Installed in {installed.directory}")


def _print_errors(directory: Path, release: str) -> None:
    """Print what would break the plugin, as far as its files tell without running them."""
    from hermes_sdk.check.engine import check
    from hermes_sdk.check.options import Options
    from hermes_sdk.manifest import manifest_file

    if manifest_file(directory) is None:
        click.echo("Warning: it has no plugin.yaml, so no host finds it.", err=True)
        return
    try:
        findings = check(directory, Options(release=release, static=True)).findings
    except HermesSdkError as error:
        click.echo(printable(f"It cannot be checked: {error}"), err=True)
        return
    for finding in findings:
        if finding.severity == "error":
            place = f"{finding.path}:{finding.line}:{finding.column}"
            click.echo(printable(f"{place}: error {finding.code}: {finding.message}\n  {finding.fix}"), err=True)


def _print_switched(home: Home, plugin: Plugin, status: str) -> None:
    name = printable(plugin.key)
    if plugin.status == status:
        click.echo(f"{name} is {status} already.")
    else:
        click.echo(f"{_ok()} {name} is {status} in {home.config_path}, from the next session on.")


def _print_table(home: Home, found: list[Plugin]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    if not found:
        click.echo(f"No such plugins in {home.path}.")
        return
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for title in ("Name", "Status", "Version", "Source", "Description"):
        table.add_column(title, no_wrap=title != "Description")
    for plugin in found:
        status = Text(plugin.status, style=STATUS_STYLES[plugin.status])
        texts = (printable(text).replace("\n", " ") for text in (plugin.version, plugin.source, plugin.description))
        table.add_row(Text(printable(plugin.name)), status, *map(Text, texts))
    Console(highlight=False).print(table)


def _ok() -> str:
    return click.style("✓", fg="green")
