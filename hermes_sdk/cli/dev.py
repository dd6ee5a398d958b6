"""The command `hermes-sdk dev`."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hermes_sdk import contract
from hermes_sdk.cli.code_runs import PLUGIN, REAL_HOST, Command
from hermes_sdk.cli.form_options import FORM_HELP, add_plugin_option, select_forms
from hermes_sdk.cli.host_options import add_host_option, choose_release, parse_variables
from hermes_sdk.cli.options import make_release_option, make_variable_option
from hermes_sdk.errors import UnavailableError
from hermes_sdk.files import staging_directory, write_file
from hermes_sdk.terminal import format_count

if TYPE_CHECKING:
    from hermes_sdk.hosts.staging import HostChoice
    from hermes_sdk.inspector.workbench import Workbench
    from hermes_sdk.manifest import Form

_COUNTED = {"tools": "tool", "hooks": "hook", "commands": "command", "skills": "skill", "platforms": "platform"}


@click.command(name="dev", cls=Command, runs=[PLUGIN, REAL_HOST])
@click.argument("path", type=click.Path(path_type=Path), default=Path())
@click.option("--port", type=click.IntRange(0, 65535), default=8765, show_default=True, help="0 picks a free one.")
@click.option("--no-browser", is_flag=True, help="Do not open a browser.")
@click.option(
    "--form", type=click.Choice(["directory", "package"]), help=f"{FORM_HELP}  [default: the first that loads]"
)
@add_plugin_option
@add_host_option
@click.option("--scenario", "file", type=click.Path(path_type=Path), metavar="FILE", help="Open with its conversation.")
@make_release_option()
@make_variable_option("given")
@click.option(
    "--model-url",
    "addresses",
    metavar="URL",
    multiple=True,
    help="OpenAI-compatible address of a real model for chats; --env passes its key. Repeatable.",
)
def command(
    path: Path,
    port: int,
    no_browser: bool,
    form: Form | None,
    plugin: str,
    host: HostChoice,
    file: Path | None,
    release: str | None,
    given: Sequence[str],
    addresses: Sequence[str],
) -> None:
    """Inspect the plugin at PATH in a browser while you edit it; Ctrl-C ends it.

    On the page, you can call tools, fire hooks and chat; it reloads the plugin whenever you save a file. Only this
    machine can open it, and its address works once. PATH defaults to the current directory.
    """
    try:
        from hermes_sdk.inspector.server import listen, serve
    except ModuleNotFoundError as error:
        raise UnavailableError(
            f"the inspector needs the package {error.name}, which is not installed.",
            fix="Install the extra: pip install 'hermes-sdk[inspector]'",
        ) from None
    from hermes_sdk.inspector.models import Models
    from hermes_sdk.inspector.settings import Settings
    from hermes_sdk.inspector.workbench import Workbench

    variables = parse_variables(given)
    models = Models(addresses, variables)
    settings = Settings(variables=variables, secrets=frozenset(name for name in given if name in variables))
    chosen = choose_release(host, release) or contract.DEFAULT
    [form] = select_forms(path, form, plugin, chosen)
    bench = Workbench(path, host=host, release=chosen, settings=settings, form=form, plugin=plugin)
    with contextlib.closing(bench), listen(port) as listener, contextlib.ExitStack() as page:
        if file is not None:
            bench.plan(file)
        bench.load()
        if bench.note:
            click.echo(bench.note, err=True)
        click.echo(_describe(bench))

        def open_page(address: str) -> None:
            click.echo(f"Inspector: {address}")
            if not no_browser:
                _launch(page.enter_context(staging_directory(Path(tempfile.gettempdir()))), address)

        def show_next(address: str) -> None:
            page.close()
            click.echo(f"For another browser: {address}")

        serve(bench, models, listener, open_page, show_next)


def _launch(folder: Path, address: str) -> None:
    """Open an address in the browser through a private page, since other users can read command lines."""
    page = folder / "inspector.html"
    content = f'<!doctype html><meta http-equiv="refresh" content="0;url={address}">'
    write_file(page, content.encode(), new_mode=0o600, durable=False, journalled=False)
    if click.launch(str(page)) != 0:
        import webbrowser

        webbrowser.open(page.as_uri())


def _describe(bench: Workbench) -> str:
    """Describe the loaded plugin in one line."""
    where = f"Hermes {bench.release} ({bench.host})"
    if bench.plugin is None:
        return f"{bench.located.path.resolve().name} does not load on {where}"
    report = bench.plugin.inspection["report"]
    counts = [(len(report[kind]), word) for kind, word in _COUNTED.items()]  # type: ignore[literal-required]
    told = " · ".join(format_count(number, word) for number, word in counts if number)
    return f"{bench.plugin.key} on {where}   {told}".rstrip()
