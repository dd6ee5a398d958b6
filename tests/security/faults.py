"""Runs a command in which the n-th writing system call fails.

    python faults.py KIND NUMBER DIRECTORY WORD…

KIND is kill, interrupt, full or broken; WORD… is a command line, or -c and Python code. An audit hook sees the files
that are opened, renamed and removed, and started programs such as Git (for kill and interrupt only); wrappers see
writes and fsync. The last line of standard error is the number of calls; NUMBER 0 only counts them.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
import tempfile
from pathlib import Path
from typing import Any

KINDS = ("kill", "interrupt", "full", "broken")
_CHANGES = {"os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.symlink", "os.link", "os.chmod", "os.truncate"}
_WRITES = os.O_WRONLY | os.O_RDWR


class Faults:
    """Counts the calls that write below some directories, and makes one fail."""

    def __init__(self, kind: str, number: int, roots: tuple[str, ...]) -> None:
        self.kind, self.number, self.roots = kind, number, roots
        self.count = 0

    def install(self) -> None:
        sys.addaudithook(self._audit)
        for name in ("write", "fsync"):
            setattr(os, name, self._wrap(getattr(os, name)))

    def _audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and isinstance(arguments[0], str | bytes):
            writes = isinstance(arguments[2], int) and arguments[2] & _WRITES
            if writes and self._is_below(arguments[0]):
                self._strike()
        elif event in _CHANGES:
            if self._is_below(arguments[0]):
                self._strike()
        elif event == "subprocess.Popen" and self.kind in ("kill", "interrupt"):
            self._strike()

    def _is_below(self, place: Any) -> bool:
        """Return whether a path is below the directories; descriptors and relative paths always count as such."""
        return (
            isinstance(place, int)
            or not Path(os.fsdecode(place)).is_absolute()
            or os.fsdecode(place).startswith(self.roots)
        )

    def _wrap(self, function: Any) -> Any:
        def wrapper(descriptor: int, *rest: Any) -> Any:
            if descriptor > 2:
                self._strike()
            return function(descriptor, *rest)

        return wrapper

    def _strike(self) -> None:
        self.count += 1
        if self.count != self.number:
            return
        if self.kind == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if self.kind == "interrupt":
            os.kill(os.getpid(), signal.SIGINT)
        else:
            code = errno.ENOSPC if self.kind == "full" else errno.EIO
            raise OSError(code, os.strerror(code))


def main(kind: str, number: str, directory: str, *words: str) -> None:
    from hermes_sdk.cli.main import run
    from hermes_sdk.errors import HermesSdkError

    os.chdir(directory)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if os.environ.get("NO_EXCHANGE"):
        from hermes_sdk.operate import place

        setattr(place, "_exchange", lambda *_: False)  # noqa: B010 - as on a file system without it
    roots = (str(Path.cwd().parent), os.environ["HERMES_SDK_CACHE"])
    tempfile.gettempdir()  # Call this before the hook is installed, because it writes a file to test directories.
    faults = Faults(kind, int(number), roots)
    faults.install()
    try:
        if words[0] == "-c":
            exec(words[1], {})
        else:
            run(list(words))
    except (HermesSdkError, KeyboardInterrupt) as error:
        sys.exit(str(error) or "Aborted.")
    finally:
        number_of_calls, faults.number = faults.count, -1
        print(number_of_calls, file=sys.__stderr__)


if __name__ == "__main__":
    main(*sys.argv[1:])
