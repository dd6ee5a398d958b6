"""`add` in hand-written plugins, with many forms of registration."""

from pathlib import Path

import pytest
from scaffold.add.open_plugin import MANIFEST, open_plugin, plugin, snapshot

from hermes_sdk.errors import UsageError
from hermes_sdk.scaffold.add.engine import add

FORMS = {
    "empty": "def register(ctx):\n    pass\n",
    "one line": "def register(ctx): pass\n",
    "one line with two statements": "def register(ctx): x = 1; y = 2\n",
    "no line break at the end": "def register(ctx):\n    pass",
    "docstring only": 'def register(ctx):\n    """Register nothing."""\n',
    "another name for ctx": "def register(context):\n    context.register_hook('pre_llm_call', lambda **kw: None)\n",
    "more parameters": "def register(ctx, *, debug=False):\n    pass\n",
    "annotated": "from __future__ import annotations\n\nimport logging\n\n\ndef register(ctx: PluginContext) -> None:\n"
    "    logging.getLogger(__name__).debug('here')\n",
    "tabs": "def register(ctx):\n\tif ctx:\n\t\tpass\n",
    "windows": "import json\r\n\r\n\r\ndef register(ctx):\r\n    json.dumps(1)\r\n",
    "a way out first": "import os\n\n\ndef register(ctx):\n    if not os.environ.get('NOTES_KEY'):\n        return\n"
    "    ctx.register_command('notes', lambda line: 'none')\n",
    "a way out at the end": "def register(ctx):\n    x = 1\n    return None\n",
    "only a way out": "def register(ctx):\n    return\n",
    "way out in one line": "def register(ctx): return\n",
    "statements on one line": "def register(ctx):\n    x = 1; return\n",
    "guarded": "def register(ctx):\n    try:\n        ctx.register_command('notes', lambda line: 'none')\n"
    "    except ValueError:\n        pass\n",
    "a decorator": "import functools\n\n\ndef traced(f):\n    @functools.wraps(f)\n"
    "    def run(ctx):\n        return f(ctx)\n    return run\n\n\n# The entry.\n@traced\n"
    "def register(ctx):\n    pass\n",
    "a loop": "NAMES = ['a', 'b']\n\n\ndef register(ctx):\n    for name in NAMES:\n"
    "        ctx.register_command(name, lambda line: 'none')\n",
    "another name": "def _setup(ctx):\n    pass\n\n\nregister = _setup\n",
    "shebang and comment": "#!/usr/bin/env python3\n# Copyright Ada.\n\ndef register(ctx):\n    pass\n",
    "encoding": "# -*- coding: utf-8 -*-\nWORD = 'Grüße'\n\ndef register(ctx):\n    pass\n",
    "strings that look like code": 'def register(ctx):\n    text = """\n    return\n# no\n"""\n    ctx.x = text\n',
    "imports in parentheses": "from typing import (\n    Any,\n    Callable,\n)\n\n\ndef register(ctx):\n    pass\n",
    "names that are taken": "json = None\nAny = object\n\n\ndef register(ctx):\n    pass\n",
    "continued lines": "def register(ctx):\n    x = 1 + \\\n        2\n    ctx.y = \\\n        x\n",
    "comment after a block": "def register(ctx):\n    if ctx:\n        pass\n        # deep\n    # shallow\n",
}


@pytest.mark.parametrize("form", FORMS)
def test_tool_is_added_and_all_lines_are_kept(tmp_path: Path, form: str) -> None:
    source = FORMS[form]
    path = plugin(tmp_path / "notes", source)

    add("tool", "fetch_page", path).changes.write()

    new = (path / "__init__.py").read_bytes().decode()
    remaining = iter(new.splitlines(keepends=True))
    kept = [line if line.endswith("\n") else f"{line}\n" for line in source.splitlines(keepends=True)]
    if "one line" not in form and "way out in one" not in form:
        assert all(line in remaining for line in kept)
    assert ("\r\n" in source) == ("\r\n" in new)
    assert not ("\r\n" in source and new.count("\r\n") != new.count("\n"))
    with open_plugin(path) as host:
        assert host.tools == ["fetch_page"]
        assert host.call_tool("fetch_page", text="tea").json == {"result": "tea"}


MODULES = {
    "register in another module": (
        "from .setup import register\n",
        {"setup": "def register(ctx):\n    pass\n"},
        "setup.py",
    ),
    "under another name there": (
        "from .setup import install as register\n",
        {"setup": "def install(ctx):\n    pass\n"},
        "setup.py",
    ),
    "a module for tools": (
        "from . import tools\n\n\ndef register(ctx):\n    tools.go()\n",
        {"tools": "def go():\n    pass\n"},
        "tools.py",
    ),
    "names from a module for tools": (
        "from .tools import go\n\n\ndef register(ctx):\n    go()\n",
        {"tools": "def go():\n    pass\n"},
        "tools.py",
    ),
    "split, without one for tools": (
        "from . import store\n\n\ndef register(ctx):\n    store.go()\n",
        {"store": "def go():\n    pass\n"},
        "tools.py",
    ),
    "a module for tools that nobody imports": (
        "def register(ctx):\n    pass\n",
        {"tools": "raise SystemExit('a script')\n"},
        "__init__.py",
    ),
    "the module under another name": (
        "from . import tools as t\n\n\ndef register(ctx):\n    t.go()\n",
        {"tools": "def go():\n    pass\n"},
        "tools.py",
    ),
}


@pytest.mark.parametrize("form", MODULES)
def test_code_is_added_to_the_module_for_tools(tmp_path: Path, form: str) -> None:
    source, modules, place = MODULES[form]
    path = plugin(tmp_path / "notes", source, **modules)

    add("tool", "fetch_page", path).changes.write()

    assert "def fetch_page(" in (path / place).read_text()
    with open_plugin(path) as host:
        assert host.call_tool("fetch_page", text="tea").json == {"result": "tea"}


def test_plugin_with_only_an_entry_point_is_extended(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[project]\nname = "x"\n[project.entry-points."hermes_agent.plugins"]\nnotes = "my_notes"\n'
    )
    (tmp_path / "src").mkdir()
    (tmp_path / "src/my_notes.py").write_text("def register(ctx):\n    pass\n")

    add("tool", "fetch_page", tmp_path).changes.write()

    assert sorted(snapshot(tmp_path)) == ["pyproject.toml", "src/my_notes.py", "tests/test_tools.py"]
    assert 'toolset="notes"' in (tmp_path / "src/my_notes.py").read_text()
    with open_plugin(tmp_path) as host:
        assert host.tools == ["fetch_page"]


def test_package_in_src_is_extended(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[project]\nname = "x"\n[project.entry-points."hermes_agent.plugins"]\nnotes = "my_notes"\n'
    )
    path = plugin(tmp_path / "src/my_notes", "from .core import register\n")
    (path / "core").mkdir()
    (path / "core/__init__.py").write_text("from .. import store\n\n\ndef register(ctx):\n    store.go()\n")
    (path / "store.py").write_text("def go():\n    pass\n")

    for kind, name in (("tool", "fetch_page"), ("skill", "summarise")):
        add(kind, name, tmp_path).changes.write()

    assert (path / "core/tools.py").is_file()
    assert (path / "skills/summarise/SKILL.md").is_file()
    with open_plugin(tmp_path) as host:
        assert host.call_tool("fetch_page", text="tea").json == {"result": "tea"}
        assert host.skills == ["notes:summarise"]


REFUSED = {
    "no register": ("x = 1\n", "`register` is not defined"),
    "a class": (
        "class Plugin:\n    def register(self, ctx):\n        pass\n\n\nregister = Plugin().register\n",
        "plain",
    ),
    "async": ("async def register(ctx):\n    pass\n", "not a plain function"),
    "a lambda": ("register = lambda ctx: None\n", "not a plain function"),
    "no parameter": ("def register(*args):\n    pass\n", "has no parameter `ctx`"),
    "a generator": ("def register(ctx):\n    yield 1\n", "generator"),
    "twice": ("def register(ctx):\n    pass\n\n\ndef register(ctx):\n    pass\n", "defined more than once"),
    "wrapped": ("def register(ctx):\n    pass\n\n\nregister = print(register)\n", "defined more than once"),
    "conditional": ("if True:\n    def register(ctx):\n        pass\n", "is defined conditionally"),
    "ctx bound again": ("def register(ctx):\n    ctx = object()\n", "reassigns `ctx`"),
    "from elsewhere": ("from os import register\n", "not a plain function"),
    "a circle": ("register = other\nother = register\n", "too many modules"),
    "no Python": ("def register(ctx)\n    pass\n", "not valid Python"),
}


@pytest.mark.parametrize("form", REFUSED)
def test_unsupported_register_is_rejected_with_code_to_add(tmp_path: Path, form: str) -> None:
    source, message = REFUSED[form]
    path = plugin(tmp_path / "notes", source)
    before = snapshot(tmp_path)

    with pytest.raises(UsageError) as refused:
        add("tool", "fetch_page", path)

    assert message in refused.value.message
    assert str(path / "__init__.py") in refused.value.where
    if form != "no Python":
        assert 'name="fetch_page"' in refused.value.fix
        assert "def fetch_page(" in refused.value.fix
    assert snapshot(tmp_path) == before


def test_model_provider_is_rejected(tmp_path: Path) -> None:
    path = plugin(tmp_path / "notes", manifest=MANIFEST.replace("standalone", "model-provider"))
    with pytest.raises(UsageError, match="whose `register` Hermes never calls"):
        add("tool", "fetch_page", path)


def test_core_tool_file_is_rejected(tmp_path: Path) -> None:
    file = tmp_path / "weather_tool.py"
    file.write_text("from tools.registry import registry\n\nregistry.register(name='w')\n")
    with pytest.raises(UsageError, match="core-tool file"):
        add("tool", "fetch_page", file)
