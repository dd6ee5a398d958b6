"""Embedded hosts with one small plugin each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from textwrap import dedent
from typing import Any

import pytest

from hermes_sdk.home import Home
from hermes_sdk.hosts.embedded.host import EmbeddedHost

Start = Callable[..., EmbeddedHost]


def write_plugin(home: Home, body: str, manifest: str, files: Mapping[str, str]) -> None:
    """Put an enabled plugin called ``p`` into a home."""
    folder = home.plugins_dir / "p"
    for name, text in {"plugin.yaml": manifest, "__init__.py": body, **files}.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(dedent(text), encoding="utf-8")
    home.enable("p")


@pytest.fixture
def start() -> Iterator[Start]:
    """Start a host on a home of its own, which has one plugin; whatever a test leaves open is closed."""
    with ExitStack() as stack:

        def open_one(
            body: str = "def register(ctx): pass\n",
            *,
            manifest: str = "name: p\n",
            files: Mapping[str, str] | None = None,
            release: str = "0.19.0",
            enable: Sequence[str] = (),
            **options: Any,
        ) -> EmbeddedHost:
            home = stack.enter_context(Home.temporary())
            write_plugin(home, body, manifest, files or {})
            for key in enable:
                home.enable(key)
            return stack.enter_context(EmbeddedHost(home, release, **options))

        yield open_one
