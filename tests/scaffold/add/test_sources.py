"""`add` in random sources: it rejects them, or adds the code and keeps all lines."""

import tempfile
from pathlib import Path

from hypothesis import event, given, settings
from hypothesis import strategies as st
from scaffold.add.open_plugin import open_plugin, plugin, snapshot

from hermes_sdk.errors import UsageError
from hermes_sdk.scaffold.add.engine import add

TOP = [
    '"""Notes."""',
    "# a comment",
    "from __future__ import annotations",
    "import json",
    "import json as j",
    "import json, re",
    "import os; import sys",
    "from typing import Any",
    "from typing import (\n    Any,  # anything\n)",
    "from typing import TYPE_CHECKING",
    "import typing",
    "if True:\n    import re",
    "Any = 1",
    "TYPE_CHECKING = False",
    "json = None",
    "try:\n    import yaml\nexcept ImportError:\n    yaml = None",
    "TEXT = '''\nimport this\n    # no comment\n'''",
    "def fetch_page(): return 1",
    "FETCH_PAGE = 1",
    "class Store:\n    def register(self, ctx):\n        return self",
    "x = 1; y = 2",
    "z = 1 + \\\n    2",
    "\f",
    "def traced(f):\n    return lambda ctx: f(ctx)",
    "def wrong(:",
    "if __name__ == '__main__':\n    register(None)",
    "tools = []",
    "Host = None",
    "print_ = print",
]
DECORATORS = ["", "# above\n", "@(lambda f: f)\n", "@(\n    lambda f: f\n)\n", "\n\n"]
HEADS = [
    "def register({c}):",
    "def register({c}, /, *more, **options):",
    "def register({c}) -> None:  # entry",
    "def register(\n    {c}: object,\n):",
    "async def register({c}):",
    "register = lambda {c}: None\ndef other({c}):",
    "def setup({c}):",
]
BODY = [
    "pass",
    '"""Register."""',
    "{c}.register_command('notes', lambda line: 'none')",
    "{c}.register_command(\n    'more',\n    lambda line: 'none',\n)",
    "if not {c}:\n    return",
    "return",
    "return None",
    "for n in 'ab':\n    {c}.register_command(n, lambda line: 'none')",
    "try:\n    {c}.register_hook('pre_llm_call', lambda **kw: None)\nexcept Exception:\n    raise",
    "x = 1; y = 2",
    "text = '''\nreturn\n'''",
    "# comment",
    "def register(ctx):\n    return ctx",
    "with open(__file__) as {c}_file:\n    pass",
    "import json",
    "Path = 1",
    "{c}.x = \\\n    1",
    "yield",
    "{c} = {c}",
    "match {c}:\n    case None:\n        return\n    case _:\n        pass",
]

NAMES = {
    "tool": "fetch_page",
    "hook": "post_llm_call",
    "command": "fetch-page",
    "cli-command": "fetch-pages",
    "skill": "fetching",
    "middleware": "llm_execution",
    "aux-task": "fetch_titles",
}


@st.composite
def draw_source(draw: st.DrawFn) -> str:
    """Draw the source of a plugin's module."""
    top = draw(st.lists(st.sampled_from(TOP), max_size=6))
    ctx = draw(st.sampled_from(["ctx", "context", "c"]))
    body = [text.format(c=ctx) for text in draw(st.lists(st.sampled_from(BODY), min_size=1, max_size=5))]
    head = draw(st.sampled_from(DECORATORS)) + draw(st.sampled_from(HEADS)).format(c=ctx)
    unit = draw(st.sampled_from(["    ", "  ", "\t"]))
    if draw(st.booleans()) and "\n" not in body[0] and not body[0].startswith("#"):
        function = f"{head} {body[0]}"
    else:
        lines = [f"    {line}" if "'''" not in text else line for text in body for line in text.split("\n")]
        lines = [f"    {line}" if line.startswith("text =") else line for line in lines]
        function = "\n".join([head, *lines])
    below = draw(st.lists(st.sampled_from(TOP), max_size=2))
    text = "\n".join([*top, *([""] * draw(st.integers(0, 3))), function, *below])
    text = text.replace("    ", unit) + draw(st.sampled_from(["", "\n", "\n\n# end", "\n    "]))
    return text.replace("\n", draw(st.sampled_from(["\n", "\n", "\r\n"])))


@settings(max_examples=150)
@given(source=draw_source(), kind=st.sampled_from(list(NAMES)))
def test_source_is_rejected_or_keeps_all_lines(source: str, kind: str) -> None:
    name = NAMES[kind]
    with tempfile.TemporaryDirectory() as scratch:
        path = plugin(Path(scratch) / "notes", source)
        before = snapshot(path)
        try:
            added = add(kind, name, path)
        except UsageError:
            event("refused")
            assert snapshot(path) == before
            return
        event("added")
        works = find_registered(path)
        added.changes.write()
        text = (path / "__init__.py").read_bytes().decode()
        compile(text, "notes", "exec")
        remaining = iter(text.splitlines())
        assert all(_is_kept(line, remaining) for line in source.splitlines())
        if works is not None:
            now = find_registered(path)
            assert now is not None
            assert now == works | {f"notes:{name}" if kind == "skill" else name}


def _is_kept(line: str, remaining: "object") -> bool:
    """Return whether a line is kept, possibly with more imported names or with its body on the next line."""
    is_import = line.startswith("from typing import")
    is_header = line.startswith(("def ", "):")) and not line.endswith((":", "("))
    return any(
        line == new
        or (is_import and new.startswith("from typing import"))
        or (is_header and line.startswith(new) and new.endswith(":"))
        for new in remaining  # type: ignore[attr-defined]
    )


def find_registered(path: Path) -> set[str] | None:
    """Return the registrations of the plugin in a host, or None if it does not load."""
    with open_plugin(path) as host:
        report = host.report()
        if report["status"] != "loaded":
            return None
        lists = ("tools", "hooks", "commands", "cli_commands", "skills", "middleware", "auxiliary_tasks")
        return {name for key in lists for name in report[key]}
