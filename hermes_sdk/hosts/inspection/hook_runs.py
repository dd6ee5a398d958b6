"""Runs the command of a shell hook in a child process, isolated from the machine as the code of plugins is."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from hermes_sdk.errors import HermesSdkError
from hermes_sdk.hosts.processes import fork_server, isolation, process
from hermes_sdk.hosts.processes.process import Isolated
from hermes_sdk.hosts.shell_hooks import Run, ShellHook, run_command
from hermes_sdk.journal import scratch_directory

_PATIENCE = 5


def run_shell_hook(
    hook: ShellHook, payload: str, *, project: Path, strict: bool, full_isolation: bool
) -> tuple[Run, list[str]]:
    """Run the command of a hook in a temporary home that is its working directory too.

    Args:
        hook: The hook; its matcher does not count.
        payload: What the command reads on standard input.
        project: The directory with its script, and what the script reads.
        strict: Whether output that is not UTF-8 is an error.
        full_isolation: Whether to run nothing when a layer of the isolation is missing.

    Returns:
        How it ended, and the layers that it ran behind.

    Raises:
        UnavailableError: A required layer of the isolation is missing.
        HermesSdkError: The child process did not survive.
    """
    with scratch_directory() as scratch:
        request = {
            "hook": [hook.event, hook.command, hook.timeout],
            "payload": payload,
            "strict": strict,
        }
        finished = fork_server.run(
            __name__,
            request,
            environment=process.child_environment(scratch, scratch, {"HERMES_HOME": str(scratch / ".hermes")}),
            cwd=scratch,
            time_limit=hook.timeout + _PATIENCE,
            isolated=Isolated([str(scratch)], hook.timeout, isolation.FULL if full_isolation else (), [str(project)]),
        )
    if finished.value is None:
        raise HermesSdkError(f"the run of `{hook.command}` ended without a result: {finished.ended}")
    return Run(**finished.value), list(finished.layers)


def main() -> None:
    """Answer the requests of a process that calls `run_shell_hook`, each in a fork of this one."""
    fork_server.serve(lambda: process.serve(_answer))


def _answer(request: Any) -> Any:
    event, command, timeout = request["hook"]
    run = run_command(ShellHook(event, command, None, timeout, None), request["payload"], strict=request["strict"])
    return dataclasses.asdict(run)
