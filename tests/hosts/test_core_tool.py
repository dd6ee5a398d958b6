"""Core-tool files as plugins: reports, findings, and rejected files."""

from pathlib import Path

import pytest

from hermes_sdk.check.engine import check
from hermes_sdk.check.options import Options
from hermes_sdk.errors import UsageError
from hermes_sdk.hosts.inspection import show

TOOL = """\
from tools.registry import registry

def answer(args):
    return {"place": args["place"]}

registry.register(name="weather", toolset="sky", schema={"name": "wether", "description": "Tell it."}, handler=answer)
"""


@pytest.fixture
def tool(tmp_path: Path) -> Path:
    file = tmp_path / "weather_tool.py"
    file.write_text(TOOL)
    return file


def test_show_lists_tools_without_changing_directory(tool: Path) -> None:
    report = show(tool)
    assert (report["status"], report["tools"]) == ("loaded", ["weather"])
    assert (report["plugin"]["name"], report["plugin"]["path"]) == ("weather_tool", "weather_tool.py")
    assert list(tool.parent.iterdir()) == [tool]


def test_check_locates_schema_and_handler_and_requires_no_manifest(tool: Path) -> None:
    found = {(one.code, one.path, one.line) for one in check(tool, Options(release="0.19.0")).findings}
    assert found == {
        ("HS301", "weather_tool.py", 3),
        ("HS313", "weather_tool.py", 4),
        ("HS304", "weather_tool.py", 6),
        ("HS306", "weather_tool.py", 6),
    }


def test_check_names_failing_line(tool: Path) -> None:
    tool.write_text(f"import json\n1 / 0\n{TOOL}")
    found = {(one.code, one.path, one.line) for one in check(tool, Options()).findings}
    assert ("HS201", "weather_tool.py", 2) in found


def test_other_files_in_directory_are_ignored(tool: Path) -> None:
    (tool.parent / "other.py").write_text("import os; os.system('x')\n)")
    assert {one.path for one in check(tool, Options(static=True)).findings} <= {"weather_tool.py"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1\n", "registers no tool at its top level"),
        (f"def later():\n    {TOOL.splitlines()[-1]}\n", "registers no tool at its top level"),
        ("if True:\n    registry.register()\n", "registers no tool at its top level"),
        ("x = (\n", "not valid Python: '(' was never closed"),
        ("\0", "not valid Python"),
    ],
)
def test_file_that_host_would_ignore_is_rejected(text: str, message: str, tool: Path) -> None:
    tool.write_text(text)
    for ask in (show, check):
        with pytest.raises(UsageError) as caught:
            ask(tool)
        assert message in caught.value.message
        assert str(tool) in str(caught.value)
        assert caught.value.fix or text == "\0"
