"""Commands: what `PluginContext.register_command` and `PluginContext.register_cli_command` take."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

__all__ = ["CliHandler", "CliSetup", "CommandHandler"]

CommandHandler = Callable[[str], str | Awaitable[str | None] | None]
"""The function behind a slash command, called with what follows the command, stripped at both ends.

Its text is shown to the user; None and the empty text show nothing. It may be a coroutine function. An exception is
shown as ``Plugin command error: …`` in the CLI; the gateway then treats the command as unknown.
"""

CliSetup = Callable[["ArgumentParser"], object]
"""Adds the options of a CLI command to its parser. An exception here removes all later plugin commands."""

CliHandler = Callable[["Namespace"], object]
"""The function behind a CLI command, called with the parsed options.

What it returns is ignored and the exit status is 0; call ``sys.exit`` for another. An exception is a traceback and
exit status 1.
"""
