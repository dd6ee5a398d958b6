"""File tools of the embedded host: behaviour that no case of `tests/conformance` covers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hosts.embedded.conftest import Start

from hermes_sdk.errors import HermesSdkError
from hermes_sdk.hosts.interface import NotSupported


def test_patch_of_several_files_is_not_supported(start: Start) -> None:
    with pytest.raises(HermesSdkError, match="several files"):
        start().call_tool("patch", mode="patch", patch="*** Begin Patch\n*** End Patch")


@pytest.mark.parametrize(
    ("content", "old"),
    [
        ("def first():\n", "def fifth():"),
        ("a\nmiddle of it\nz\n", "a\nmiddle of all\nz"),
        ("one\n\ttwo\n", "one\\n\\ttwo"),
        ("“so”\n", '"so"'),
    ],
    ids=["a line alike", "a block", "escapes", "quotes"],
)
def test_similar_text_is_not_replaced(start: Start, content: str, old: str) -> None:
    host = start()
    host.call_tool("write_file", path="a.txt", content=content)
    with pytest.raises(NotSupported, match="that only approximately matches the file"):
        host.call_tool("patch", path="a.txt", old_string=old, new_string="z")


def test_file_content_is_preserved(start: Start) -> None:
    host, content = start(), "ü\n\u2028\x0bx\r"
    told = json.loads(host.call_tool("write_file", path="odd.txt", content=content).text)
    written = (host.home / "odd.txt").read_bytes()
    assert (len(written), written) == (told["bytes_written"], content.encode())


def test_read_files_are_tracked_per_task(start: Start) -> None:
    host = start(files={"a.txt": "one\n"})
    path = str(host.home / "plugins" / "p" / "a.txt")
    shown = [json.loads(host.call_tool("read_file", path=path).text).get("content") for _ in range(2)]
    assert shown == ["1|one\n2|", None]
    assert host.call_tool("read_file", path=path, offset=2).json["content"] == "2|"


def test_plugin_can_call_file_tools(start: Start) -> None:
    host = start("""
        import json

        def register(ctx):
            def handle(args, **kwargs):
                ctx.dispatch_tool("write_file", {"path": "made.txt", "content": "by a plugin"})
                return ctx.dispatch_tool("read_file", {"path": "made.txt"})
            ctx.register_tool("t", "set", {"name": "t"}, handle)
    """)
    assert host.call_tool("t").json["content"] == "1|by a plugin"


@pytest.mark.parametrize("suffix", [".json", ".py", ".toml", ".yaml", ".yml"])
def test_invalid_syntax_is_rejected_before_write(start: Start, suffix: str) -> None:
    host = start()
    with pytest.raises(NotSupported, match="report syntax errors in files that tools write"):
        host.call_tool("write_file", path=f"a{suffix}", content="[")
    assert not Path(f"a{suffix}").exists()
    assert host.call_tool("write_file", path="a.txt", content="[").json["lint"]["status"] == "skipped"


def test_write_by_another_task_is_reported(start: Start) -> None:
    host = start("""
        import json
        def register(ctx):
            def dispatch(line):
                tool, args, task = json.loads(line)
                return ctx.dispatch_tool(tool, args, task_id=task)
            ctx.register_command("dispatch", dispatch)
    """)

    def write(task: str, tool: str = "write_file", **args: str) -> Any:
        return json.loads(str(host.command("/dispatch " + json.dumps([tool, {"path": "a.txt", **args}, task]))))

    write("one", content="first")
    assert "'one' but this agent never read it" in write("two", content="second")["_warning"]
    assert "after this agent's last read" in write("one", "patch", old_string="second", new_string="third")["_warning"]
    assert "_warning" not in write("one", content="fourth")


@pytest.mark.parametrize(("path", "reason"), [("f.txt/b.txt", "File exists"), ("f.txt/c/b.txt", "Not a directory")])
def test_write_to_path_below_file_is_not_supported(path: str, reason: str, start: Start, tmp_path: Path) -> None:
    (tmp_path / "f.txt").touch()
    host = start(release="0.22.2")
    with pytest.raises(NotSupported, match=rf"report why a file cannot be written \({reason}: "):
        host.call_tool("write_file", path=f"{tmp_path}/{path}", content="New.")
