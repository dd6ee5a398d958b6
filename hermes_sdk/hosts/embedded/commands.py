"""Slash commands and CLI commands of plugins (statements F6 to F13)."""

from __future__ import annotations

import contextlib
import io
import logging
import sys
import traceback
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from hermes_sdk.errors import UsageError
from hermes_sdk.hosts.embedded.coroutines import resolve
from hermes_sdk.hosts.embedded.ledger import Entry
from hermes_sdk.hosts.embedded.plugin import Plugin, PluginManifest
from hermes_sdk.hosts.embedded.process.plugin_code import cancelled_error
from hermes_sdk.hosts.embedded.state import HostState
from hermes_sdk.hosts.embedded.store import CreditedStore, Store

if TYPE_CHECKING:
    import argparse

    from hermes_sdk.hosts.interface import CliResult

logger = logging.getLogger("hermes_cli.plugins")


class SlashCommand(NamedTuple):
    """A slash command."""

    handler: Any
    description: str
    plugin: Any
    args_hint: str
    plugin_key: Any
    argument_mode: str | None


class SlashCommands(CreditedStore):
    """Slash commands of all plugins, by name without the slash."""

    entries: dict[str, SlashCommand]

    def __init__(self, state: HostState) -> None:
        self.entries = {}
        self._state = state
        self._builtin = state.contract.slash_commands
        self._registered: dict[Any, dict[str, None]] = {}

    def credit(self, plugin: PluginManifest, mark: None) -> list[str]:  # noqa: ARG002
        """List the commands that belong to plugins with this name."""
        return [name for name in self._registered.get(plugin.name, ()) if self._find_owner(name) == plugin.name]

    def clear(self) -> None:
        """Forget every command."""
        super().clear()
        self._registered.clear()

    def _find_owner(self, name: str) -> Any:
        command = self.entries.get(name)
        return command.plugin if command else None

    def register(
        self,
        plugin: PluginManifest,
        *,
        name: str,
        handler: Any,
        description: str,
        args_hint: str,
        argument_mode: Any = None,
    ) -> Entry | None:
        """Add a command, or replace that of another plugin; a clash with a built-in command is logged and ignored."""
        clean = name.lower().strip().lstrip("/").replace(" ", "-")
        if not clean:
            logger.warning("Plugin '%s' tried to register a command with an empty name.", plugin.name)
            return None
        if clean in self._builtin:
            message = "Plugin '%s' tried to register command '/%s' which conflicts with a built-in command. Skipping."
            logger.warning(message, plugin.name, clean)
            return None
        hint = (args_hint or "").strip()
        self._registered.setdefault(plugin.name, {})[clean] = None
        mode = argument_mode if argument_mode in {"options", "text", "mixed"} else "text" if hint else None
        command = SlashCommand(handler, description or "Plugin command", plugin.name, hint, plugin.lookup_key, mode)
        return Entry(clean, self.put(clean, command))

    def get_handler(self, name: str) -> Callable[[str], Any] | None:
        """Return the handler of a command, or None."""
        command = self.entries.get(name)
        return command.handler if command else None

    def describe(self) -> dict[str, dict[str, Any]]:
        """Describe the commands by name, with the fields that the release shows to plugins."""
        contract = self._state.contract
        hidden = set() if "PluginRegistration" in contract.section("dataclasses") else {"plugin_key"}
        if all(one.name != "argument_mode" for one in contract.context["register_command"].parameters):
            hidden.add("argument_mode")
        return {
            name: {fact: value for fact, value in command._asdict().items() if fact not in hidden}
            for name, command in self.entries.items()
        }

    def run(self, line: str) -> str | None:
        """Run a line of a CLI chat, and return its output."""
        typed = line.strip()
        word = next(iter(typed.split()), "")
        name = word.lower().lstrip("/")
        command = self.entries.get(name) if word.startswith("/") else None
        if command is None or command.handler is None:
            return None
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            self._call(command, name, typed[len(word) :].strip())
        return printed.getvalue().removesuffix("\n") or None

    def _call(self, command: SlashCommand, name: str, arguments: str) -> None:
        try:
            handler = command.handler
            if self._state.recording.active:
                handler = self._state.recording.wrap("command", name, handler)
            result = resolve(handler(arguments))
            if result:
                print(str(result))
        except Exception as error:
            self._state.swallow(f"command /{name}", error)
            print(f"Plugin command error: {error}")


class CliCommand(NamedTuple):
    """A command of the program ``hermes``."""

    plugin: Any
    name: str
    help: str
    setup_fn: Any
    handler_fn: Any
    description: str


class CliCommands(Store):
    """CLI commands of all plugins by name; the last registration of a name wins."""

    entries: dict[str, CliCommand]

    def __init__(self, state: HostState) -> None:
        self.entries = {}
        self._state = state
        self._recording = state.recording
        self._behaviour = state.behaviour
        self._builtin = state.contract.cli_commands
        self._options = state.contract.cli_options

    def register(self, plugin: PluginManifest, *, name: str, **command: Any) -> Entry:
        """Add a command."""
        return Entry(name, self.put(name, CliCommand(plugin.name, name, **command)))

    def names(self, plugin: Plugin) -> list[str]:
        """List the commands of plugins with this name."""
        return [name for name, one in self.entries.items() if one.plugin == plugin.manifest.name]

    def run(self, argv: tuple[str, ...], first: Callable[[], CliCommand | None] = lambda: None) -> CliResult:
        """Run ``hermes *argv`` for a plugin's command; the command of `first` precedes those of plugins.

        On later releases, a number that the handler returns is the exit status. After an exception, the output contains
        its traceback, and the status is 1.

        Raises:
            UsageError: The command is built in, and plugins cannot replace it.
            NotSupported: `argv` is empty or starts with an option.
        """
        if not argv:
            raise self._state.unsupported("run `hermes` without a command")
        if argv[0].startswith("-") and argv not in (("-h",), ("--help",)):
            raise self._state.unsupported(f"run `hermes {argv[0]}`, an option before a command")
        if argv and any(argv[0] in names for names in self._builtin.values()):
            message = f"`hermes {argv[0]}` is a built-in command of Hermes, which the embedded host does not have."
            raise UsageError(message, fix="Rename the plugin's command, or run the built-in one on the real host.")
        return run_captured(lambda: self._dispatch(argv, first))

    def _dispatch(self, argv: tuple[str, ...], first: Callable[[], CliCommand | None]) -> None:
        commands: dict[str, CliCommand] = {}
        # ``hermes --help`` does not load the commands of plugins (A5).
        if argv[:1] not in {("-h",), ("--help",), ("help",)}:
            leading = first()
            own = {leading.name: leading} if leading else {}
            commands = own | self.entries | own
        parser = self._make_parser(commands)
        arguments = parser.parse_args(argv)
        handler = getattr(arguments, "func", None)
        if handler is None:
            parser.print_help()
        else:
            status = handler(arguments)
            if self._behaviour.cli_handler_status and isinstance(status, int) and status:
                sys.exit(int(status))

    def _make_parser(self, commands: Mapping[str, CliCommand]) -> argparse.ArgumentParser:
        import argparse

        suggests = self._behaviour.unknown_commands_suggested
        parser = make_suggesting_parser() if suggests else argparse.ArgumentParser(prog="hermes")
        for option in (one for one in self._options if one != "--help"):
            # As in Hermes, an argument that abbreviates several of these options is an error.
            parser.add_argument(option, action="store_true", default=argparse.SUPPRESS, help=argparse.SUPPRESS)
        label = "<command>" if self._behaviour.cli_commands_labelled else None
        subparsers = parser.add_subparsers(dest="command", metavar=label)
        for name in self._builtin["before"]:
            subparsers.add_parser(name)
        try:
            for command in commands.values():
                child = subparsers.add_parser(
                    command.name,
                    help=command.help,
                    description=command.description,
                    formatter_class=argparse.RawDescriptionHelpFormatter,
                )
                command.setup_fn(child)
                if command.handler_fn is not None:
                    handler = self._recording.wrap("cli_command", command.name, command.handler_fn)
                    child.set_defaults(func=handler)
        except Exception as error:
            # A setup that raises, or a duplicate name, drops all later commands silently (F12).
            logger.debug("Plugin CLI discovery failed: %s", error)
        for name in self._builtin["after"]:
            subparsers.add_parser(name)
        return parser


def make_suggesting_parser() -> argparse.ArgumentParser:
    """Create the parser of ``hermes``; it and the parsers of its commands suggest alternatives for unknown commands."""
    import argparse
    import difflib

    class Parser(argparse.ArgumentParser):
        def _check_value(self, action: argparse.Action, value: Any) -> None:
            if action.nargs != argparse.PARSER or value in (action.choices or ()):
                super()._check_value(action, value)
                return
            close = difflib.get_close_matches(str(value), list(action.choices or ()))
            suggestion = [f"Did you mean: {', '.join(close)}?"] if close else []
            lines = [f"{self.prog}: '{value}' is not a `{self.prog}` command.", *suggestion]
            self.exit(2, "\n".join([*lines, f"Run `{self.prog} --help` to see all commands.\n"]))

    return Parser(prog="hermes")


def run_captured(program: Callable[[], None]) -> CliResult:
    """Run a program as in a separate process, and return its status and output."""
    out, err, code = io.StringIO(), io.StringIO(), 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            program()
        except SystemExit as stop:
            code = _read_exit_status(stop, err)
        except (Exception, cancelled_error(), GeneratorExit):
            traceback.print_exc(file=err)
            code = 1
    from hermes_sdk.hosts.interface import CliResult

    return CliResult(code, out.getvalue(), err.getvalue())


def _read_exit_status(stop: SystemExit, err: io.StringIO) -> int:
    if stop.code is None:
        return 0
    if isinstance(stop.code, int):
        return stop.code
    err.write(f"{stop.code}\n")
    return 1
