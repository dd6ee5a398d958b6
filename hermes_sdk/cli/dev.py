"""The command `hermes-sdk dev`."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hermes_sdk.cli.code_runs import PLUGIN, REAL_HOST, Command
from hermes_sdk.cli.host_options import OPTION_HELP, add_host_option, choose_release
from hermes_sdk.errors import UnavailableError

if TYPE_CHECKING:
    from hermes_sdk.hosts.staging import HostChoice
    from hermes_sdk.inspector.workbench import Workbench

_COUNTED = {"tools": "tool", "hooks": "hook", "commands": "command", "skills": "skill", "platforms": "platform"}


@click.command(name="dev", cls=Command, runs=[PLUGIN, REAL_HOST])
@click.argument("path", type=click.Path(path_type=Path), default=Path())
@click.option("--port", type=click.IntRange(0, 65535), default=8765, show_default=True, help="0 picks a free one.")
@click.option("--no-browser", is_flag=True, help="Do not open a browser.")
@add_host_option
@click.option("--scenario", "file", type=click.Path(path_type=Path), metavar="FILE", help="Open with its conversation.")
@click.option("--release", metavar="R", help=f"The release of Hermes; {OPTION_HELP}")
def command(path: Path, port: int, no_browser: bool, host: HostChoice, file: Path | None, release: str | None) -> None:
    """Inspect the plugin at PATH in a browser while you edit it; Ctrl-C ends it.

    The page calls tools, fires hooks and chats, and loads the plugin anew whenever you save. It is served to this
    machine only. PATH is the present directory.
    """
    try:
        from hermes_sdk.inspector.server import listen, serve
    except ModuleNotFoundError as error:
        raise UnavailableError(
            f"the inspector needs the package {error.name}, which is not installed.",
            fix="Install the extra: pip install 'hermes-sdk[inspector]'",
        ) from None
    from hermes_sdk.inspector.workbench import Workbench

    bench = Workbench(path, host=host, release=choose_release(host, release))
    with contextlib.closing(bench), listen(port) as listener:
        if file is not None:
            bench.plan(file)
        bench.load()
        if bench.note:
            click.echo(bench.note, err=True)
        click.echo(_describe(bench))

        def tell(address: str) -> None:
            click.echo(f"Inspector: {address}")
            if not no_browser:
                click.launch(address)

        serve(bench, listener, tell)


def _describe(bench: Workbench) -> str:
    """Describe what was loaded on one line."""
    where = f"Hermes {bench.release} ({bench.host})"
    if bench.plugin is None:
        return f"{bench.located.path.resolve().name} does not load on {where}"
    report = bench.plugin.inspection["report"]
    counts = [(len(report[kind]), word) for kind, word in _COUNTED.items()]  # type: ignore[literal-required]
    told = " · ".join(f"{number} {word}{'' if number == 1 else 's'}" for number, word in counts if number)
    return f"{bench.plugin.key} on {where}   {told}".rstrip()
