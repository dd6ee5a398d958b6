"""Methods of `Source`."""

import ast
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_sdk.check.source import Source, split_lines


@pytest.fixture
def source(tmp_path):
    def make(text: str | bytes) -> Source:
        file = tmp_path / "module.py"
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return Source(file, "module.py", True)

    return make


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("open()", "open"),
        ("ctx.register_tool()", "ctx.register_tool"),
        ("import os\nos.environ.get()", "os.environ.get"),
        ("import os.path as p\np.join()", "os.path.join"),
        ("import os.path\nos.path.join()", "os.path.join"),
        ("from os import environ as e\ne.get()", "os.environ.get"),
        ("from . import tools\ntools.run()", ".tools.run"),
        ("from ..a import b\nb()", "..a.b"),
        ("def f():\n    from os import getcwd\ngetcwd()", "os.getcwd"),
        ("get()().post()", ".post"),
        ("'x'.join()", ".join"),
        ("(lambda: 1)()", ""),
    ],
)
def test_dotted_expands_imported_names(source, text, name):
    one = source(text)
    (call,) = [
        node for node in one.nodes(ast.Call) if node.lineno == len(text.splitlines()) and node in one.calls(name)
    ][-1:]
    assert one.dotted_name(call.func) == name


def test_calls_finds_methods_by_the_last_part_of_their_name(source):
    one = source("self.ctx.register_tool()\nctx.register_tool()\nregister_tool()\nctx.register_hook()\n")
    assert sorted(call.lineno for call in one.calls(".register_tool")) == [1, 2]
    assert len(one.calls(".register_tool", "ctx.register_hook")) == 3


def test_imports_are_sorted_by_line(source):
    one = source("import os, sys as s\nfrom . import a\n\n\ndef f():\n    from .b import c as d, e\n    import x.y\n")
    assert [each.dotted_name for each in one.imports] == ["os", "sys", ".a", ".b.c", ".b.e", "x.y"]


@pytest.mark.parametrize(
    ("text", "at_import"),
    [
        ("here()", True),
        ("if x:\n    here()", True),
        ("class A:\n    here()", True),
        ("def f(a=here()): pass", True),
        ("@here()\ndef f(): pass", True),
        ("f = lambda a=here(): 1", True),
        ("def f():\n    here()", False),
        ("class A:\n    async def f(self):\n        here()", False),
        ("f = lambda: here()", False),
        ("if __name__ == '__main__':\n    here()", False),
        ("import typing\nif typing.TYPE_CHECKING:\n    here()", False),
        ("if TYPE_CHECKING:\n    here()", False),
    ],
)
def test_runs_at_import_is_true_for_module_level_calls(source, text, at_import):
    one = source(text)
    assert one.runs_at_import(one.calls("here")[0]) is at_import


@pytest.mark.parametrize(
    ("text", "guarded"),
    [
        ("try:\n    import x\nexcept ImportError:\n    pass", True),
        ("try:\n    import x\nexcept (ValueError, ModuleNotFoundError):\n    pass", True),
        ("try:\n    import x\nexcept:\n    pass", True),
        ("try:\n    if a:\n        import x\nexcept Exception:\n    pass", True),
        ("from contextlib import suppress\nwith suppress(ImportError):\n    import x", True),
        ("try:\n    import x\nexcept ValueError:\n    pass", False),
        ("try:\n    pass\nexcept ImportError:\n    import x", False),
        ("with open(f):\n    import x", False),
        ("import x", False),
    ],
)
def test_is_guarded_is_true_for_imports_with_a_fallback(source, text, guarded):
    one = source(text)
    assert one.is_guarded(one.imports[-1].node) is guarded


def test_place_and_offset_count_characters(source):
    one = source("# é\r\nx = 'é'; run('ü')\r\n")
    (call,) = one.calls("run")
    assert one.place(call) == ("module.py", 2, 10)
    start = one.offset(call.lineno, call.col_offset)
    assert one.text[start : one.offset(call.end_lineno, call.end_col_offset)] == "run('ü')"


@pytest.mark.parametrize(
    "data", ["\ufeffx = 1\n".encode(), "# coding: latin-1\nx = 'é'\n".encode("latin-1"), b"x = 1\r\ny = 2\rz = 3"]
)
def test_encodings_and_line_endings_are_supported(source, data):
    one = source(data)
    assert one.tree is not None
    assert len(split_lines(one.text)) == len(one.tree.body) + one.text.count("#")


@given(st.text(alphabet="ab\r\n\x0c\u2028"))
def test_lines_are_split_as_python_does(text):
    assert "".join(split_lines(text)) == text
    count = len(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
    assert len(split_lines(text)) == count - (text == "" or text[-1] in "\r\n")


def test_huge_file_is_not_read(tmp_path):
    file: Path = tmp_path / "data.py"
    file.write_bytes(b"x = 1\n" * 2_000_000)
    one = Source(file, "data.py", True)
    assert (one.too_large, one.tree, one.error, one.text) == (True, None, None, "")
