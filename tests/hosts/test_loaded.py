"""Plugins that stay loaded in a child process: results, timeouts and cleanup."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

from hermes_sdk.errors import HermesSdkError
from hermes_sdk.hosts.inspection import LoadedPlugin
from hermes_sdk.hosts.interface import HostExited, TimeLimitExceeded

BODY = """
import itertools, json, os, time
counter = itertools.count(1)
SCHEMA = {"name": "count", "description": "Counts.", "parameters": {"type": "object", "properties": {}}}

def count(args, **more):
    return json.dumps({"count": next(counter)})

def hang(args, **more):
    time.sleep(100)

def register(ctx):
    ctx.register_tool("count", "counting", SCHEMA, count)
    ctx.register_tool("hang", "counting", {**SCHEMA, "name": "hang"}, hang)
"""


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    folder = tmp_path / "counting"
    folder.mkdir()
    (folder / "plugin.yaml").write_text("name: counting\nversion: 1.0.0\nkind: standalone\n")
    (folder / "__init__.py").write_text(BODY)
    return folder


def children() -> set[int]:
    """Return the descendants of this process."""
    parents: dict[int, int] = {}
    for place in Path("/proc").iterdir():
        if place.name.isdecimal():
            try:
                fields = (place / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            parents[int(place.name)] = int(fields[1])
    found = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {os.getpid()}


def test_state_is_kept_between_calls(plugin: Path) -> None:
    with LoadedPlugin(plugin) as loaded:
        assert loaded.inspection["report"]["tools"] == ["count", "hang"]
        assert {"env", "tmp"} <= set(loaded.inspection["isolation"])
        texts = [loaded.call_tool("count", {})["value"]["text"] for _ in range(3)]
    assert texts == ['{"count": 1}', '{"count": 2}', '{"count": 3}']


def test_each_load_uses_new_process(plugin: Path) -> None:
    for _ in range(2):
        with LoadedPlugin(plugin) as loaded:
            assert loaded.call_tool("count", {})["value"]["text"] == '{"count": 1}'


def test_registrations_have_files_and_lines(plugin: Path) -> None:
    with LoadedPlugin(plugin) as loaded:
        [first, _] = loaded.inspection["registrations"]
        [definition, _] = loaded.definitions()
    assert (first["name"], first["file"], first["line"]) == ("count", "__init__.py", 13)
    assert definition["function"]["name"] == "count"


def test_timeout_at_import_names_line(plugin: Path) -> None:
    (plugin / "__init__.py").write_text("import time\n\ntime.sleep(100)\n")
    with pytest.raises(HermesSdkError, match=r"plugin .counting. did not load within 0\.5 s") as late:
        LoadedPlugin(plugin, time_limit=0.5)
    assert late.value.where == "__init__.py:3"


def test_timeout_of_tool_names_line(plugin: Path) -> None:
    with (
        LoadedPlugin(plugin, time_limit=1) as loaded,
        pytest.raises(TimeLimitExceeded, match=r"tool hang at __init__.py:10 took longer than 1 s"),
    ):
        loaded.call_tool("hang", {})


def test_inspection_has_reason_of_failed_load(plugin: Path) -> None:
    (plugin / "__init__.py").write_text("import nonsense\n")
    with LoadedPlugin(plugin) as loaded:
        assert loaded.inspection["report"]["status"] == "failed"
        assert loaded.inspection["failure"] is not None
        assert loaded.inspection["failure"]["place"] == {"file": "__init__.py", "line": 1}


@pytest.mark.parametrize(("end", "release"), [("sys.exit(3)", "0.19.0"), ("os._exit(3)", "0.22.2")])
def test_plugin_that_ends_process_raises_error(end: str, release: str, plugin: Path) -> None:
    (plugin / "__init__.py").write_text(f"import os, sys; {end}\n")
    with pytest.raises(HostExited, match="plugin 'counting' ended the host with exit status 3"):
        LoadedPlugin(plugin, release=release)


def test_close_ends_call_of_another_thread(plugin: Path) -> None:
    loaded = LoadedPlugin(plugin)
    ended: list[BaseException] = []
    began = time.monotonic()

    def call() -> None:
        try:
            loaded.call_tool("hang", {})
        except HermesSdkError as error:
            ended.append(error)

    thread = threading.Thread(target=call)
    thread.start()
    loaded.close()
    thread.join(20)
    assert len(ended) == 1
    assert time.monotonic() - began < 20


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="counts processes in /proc")
def test_close_ends_child_processes(plugin: Path) -> None:
    LoadedPlugin(plugin).close()
    before = children()
    with LoadedPlugin(plugin):
        assert children() > before
    assert children() <= before


def test_plugin_cannot_change_its_sources(plugin: Path) -> None:
    (plugin / "__init__.py").write_text(
        "from pathlib import Path\nPath(__file__).with_name('log').write_text('x')\n" + BODY
    )
    with LoadedPlugin(plugin) as loaded:
        assert loaded.inspection["report"]["status"] == "loaded"
    assert sorted(path.name for path in plugin.iterdir()) == ["__init__.py", "plugin.yaml"]


FORGING = """
    import os
    for number in range(3, 64):
        try:
            os.write(number, ANSWER)
        except OSError:
            pass
"""


@pytest.mark.parametrize("answer", [b'{"value": {"value": "forged"}}\n', b"[]\n", b"{", b'{"value": 1}\n' * 9])
def test_forged_answer_is_rejected_and_ends_child(answer: bytes, plugin: Path) -> None:
    forging = FORGING.replace("ANSWER", repr(answer))
    (plugin / "__init__.py").write_text(BODY.replace("    return json.dumps", f"{forging}    return json.dumps"))
    with LoadedPlugin(plugin) as loaded:
        for message in ("sent an invalid answer", "the process that ran the plugin is no longer running"):
            with pytest.raises(HermesSdkError, match=message):
                loaded.call_tool("count", {})
        assert loaded.ended
