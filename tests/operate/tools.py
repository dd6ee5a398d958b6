"""``hermes-sdk`` and ``hermes`` as two tools with the same interface, and the state of a home for comparison."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import select
import stat
import struct
import subprocess
import sys
import termios
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from click.testing import CliRunner

from hermes_sdk.cli.main import run
from hermes_sdk.home import Home
from hermes_sdk.manifest import load_yaml
from hermes_sdk.operate.origins import ID_FILE_NAME

RELEASE = "0.19.0"
"""The release of both tools; the installer of later releases downloads a package manager."""


@dataclass(frozen=True)
class Done:
    """Result of a command."""

    exit_code: int
    output: str


class Tool(Protocol):
    """Command-line tool that manages plugins."""

    def __call__(self, home: Path, *argv: str, stdin: str = "", **environment: str) -> Done:
        """Run ``plugins *argv`` on a home; standard input is not a terminal."""


class Ours:
    """``hermes-sdk plugins`` in this process, for the release of the real tool."""

    def __call__(self, home: Path, *argv: str, stdin: str = "", **environment: str) -> Done:
        import click

        @click.command(context_settings={"ignore_unknown_options": True, "help_option_names": []})
        @click.argument("argv", nargs=-1, type=click.UNPROCESSED)
        def main(argv: tuple[str, ...]) -> None:
            run(list(argv))

        variables = {"HERMES_HOME": str(home), **environment}
        done = CliRunner().invoke(main, ["plugins", "--release", RELEASE, *argv], input=stdin, env=variables)
        if done.exception and not isinstance(done.exception, SystemExit):
            raise done.exception
        return Done(done.exit_code, done.output)


class Real:
    """``hermes plugins``; each call runs in a fork of a process that has already imported it."""

    def __init__(self, python: Path, folder: Path) -> None:
        for name in ("home", "user", "managed"):
            (folder / name).mkdir()
        self._environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder / "user"),
            "HERMES_HOME": str(folder / "home"),
            "HERMES_MANAGED_DIR": str(folder / "managed"),
            "HERMES_DISABLE_LAZY_INSTALLS": "1",
            "NO_COLOR": "1",
            "COLUMNS": "300",
        }
        self.python = python
        self._process = subprocess.Popen(
            [python, "-P", Path(__file__).with_name("real_server.py")],
            env=self._environment,
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __call__(self, home: Path, *argv: str, stdin: str = "", **environment: str) -> Done:
        return self.hermes(home, "plugins", *argv, stdin=stdin, **environment)

    def hermes(self, home: Path, *argv: str, stdin: str = "", **environment: str) -> Done:
        """Run any command of ``hermes`` on a home."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        variables = {"HERMES_HOME": str(home), **environment}
        request = {"argv": argv, "stdin": stdin, "environment": variables}
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        return Done(**json.loads(self._process.stdout.readline()))

    def variables(self, home: Path) -> dict[str, str]:
        """Return the environment for a ``hermes`` process that a test starts itself."""
        return {**self._environment, "HERMES_HOME": str(home)}

    def stop(self) -> None:
        """Stop the server process."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()


class Terminal:
    """Program in a terminal of 24 lines.

    Args:
        argv: The command line.
        environment: Variables to add to those of this process.
    """

    TIME_LIMIT = 20.0

    def __init__(self, *argv: str, **environment: str) -> None:
        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 120, 0, 0))
        self._process = subprocess.Popen(
            argv,
            env={**os.environ, "TERM": "xterm", **environment},
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
            # Ctrl-C sends SIGINT only through the controlling terminal of the session.
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509
        )
        os.close(theirs)
        self.shown = ""

    @classmethod
    def ours(cls, home: Path, *argv: str, **environment: str) -> Terminal:
        """Run ``hermes-sdk plugins *argv`` on a home."""
        program = "from hermes_sdk.cli.main import run; run()"
        return cls(sys.executable, "-c", program, "plugins", *argv, HERMES_HOME=str(home), **environment)

    def wait_for(self, text: str) -> None:
        """Read until the program has shown a text since the last `type`."""
        deadline = time.monotonic() + self.TIME_LIMIT
        while text not in self.shown:
            assert self._read(deadline), f"no {text!r} in {self.shown!r}"

    def type(self, keys: str) -> None:
        """Press keys."""
        self.shown = ""
        os.write(self._ours, keys.encode())

    def interrupt(self, until: str) -> None:
        """Press Ctrl-C until the program has shown a text, because Ctrl-C just before a read is lost."""
        for _ in range(int(self.TIME_LIMIT)):
            os.write(self._ours, b"\x03")
            deadline = time.monotonic() + 1
            while until not in self.shown and self._is_ready(deadline):
                assert self._read(deadline), f"no {until!r} in {self.shown!r}"
            if until in self.shown:
                return
        raise AssertionError(f"no {until!r} in {self.shown!r}")

    def end(self) -> int:
        """Read until the program ends and return its exit code."""
        deadline = time.monotonic() + self.TIME_LIMIT
        while self._read(deadline):
            pass
        os.close(self._ours)
        return self._process.wait(self.TIME_LIMIT)

    def _is_ready(self, deadline: float) -> bool:
        return bool(select.select([self._ours], [], [], max(deadline - time.monotonic(), 0))[0])

    def _read(self, deadline: float) -> bool:
        if not self._is_ready(deadline):
            self._process.kill()
            self._process.wait()
            return False
        try:
            data = os.read(self._ours, 65536)
        except OSError:  # Linux raises EIO when the last process has closed the terminal.
            return False
        self.shown += data.decode(errors="replace")
        return bool(data)


def state(path: Path) -> dict[str, Any]:
    """Return the state of a home in a form that is equal for both tools."""
    home = Home(path)
    config = load_yaml(home.config_path.read_text(encoding="utf-8")) if home.config_path.exists() else None
    return {"config": config, "env": home.env, "plugins": tree(home.plugins_dir)}


def tree(root: Path) -> dict[str, Any]:
    """Return path -> content with executable bit, link target, or commit of a repository.

    The ID files of `hermes_sdk.operate.origins` are omitted, because only `hermes-sdk` writes them.
    """
    found: dict[str, Any] = {}
    for folder, directories, files in os.walk(root):
        for name in (*directories, *files):
            path = Path(folder, name)
            key = path.relative_to(root).as_posix()
            if name == ID_FILE_NAME:
                continue
            if path.is_symlink():
                found[key] = f"-> {path.readlink()}"
            elif name == ".git":
                found[key] = _commit(path)
                directories.remove(name)
            elif path.is_dir():
                found[key] = "directory"
            else:
                found[key] = (path.read_bytes(), bool(path.stat().st_mode & stat.S_IXUSR))
    return found


def _commit(repository: Path) -> str:
    head = (repository / "HEAD").read_text().strip()
    if not head.startswith("ref: "):
        return head
    loose = repository / head.removeprefix("ref: ")
    return loose.read_text().strip() if loose.exists() else (repository / "packed-refs").read_text()
