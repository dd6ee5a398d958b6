"""A running inspector."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path
from typing import NamedTuple

RUN = "from hermes_sdk.cli.main import run; run()"


class Inspector(NamedTuple):
    """The process of `hermes-sdk dev`, the address that it printed, and the line before."""

    process: subprocess.Popen[str]
    address: str
    first_line: str

    @property
    def origin(self) -> str:
        return self.address.partition("/?")[0]


@contextlib.contextmanager
def serve(plugin: Path, *options: str) -> Generator[Inspector]:
    argv = [sys.executable, "-c", RUN, "dev", str(plugin), "--port", "0", "--no-browser", *options]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        first, second = process.stdout.readline(), process.stdout.readline()
        try:
            yield Inspector(process, second.rstrip().partition("Inspector: ")[2], first)
        finally:
            process.terminate()
