"""The command `hermes-sdk plugins`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from contextlib import redirect_stdout, suppress
from dataclasses import asdict
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING

import click

from hermes_sdk import terminal
from hermes_sdk.cli.code_runs import GIT, Command
from hermes_sdk.cli.groups import Group
from hermes_sdk.cli.options import make_json_option, make_plain_release_option
from hermes_sdk.errors import HermesSdkError, UsageError
from hermes_sdk.home import Home
from hermes_sdk.operate import state
from hermes_sdk.operate.validation import printable, redact

if TYPE_CHECKING:
    from hermes_sdk.operate.install import Installed
    from hermes_sdk.operate.state import Plugin
    from hermes_sdk.operate.updates import Outcome
    from hermes_sdk.operate.variables import Variable

_NOTE_LIMIT = 10_000
"""Maximum number of printed characters of a plugin's note."""

STATUS_STYLES = {"enabled": "green", "disabled": "red", "not enabled": "yellow"}

_release = make_plain_release_option()


@click.group("plugins", cls=Group, invoke_without_command=True)
@_release
@click.pass_context
def command(context: click.Context, release: str) -> None:
    """Manage the plugins in HERMES_HOME (default: ~/.hermes), without Hermes.

    Without a command, choose the enabled plugins on a screen.
    """
    from hermes_sdk.operate.place import repair

    with suppress(UsageError):  # The command reports the error itself.
        repair(Home.current())
    context.default_map = {name: {"release": release} for name in command.commands}
    if context.invoked_subcommand is None:
        _choose(Home.current(), release)


def _choose(home: Home, release: str) -> None:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError(
            "the plugin screen needs a terminal", fix="Name a command; `hermes-sdk plugins --help` lists them."
        )
    home.refuse_managed()
    from hermes_sdk.operate.screen import choose

    # The screen controls the terminal itself, and escapes the names of plugins.
    with redirect_stdout(terminal.strip_guard(sys.stdout)):
        saved = choose(home, release)
    click.echo(f"Saved in {home.config_path}: {saved}." if saved else "Nothing was changed.")


@command.command("install", cls=Command, runs=[GIT])
@click.argument("identifier")
@click.option("--link", "linked", is_flag=True, help="Link a local directory instead of copying it, for development.")
@click.option("--ref", default="", help="Branch, tag or full SHA.  [default: the repository's default branch]")
@click.option("-f", "--force", is_flag=True, help="Replace an existing plugin of the same name.")
@click.option("--enable/--no-enable", default=None, help="Enable it or not.  [default: ask on a terminal, else no]")
@_release
def install(identifier: str, linked: bool, ref: str, force: bool, enable: bool | None, release: str) -> None:
    """Install a plugin and prompt for its required variables.

    IDENTIFIER is owner/repo, owner/repo/directory, a Git URL (a directory in it after '#'), a local directory such as
    ./plugin, or a wheel. With --link, the host sees changes to a local directory after a restart.
    """
    home = Home.current()
    home.refuse_managed()
    installed = (
        _link(home, identifier, ref, force, release) if linked else _install_copy(home, identifier, ref, force, release)
    )
    _print_examples(installed)
    _ask_for_variables(home, installed)
    _print_note(installed)
    found = _find_installed(home, installed)
    if not found and not enable:
        click.echo("Warning: the plugin has no plugin.yaml, so Hermes will not find it.", err=True)
    elif not found:
        raise UsageError(
            f"Hermes finds no plugin in {installed.directory}, which has no plugin.yaml",
            fix=f"Remove the directory with `hermes-sdk plugins remove {installed.directory.name}`, or name the "
            "directory of a plugin, such as owner/repo/directory.",
        )
    for name, directory in found.items():
        _print_errors(directory, release)
        _enable_installed(home, name, enable, release)
    click.echo("Restart a running gateway to apply the change.")


def _find_installed(home: Home, installed: Installed) -> dict[str, Path]:
    """Return the plugins in an installed directory, by the name that enables them.

    Hermes treats a directory without a manifest as a category, and finds the plugins in it.
    """
    from hermes_sdk.manifest import manifest_file

    if manifest_file(installed.directory):
        return {installed.name: installed.directory}
    known = {one.key: one.directory for one in state.user_plugins(home) if one.directory}
    found = {key: directory for key, directory in known.items() if directory.parent == installed.directory}
    if found:
        click.echo(f"The directory has no plugin.yaml, but Hermes finds plugins in it: {printable(', '.join(found))}")
    return found


def _enable_installed(home: Home, name: str, enable: bool | None, release: str) -> None:
    shown = printable(name)
    if _confirm(f"Enable '{shown}' now?") if enable is None else enable:
        state.enable_installed(home, name, release)
        click.echo(f"{_ok()} {shown} is enabled.")
    elif name in home.enabled:
        click.echo(f"{shown} stays enabled.")
    else:
        click.echo(f"{shown} is not enabled. To enable it: hermes-sdk plugins enable {shown}")


def _link(home: Home, directory: str, ref: str, force: bool, release: str) -> Installed:
    from hermes_sdk.operate.install import link

    if ref:
        raise UsageError("--ref applies only to Git repositories", fix="Drop --ref, or --link.")
    return link(home, Path(directory).expanduser(), force=force, release=release)


def _install_copy(home: Home, identifier: str, ref: str, force: bool, release: str) -> Installed:
    from hermes_sdk.operate.install import install, source_of
    from hermes_sdk.operate.source import Repository

    source = source_of(identifier, release)
    if isinstance(source, Repository):
        _announce(source.url, source.ignored_ref, insecure=source.is_insecure)
    return install(home, source, ref=ref, force=force, release=release)


@command.command("update", cls=Command, runs=[GIT])
@click.argument("name", required=False)
def update(name: str | None) -> int:
    """Update plugins to the latest commit of their branch.

    NAME is a plugin's directory in plugins/; the default is all plugins. Linked and pinned plugins are skipped. The
    exit status is 1 if an update fails.
    """
    from hermes_sdk.operate import updates

    home = Home.current()
    if name is None:
        return _print_outcomes(home, updates.update_all(home))
    _print_updated(name, updates.update(home, name))
    return 0


def _print_outcomes(home: Home, outcomes: Iterable[Outcome]) -> int:
    """Print each outcome once it is available, and return the exit status."""
    from hermes_sdk.operate.install import LeftAloneError

    total = failed = 0
    for outcome in outcomes:
        total += 1
        if isinstance(outcome.result, LeftAloneError):
            click.echo(f"{terminal.style('-', fg='yellow')} Skipped: {printable(outcome.result.message)}.")
        elif isinstance(outcome.result, HermesSdkError):
            failed += 1
            message = indent(printable(f"{outcome.name}: {outcome.result}"), "  ").lstrip()
            click.echo(f"{terminal.style('✗', fg='red')} {message}")
        else:
            _print_updated(outcome.name, outcome.result)
    if not total:
        click.echo(f"No plugins are installed in {home.path}.")
    elif failed:
        click.echo(f"{failed} of {total} plugins could not be updated.")
    return int(failed > 0)


def _print_updated(name: str, updated: Installed) -> None:
    _print_examples(updated)
    click.echo(f"{_ok()} {printable(name)} {'was updated' if updated.changed else 'is up to date'}.")


@command.command("remove", cls=Command, runs=[])
@click.argument("name")
@click.option(
    "--clean/--no-clean",
    default=None,
    help="Also remove it from config.yaml.  [default: ask on a terminal, else no]",
)
@_release
def remove(name: str, clean: bool | None, release: str) -> None:
    """Delete a plugin or the link to it. NAME is its directory in plugins/."""
    from hermes_sdk.operate.install import find_installed_directory
    from hermes_sdk.operate.install import remove as delete

    home = Home.current()
    directory = find_installed_directory(home, name)
    names = state.list_config_names(home, directory, release)
    linked = state.link_target(directory)
    delete(home, name)
    stays = printable(f" {linked} was not changed.") if linked and linked.exists() else ""
    click.echo(f"{_ok()} {name} was removed from {home.plugins_dir}.{stays}")
    left = state.clean_up_config(home, names)
    if not left:
        return
    if _confirm("config.yaml still contains its name. Remove it?") if clean is None else clean:
        home.update_config(left)
        click.echo(f"{_ok()} {home.config_path} no longer names the plugin.")
    else:
        click.echo(f"{home.config_path} still names the plugin.")


@command.command("enable", cls=Command, runs=[])
@click.argument("name")
@click.option(
    "--allow-tool-override/--no-allow-tool-override",
    default=None,
    help="Allow it to replace built-in tools.  [default: ask on a terminal, else no]",
)
@_release
def enable(name: str, allow_tool_override: bool | None, release: str) -> None:
    """Enable a plugin. NAME is its key, its name, or the last part of its key."""
    home = Home.current()
    home.refuse_managed()
    if allow_tool_override is None and state.find(home, name, release).source != "bundled":
        allow_tool_override = _confirm("May it replace built-in tools, and so see everything that goes through them?")
    plugin = state.enable(home, name, allow_tool_override=bool(allow_tool_override), release=release)
    _print_switched(home, plugin, "enabled")
    if allow_tool_override and plugin.source != "bundled":
        click.echo(f"{_ok()} {printable(plugin.key)} may replace built-in tools.")


@command.command("disable", cls=Command, runs=[])
@click.argument("name")
@_release
def disable(name: str, release: str) -> None:
    """Disable a plugin. NAME is its key, its name, or the last part of its key."""
    home = Home.current()
    _print_switched(home, state.disable(home, name, release), "disabled")


@command.command("migrate", cls=Command, runs=[])
@_release
def migrate(release: str) -> None:
    """Enable all installed plugins in a home with configuration schema 20 or older."""
    home = Home.current()
    enabled = state.migrate(home, release)
    if enabled is None:
        click.echo(f"{home.config_path} needs no migration.")
    else:
        listed = ", ".join(map(printable, enabled)) or "no plugin, since none is installed"
        click.echo(f"{_ok()} Enabled in {home.config_path}: {listed}.")


@command.command("list", cls=Command, runs=[])
@click.option("--enabled", "only_enabled", is_flag=True, help="List only enabled plugins.")
@click.option(
    "--all/--user",
    " /--no-bundled",
    "bundled",
    default=None,
    help="Also list bundled plugins.  [default: only with --json]",
)
@click.option("--plain", is_flag=True, help="Print one line per plugin: status, source, version and name.")
@make_json_option()
@_release
def list_(only_enabled: bool, bundled: bool | None, plain: bool, as_json: bool, release: str) -> None:
    """List plugins and whether they are enabled."""
    home = Home.current()
    hint = bundled is None and not plain
    bundled = as_json if bundled is None else bundled
    known = [plugin for plugin in state.plugins(home, release) if not only_enabled or plugin.status == "enabled"]
    found = [plugin for plugin in known if bundled or plugin.source != "bundled"]
    broken = state.broken_links(home)
    if as_json:
        document = {"schema": "hermes-sdk.plugins/1", "home": str(home.path), "plugins": list(map(asdict, found))}
        links = [{"path": path, "link": state.link_target(path)} for path in broken]
        click.echo(json.dumps({**document, "broken_links": links}, indent=2, ensure_ascii=False, default=str))
        return
    found.sort(key=lambda plugin: plugin.source == "bundled")
    if plain:
        for plugin in found:
            click.echo(printable(f"{plugin.status:12} {plugin.source:8} {plugin.version:8} {plugin.name}"))
    elif found:
        _print_table(found)
    else:
        click.echo(f"No plugins are {'enabled' if only_enabled else 'installed'} in {home.path}.")
    if hint and len(known) > len(found):
        click.echo(f"{len(known) - len(found)} bundled plugins are not listed; pass --all to list them.")
    _print_broken_links(home, broken)


def _announce(url: str, ignored_ref: str, *, insecure: bool) -> None:
    if insecure:
        click.echo("Warning: this address does not authenticate the server; use https:// or git@.", err=True)
    if ignored_ref:
        click.echo(f"Warning: ignoring '{ignored_ref}' in the address; use --ref {ignored_ref}.", err=True)
    click.echo(f"Cloning {redact(url)} ...")


def _print_examples(installed: Installed) -> None:
    for name in installed.examples:
        click.echo(f"Created {printable(name)} from {printable(name)}.example.")


def _ask_for_variables(home: Home, installed: Installed) -> None:
    """Prompt for required variables and save them; the end of the input or Ctrl-C only ends the prompts."""
    from hermes_sdk.operate.variables import credential, missing_variables

    missing = missing_variables(home, installed.manifest)
    if missing:
        click.echo(f"\n{installed.name} requires:")
    for variable in missing:
        _describe(variable)
        try:
            value = credential(_ask(f"  {variable.name}: ", hidden=variable.secret))
        except (EOFError, KeyboardInterrupt):
            click.echo(f"\n  Skipped. Set the missing variables in {home.env_path}.")
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
    """Ask a yes-no question on a terminal; elsewhere, at the end of the input and on Ctrl-C, the answer is no."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return False
    try:
        return click.confirm(question, default=False)
    except click.Abort:
        click.echo()
        return False


def _print_note(installed: Installed) -> None:
    """Print the plugin's note after its installation, or the path of the note."""
    from rich.markdown import Markdown
    from rich.panel import Panel
    from rich.text import Text

    note = installed.directory / "after-install.md"
    if note.is_file():
        with note.open(encoding="utf-8", errors="replace") as file:
            text = printable(file.read(_NOTE_LIMIT))
        terminal.console().print(Panel(Markdown(text, hyperlinks=False), title=Text(installed.name), expand=False))
    linked = state.link_target(installed.directory)
    target = printable(f" → {linked}") if linked else ""
    click.echo(f"{_ok()} {'Linked' if linked else 'Installed in'} {installed.directory}{target}")


def _print_errors(directory: Path, release: str) -> None:
    """Print errors that a static check finds in the plugin."""
    from hermes_sdk.check.engine import check
    from hermes_sdk.check.options import Options

    try:
        findings = check(directory, Options(release=release, static=True)).findings
    except HermesSdkError as error:
        click.echo(printable(f"Cannot check the plugin: {error}"), err=True)
        return
    for finding in findings:
        if finding.severity == "error":
            place = f"{finding.path}:{finding.line}:{finding.column}"
            click.echo(printable(f"{place}: error {finding.code}: {finding.message}\n  {finding.fix}"), err=True)


def _print_switched(home: Home, plugin: Plugin, status: str) -> None:
    name = printable(plugin.key)
    if plugin.status == status:
        click.echo(f"{name} is already {status}.")
    else:
        click.echo(f"{_ok()} {name} is {status} in {home.config_path}, from the next session on.")


def _print_table(found: list[Plugin]) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for title in ("Name", "Status", "Version", "Source", "Description"):
        table.add_column(title, no_wrap=title != "Description")
    for plugin in found:
        status = Text(plugin.status, style=STATUS_STYLES[plugin.status])
        source = "linked" if plugin.link else plugin.source
        texts = (printable(text).replace("\n", " ") for text in (plugin.version, source, plugin.description))
        table.add_row(Text(printable(plugin.name)), status, *map(Text, texts))
    terminal.console().print(table)
    for plugin in found:
        if plugin.link:  # Print links below the table, whose cells would wrap long paths.
            click.echo(printable(f"{plugin.name} is linked to {plugin.link}"))


def _print_broken_links(home: Home, links: list[Path]) -> None:
    for path in links:
        name = path.relative_to(home.plugins_dir).as_posix()
        message = f"{name} is a broken link to {state.link_target(path)}, which Hermes does not load"
        fix = f"Restore the directory, or run `hermes-sdk plugins remove {name}`."
        click.echo(f"{terminal.style('warning', fg='yellow')} {printable(message)}\n  {printable(fix)}", err=True)


def _ok() -> str:
    return terminal.style("✓", fg="green")
