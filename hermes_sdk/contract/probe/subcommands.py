"""The commands and options that the program ``hermes`` has of its own, found by letting it build its parser."""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
from typing import Any
from unittest import mock

from .signatures import host_module


def sections() -> dict[str, Any]:
    """Return the commands before and after plugins get a turn, with their aliases, and the long options."""
    before: list[str] = []
    after: list[str] = []
    added = before
    programs: list[argparse.ArgumentParser] = []
    subparsers = type(argparse.ArgumentParser().add_subparsers())
    add_parser, add_subparsers = subparsers.add_parser, argparse.ArgumentParser.add_subparsers

    def make_recording_program(parser: argparse.ArgumentParser, **options: Any) -> Any:
        if options.get("dest") == "command":
            programs.append(parser)
        return add_subparsers(parser, **options)

    def recorded(action: Any, name: str, **options: Any) -> Any:
        if action.dest == "command":  # those of commands go elsewhere
            added.extend([name, *options.get("aliases", ())])
        return add_parser(action, name, **options)

    def turn_of_plugins() -> bool:
        nonlocal added
        added = after
        return False

    program = host_module("hermes_cli.main")
    with (
        mock.patch.object(subparsers, "add_parser", recorded),
        mock.patch.object(argparse.ArgumentParser, "add_subparsers", make_recording_program),
        mock.patch.object(program, "_plugin_cli_discovery_needed", turn_of_plugins),
        mock.patch.object(sys, "argv", ["hermes", "--help"]),
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.suppress(SystemExit),
    ):
        program.main()
    if not (before and after):
        raise RuntimeError("the program `hermes` no longer builds its parser around the commands of plugins")
    # The program names options in this order when an argument may be several of them.
    options = dict.fromkeys(name for one in programs for name in one._option_string_actions if name.startswith("--"))
    return {"cli_commands": {"before": sorted(before), "after": sorted(after)}, "cli_options": list(options)}
