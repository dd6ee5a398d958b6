"""A running inspector."""

from __future__ import annotations

import contextlib
import re
import subprocess
import sys
from collections.abc import Generator, Mapping, Sequence
from pathlib import Path

import httpx

from hermes_sdk.inspector.access import HEADER

RUN = "from hermes_sdk.cli.main import run; run()"


class Inspector:
    """The process of `hermes-sdk dev`, its first line, and the origin of its page."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.first_line = self._read_line()
        self._next = self._read_line().removeprefix("Inspector: ")
        self.origin = self._next.partition("/?")[0]

    def _read_line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().rstrip()

    def take_address(self) -> str:
        """Return an unused address; each works once, and the inspector prints the next one after its use."""
        address, self._next = self._next or self._read_line().removeprefix("For another browser: "), ""
        return address

    @contextlib.contextmanager
    def enter(self) -> Generator[httpx.Client]:
        """Open a client that sends the headers of a browser with the page."""
        with httpx.Client(base_url=self.origin, timeout=60, trust_env=False) as client:
            entrance = client.get(self.take_address())
            client.headers.update({HEADER: find_secret(entrance.text), "origin": self.origin})
            yield client


def find_secret(entrance: str) -> str:
    """Return the secret of the page from the response to the token."""
    found = re.search(r'data-secret="([^"]+)"', entrance)
    assert found is not None
    return found[1]


@contextlib.contextmanager
def serve(
    plugin: Path,
    *options: str,
    env: Mapping[str, str] | None = None,
    browser: bool = False,
    prefix: Sequence[str] = (),
) -> Generator[Inspector]:
    """Run the inspector, optionally through the command `prefix`; with `browser`, the inspector opens its page."""
    argv = [*prefix, sys.executable, "-c", RUN, "dev", str(plugin), "--port", "0", *options]
    argv += [] if browser else ["--no-browser"]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env) as process:
        try:
            yield Inspector(process)
        finally:
            process.terminate()
