"""Run a command of hermes-sdk or pytest in a Python without the modules and functions that Windows lacks.

Usage: ``python without_posix.py hermes-sdk new plugin`` or ``python without_posix.py pytest test_it.py``.
"""

# Imported now, because these modules choose their functions at import time.
import asyncio
import multiprocessing
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
from importlib.machinery import ModuleSpec

ADAPTED = (asyncio, multiprocessing, pathlib, shutil, subprocess, tempfile)
MODULES = {"fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty"}
FUNCTIONS = (
    "chown confstr fchmod fchown fork forkpty getegid geteuid getgid getgroups getpgid getpgrp getuid killpg lchown"
    " mkfifo openpty pread register_at_fork setpgrp setsid statvfs sysconf uname"
)
FLAGS = "O_CLOEXEC O_DIRECTORY O_NOCTTY O_NOFOLLOW O_NONBLOCK O_PATH O_SYNC"
SIGNALS = (
    "SIGALRM SIGCHLD SIGHUP SIGKILL SIGPIPE SIGQUIT SIGTSTP SIGUSR1 SIGWINCH SIG_BLOCK SIG_SETMASK pthread_sigmask"
    " setitimer"
)


class Absent:
    """Import finder that raises for modules that Windows lacks."""

    def find_spec(self, name: str, *_: object) -> ModuleSpec | None:
        if name in MODULES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None


def main() -> None:
    sys.meta_path.insert(0, Absent())  # type: ignore[arg-type]
    for name in MODULES & {*sys.modules}:
        del sys.modules[name]
    for module, names in ((os, f"{FUNCTIONS} {FLAGS}"), (signal, SIGNALS)):
        for name in names.split():
            if hasattr(module, name):
                delattr(module, name)
    program, *arguments = sys.argv[1:]
    if program == "pytest":
        import pytest

        sys.exit(pytest.main(arguments))
    from hermes_sdk.cli.main import run

    run(arguments)


main()
