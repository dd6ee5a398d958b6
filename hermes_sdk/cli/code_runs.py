"""Third-party code that commands run, and its isolation; `python docs/safety.py` generates a table from it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Final, Literal, NamedTuple

import click

from hermes_sdk.terminal import QUIET

LOOPBACK: Final = "its own loopback"
MACHINE: Final = "the machine's"
ALL: Final = "all"


class CodeRun(NamedTuple):
    """Code that commands run.

    Attributes:
        whose: Owner of the code; "nobody's" for a program that does not run code from its input.
        where: The process, and the time at which it starts.
        layers: The layers of `hosts.processes.isolation`, or ``"all"`` available layers.
    """

    whose: str
    where: str
    layers: tuple[str, ...] | Literal["all"]
    network: str


PLUGIN = CodeRun("the plugin's", "a child process with the embedded host", ALL, LOOPBACK)
REAL_HOST = CodeRun(
    "the plugin's and Hermes'",
    "a child process with a real Hermes: `--host real`, `--real`, and the second run of `--host auto`",
    ALL,
    LOOPBACK,
)
WHEEL = CodeRun("the build backend's", "a child process that builds the plugin's wheel", ALL, LOOPBACK)
SHELL_HOOK = CodeRun("the shell hook's", "a child process that runs a shell hook of the plugin", ALL, LOOPBACK)
HERMES_CHECKS = CodeRun(
    "the plugin's and Hermes'",
    "a child process with the validator, doctor and scanner of a real Hermes",
    ALL,
    LOOPBACK,
)
HTTP = CodeRun(
    "the plugin's",
    "a child process with the host of `record --scenario --http`",
    ("env", "tmp", "rlimit", "pidns", "ipcns", "mountns", "landlock", "seccomp"),
    MACHINE,
)
TESTS = CodeRun(
    "the project's",
    "pytest with the rights of your user, and a temporary home",
    ("env", "tmp"),
    f"{MACHINE}; Python's sockets reach loopback only",
)
PACKAGES = CodeRun("nobody's", "uv or pip with `--online` or `--install`: wheels are unpacked", ("env", "tmp"), MACHINE)
GIT = CodeRun("nobody's", "Git in temporary clones, without hooks, filters and submodules", ("env",), MACHINE)
HOOK_COMMANDS = CodeRun("your own", "the commands of your `config.yaml`, as Hermes runs them", (), MACHINE)
YOUR_HERMES = CodeRun("Hermes' and its plugins'", "your own Hermes: `record -- hermes …`", (), MACHINE)
INSPECTED_HERMES = CodeRun("Hermes'", "the Python that you name, with a temporary home", ("tmp",), MACHINE)


def make_quiet_option(*, hidden: bool = False) -> click.Option:
    """Create the option ``--quiet``; commands accept it, too, but only the help of the program lists it."""

    def be_quiet(_context: click.Context, _option: click.Parameter, is_given: bool) -> None:
        if is_given:
            os.environ[QUIET] = "1"

    told = "Format terminal output as for a file: no colors, and tables of at most 100 columns."
    return click.Option(
        ["--quiet"], is_flag=True, expose_value=False, is_eager=True, callback=be_quiet, hidden=hidden, help=told
    )


class Command(click.Command):
    """Command that declares the third-party code that it runs."""

    def __init__(self, *args: Any, runs: Sequence[CodeRun], **options: Any) -> None:
        super().__init__(*args, **options)
        self.params.append(make_quiet_option(hidden=True))
        self.runs = runs
