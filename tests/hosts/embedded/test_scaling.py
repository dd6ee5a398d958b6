"""The work grows linearly with the number of plugins, and closed hosts release their resources."""

from __future__ import annotations

import gc
import logging
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import hermes_sdk
from hermes_sdk.home import Home
from hermes_sdk.hosts.embedded.host import EmbeddedHost

OURS = str(Path(hermes_sdk.__file__).parent)
BODY = """
def handle(*args, **kwargs): return "{{}}"
def register(ctx):
    ctx.register_tool(name="tool{0}", toolset="many", schema={{"name": "tool{0}"}}, handler=handle)
    ctx.register_hook("post_tool_call", handle)
    ctx.register_command("command{0}", handle)
    ctx.register_cli_command(name="cli{0}", help="", setup_fn=handle, handler_fn=handle)
"""


@pytest.fixture
def home() -> Iterator[Home]:
    with Home.temporary() as made:
        yield made


def fill(home: Home, count: int) -> None:
    names = [f"plugin{number:03}" for number in range(count)]
    for number, name in enumerate(names):
        folder = home.plugins_dir / name
        folder.mkdir(exist_ok=True)
        (folder / "plugin.yaml").write_text(f"name: {name}\n")
        (folder / "__init__.py").write_text(BODY.format(number))
    home.update_config({"plugins": {"enabled": names}})


def steps(work: Callable[[], object]) -> int:
    """Return the number of executed instructions of our own code, including loops in comprehensions."""
    count = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal count
        if not frame.f_code.co_filename.startswith(OURS):
            return None
        frame.f_trace_lines, frame.f_trace_opcodes = False, True
        count += event == "opcode"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def test_work_grows_linearly_with_number_of_plugins(home: Home) -> None:
    counts = []
    for number in (10, 30, 50):
        fill(home, number)
        EmbeddedHost(home, "0.19.0").close()
        counts.append(steps(lambda: EmbeddedHost(home, "0.19.0").close()))

    few, more, most = counts
    assert most - more == pytest.approx(more - few, rel=0.01)


def test_closed_hosts_release_resources(home: Home, caplog: pytest.LogCaptureFixture) -> None:
    fill(home, 1)
    # Avoid log records, which pytest would store.
    caplog.set_level(logging.WARNING, "hermes_cli")

    def count_resources() -> dict[str, int]:
        gc.collect()
        return {
            "objects": len(gc.get_objects()),
            "modules": len(sys.modules),
            "finders": len(sys.meta_path),
            "handlers": len(logging.getLogger().handlers),
            "threads": threading.active_count(),
        }

    def open_and_close(times: int) -> None:
        for _ in range(times):
            with EmbeddedHost(home) as host:
                host.call_tool("tool0")
                host.report()

    open_and_close(20)
    before = count_resources()
    open_and_close(200)
    after = count_resources()
    # Less than one object per ten hosts: a few belong to caches of the standard library.
    assert after.pop("objects") - before.pop("objects") < 20
    assert after == before
