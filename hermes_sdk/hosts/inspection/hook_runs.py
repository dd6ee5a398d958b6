"""Runs of shell hook commands in a child process with the same isolation as plugin code."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from hermes_sdk.errors import HermesSdkError
from hermes_sdk.hosts.processes import fork_server, isolation, process
from hermes_sdk.hosts.processes.process import Isolated
from hermes_sdk.hosts.shell_hooks import Run, ShellHook, run_command
from hermes_sdk.journal import scratch_directory

_STARTUP_SECONDS = 5


def run_shell_hook(
    hook: ShellHook, payload: str, *, project: Path, strict: bool, full_isolation: bool
) -> tuple[Run, list[str]]:
    """Run the command of a hook in a temporary home, which is also its working directory.

    Args:
        hook: The hook; its matcher is ignored.
        payload: The command's standard input.
        project: The directory with the hook's script, which the command can read.
        strict: Whether output that is not UTF-8 is an error.
        full_isolation: Whether to fail instead of running the command if a layer of the isolation is missing.

    Returns:
        The result of the run, and the layers of its isolation.

    Raises:
        UnavailableError: A required layer of the isolation is missing.
        HermesSdkError: The child process ended without a result.
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
            time_limit=hook.timeout + _STARTUP_SECONDS,
            isolated=Isolated([str(scratch)], hook.timeout, isolation.FULL if full_isolation else (), [str(project)]),
        )
    if finished.value is None:
        raise HermesSdkError(f"the run of `{hook.command}` ended without a result: {finished.ended}")
    return Run(**finished.value), list(finished.layers)


def main() -> None:
    """Serve `run_shell_hook`: answer each request in a fork of this process."""
    fork_server.serve(lambda: process.serve(_answer))


def _answer(request: Any) -> Any:
    event, command, timeout = request["hook"]
    run = run_command(ShellHook(event, command, None, timeout, None), request["payload"], strict=request["strict"])
    return dataclasses.asdict(run)
