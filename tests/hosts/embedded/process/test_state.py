"""Hosts can be nested, and restore the process after any changes of a plugin."""

from __future__ import annotations

import json
import logging
import os
import shutil
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from hermes_sdk.home import Home
from hermes_sdk.hosts.embedded.host import EmbeddedHost
from hermes_sdk.hosts.interface import HostExited

POLITE = "def register(ctx): pass\n"
SPOILS = """
import json, logging, os, sys, types
from . import part
os.environ.clear()
os.environ["SPOILT"] = "1"
sys.path[:] = ["/nowhere"]
sys.meta_path.append(types.SimpleNamespace(find_spec=lambda *_: None))
sys.modules["json"] = types.ModuleType("json")
os.chdir("/")
logging.getLogger().handlers.clear()
logging.getLogger().addHandler(logging.NullHandler())
logging.getLogger().setLevel(logging.CRITICAL)
def register(ctx): pass
"""
BODIES = {
    "polite": POLITE,
    "spoils": SPOILS,
    "raises": f"{SPOILS}\n1 / 0\n",
    "exits": f"{SPOILS}\nsys.exit(3)\n",
}


def process() -> dict[str, Any]:
    """Return the state of this process that a host promises to restore."""
    root = logging.getLogger()
    return {
        "modules": {name: id(module) for name, module in sys.modules.items()},
        "path": list(sys.path),
        "finders": list(map(id, sys.meta_path)),
        "environment": dict(os.environ),
        "directory": str(Path.cwd()),
        "handlers": list(map(id, root.handlers)),
        "level": root.level,
    }


def home_with(body: str) -> Home:
    home = Home.temporary()
    folder = home.plugins_dir / "p"
    folder.mkdir()
    (folder / "plugin.yaml").write_text("name: p\n")
    (folder / "__init__.py").write_text(body)
    (folder / "part.py").write_text("")
    home.enable("p")
    return home


@pytest.mark.parametrize(
    "body", [*BODIES.values(), f"import sys; del sys.modules['textwrap']\n{POLITE}"], ids=[*BODIES, "forgets"]
)
def test_close_restores_process(body: str) -> None:
    with home_with(body) as home:
        # The first host imports modules that every host needs; they stay loaded after it is closed.
        with suppress(HostExited):
            EmbeddedHost(home).close()
        before = process()
        with suppress(HostExited), EmbeddedHost(home):
            assert process() != before
        assert process() == before
        assert sys.modules["json"] is json


def test_changes_by_test_are_undone_on_close(start) -> None:
    start().close()
    before = process()
    with start() as host:
        os.environ["LEFT"] = "behind"
        sys.path.insert(0, str(host.home))
        del sys.modules["json"]
    assert process() == before


def test_removed_temporary_directory_does_not_affect_later_hosts(
    start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder := tmp_path / "soon gone").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    start("def register(ctx): pass").close()
    monkeypatch.undo()
    shutil.rmtree(folder)
    assert start("def register(ctx): ctx.register_command('here', print)").commands == ["here"]


def test_imported_libraries_stay_loaded(start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "some_library.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    start("import some_library\n" + POLITE).close()
    assert sys.modules.pop("some_library").__file__ == str(tmp_path / "some_library.py")


def test_changes_to_newly_imported_module_are_restored(start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "socket")
    with start("import socket\nsocket.create_connection = socket.socket.connect = None\n"):
        module = sys.modules["socket"]
        assert module.create_connection is module.socket.connect is None
    assert callable(module.create_connection)
    assert callable(module.socket.connect)


def test_import_finders_added_by_libraries_are_kept(start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = (
        "import sys\nclass Finder:\n    def find_spec(self, *_): return None\nfinder = Finder()\n"
        "sys.meta_path.append(finder)\n"
    )
    (tmp_path / "finding_library.py").write_text(library)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    with start():
        start("import finding_library\n" + POLITE).close()
    assert sys.meta_path[-1] is sys.modules.pop("finding_library").finder


def test_modules_on_path_of_plugin_are_removed(start, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "plugin.yaml").write_text("name: p\n")
    (source / "__init__.py").write_text(
        "import sys, pathlib\n"
        "sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))\n"
        "import own_helper\n"
        "def register(ctx): pass\n"
    )
    (source / "own_helper.py").write_text("")
    with Home.temporary() as home:
        (home.plugins_dir / "p").symlink_to(source)
        home.enable("p")
        with EmbeddedHost(home) as host:
            assert host.report()["status"] == "loaded"
            assert "own_helper" in sys.modules
    assert "own_helper" not in sys.modules


def test_modules_on_pythonpath_are_removed_but_not_those_of_environment(start, tmp_path: Path) -> None:
    library = tmp_path / ".venv" / "lib" / "site-packages"
    library.mkdir(parents=True)
    (library / "below_library.py").write_text("")
    (tmp_path / "beside.py").write_text("")
    with start(f"import sys; sys.path.append({str(library)!r})\nimport beside, below_library\n", pythonpath=[tmp_path]):
        assert "beside" in sys.modules
    assert "beside" not in sys.modules
    assert sys.modules.pop("below_library")


def test_nested_host_does_not_see_outer_host(start, tmp_path: Path) -> None:
    look = """
        import os, sys
        seen = sorted(name for name in sys.modules if "own" in name and "p" == name[-1] and "sybil" not in name)
        def register(ctx):
            ctx.register_command("look", lambda line: repr((seen, os.environ.get("OUTER"), "/outer" in sys.path)))
    """
    spoil = "import os, sys; os.environ['OUTER'] = '1'; sys.path.append('/outer')\ndef register(ctx): pass\n"
    start(spoil, environment={"ALSO": "1"})
    with start(look) as inner:
        assert inner.command("/look") == "([], None, False)"
        assert "ALSO" not in os.environ
    assert os.environ["OUTER"] == os.environ["ALSO"] == "1"
    assert "/outer" in sys.path


def test_plugin_of_outer_host_keeps_its_modules(start) -> None:
    body = """
        from . import part
        def register(ctx):
            def same(line):
                from . import part as now
                return str(now is part)
            ctx.register_command("same", same)
    """
    outer = start(body, files={"part.py": ""})
    with start(body, files={"part.py": ""}) as inner:
        assert inner.command("/same") == "True"
    assert outer.command("/same") == "True"


def test_close_of_outer_host_closes_nested_hosts(start) -> None:
    before = process()
    outer, inner, innermost = start(), start(SPOILS, files={"part.py": ""}), start()
    outer.close()
    inner.close()
    innermost.close()
    assert process() == before
    start().close()


class Nesting(RuleBasedStateMachine):
    """Hosts that are opened and closed in any order, with plugins of any behaviour."""

    homes: dict[str, Home]

    @initialize()
    def begin(self) -> None:
        self.homes = {name: home_with(body) for name, body in BODIES.items()}
        for home in self.homes.values():
            with suppress(HostExited):
                EmbeddedHost(home).close()
        self.open: list[tuple[EmbeddedHost, dict[str, Any]]] = []

    @rule(kind=st.sampled_from(sorted(BODIES)))
    def start(self, kind: str) -> None:
        before = process()
        try:
            self.open.append((EmbeddedHost(self.homes[kind]), before))
        except HostExited:
            assert kind == "exits"
            assert process() == before

    @rule(back=st.integers(0, 3))
    def close(self, back: int) -> None:
        if self.open:
            position = max(len(self.open) - 1 - back, 0)
            host, before = self.open[position]
            del self.open[position:]
            host.close()
            assert process() == before

    @rule(value=st.sampled_from("abc"))
    def change(self, value: str) -> None:
        os.environ["CHANGED"] = value

    @invariant()
    def only_the_innermost_works(self) -> None:
        assert [host.plugins for host, _ in self.open[-1:]] == [["p"]] * bool(self.open)

    def teardown(self) -> None:
        if self.open:
            self.open[0][0].close()
        for home in self.homes.values():
            home.close()
        os.environ.pop("CHANGED", None)


TestNesting = Nesting.TestCase
TestNesting.settings = settings(max_examples=15, stateful_step_count=12)
