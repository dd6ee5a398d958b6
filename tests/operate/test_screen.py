"""Interactive screen of `plugins`: its rows, and changes, which are written only when the user saves them."""

from __future__ import annotations

import pytest
from operate.conftest import write
from operate.tools import RELEASE, Terminal, tree

from hermes_sdk.errors import UnavailableError
from hermes_sdk.home import Home
from hermes_sdk.operate.screen import Choices

ENGINE = """
from agent.context_engine import ContextEngine

class Tiny(ContextEngine):
    name: str = "tiny"

class Property(ContextEngine):
    @property
    def name(self):
        return "property"

class Other:
    name = "no engine"
"""
MEMORY = "# A MemoryProvider\ndef register(ctx): pass\n"


@pytest.fixture
def home_with_plugins(home: Home) -> Home:
    """Return a home with an enabled plugin, and a disabled one whose name differs from its key."""
    write(home.plugins_dir, {"cat/alpha/plugin.yaml": "name: first\n", "cat/alpha/__init__.py": ""})
    write(home.plugins_dir, {"beta/plugin.yaml": 'name: beta\ndescription: "two \\e[2J"\n', "beta/__init__.py": ""})
    home.update_config({"plugins": {"enabled": ["beta"], "disabled": ["first"]}})
    return home


def index(choices: Choices, section: str, value: str) -> int:
    return next(at for at, row in enumerate(choices.rows) if (row.section, row.value) == (section, value))


def test_screen_lists_plugins_providers_and_engines(home_with_plugins: Home) -> None:
    write(home_with_plugins.plugins_dir / "notes", {"plugin.yaml": "name: notes\n", "__init__.py": MEMORY})
    choices = Choices(home_with_plugins, RELEASE)
    own = {row.value: row.now for row in choices.rows if row.section == "Your plugins"}
    assert own == {"beta": "enabled", "cat/alpha": "disabled", "notes": "not enabled"}
    memory = {row.label: row.now for row in choices.rows if row.section == Choices.MEMORY}
    assert memory["built-in"] == "used"
    assert {"honcho", "mem0", "notes"} <= memory.keys()
    engines = {row.label: row.now for row in choices.rows if row.section == Choices.ENGINE}
    assert engines == {"compressor": "used"}
    assert choices.rows[-1].section == "Bundled with Hermes 0.19.0"


def test_engine_of_enabled_plugin_is_selectable(home: Home) -> None:
    write(home.plugins_dir / "tiny-engine", {"plugin.yaml": "name: tiny-engine\n", "__init__.py": ENGINE})
    assert [row.value for row in Choices(home, RELEASE).rows if row.section == Choices.ENGINE] == ["compressor"]
    home.enable("tiny-engine")
    choices = Choices(home, RELEASE)
    assert [row.value for row in choices.rows if row.section == Choices.ENGINE] == ["compressor", "property", "tiny"]
    choices.choose(index(choices, Choices.ENGINE, "tiny"))
    assert choices.save() == "context engine tiny"
    assert home.config["context"] == {"engine": "tiny"}


def test_missing_provider_stays_selected(home: Home) -> None:
    home.update_config({"memory": {"provider": "gone"}, "context": {"engine": "lost"}})
    choices = Choices(home, RELEASE)
    used = {row.section: (row.value, row.note) for row in choices.rows if row.now == "used"}
    assert used == {Choices.MEMORY: ("gone", "not found"), Choices.ENGINE: ("lost", "not found")}
    assert choices.save() == ""


def test_save_writes_only_changes(home_with_plugins: Home) -> None:
    home_with_plugins.update_config({"plugins": {"entries": {"beta": {"x": 1}}}})
    choices = Choices(home_with_plugins, RELEASE)
    choices.choose(index(choices, "Your plugins", "cat/alpha"))
    choices.choose(index(choices, "Your plugins", "beta"))
    choices.choose(index(choices, Choices.MEMORY, "mem0"))
    assert choices.save() == "1 enabled, 1 disabled, memory provider mem0"
    assert home_with_plugins.config == {
        "plugins": {"enabled": ["cat/alpha"], "disabled": ["beta"], "entries": {"beta": {"x": 1}}},
        "memory": {"provider": "mem0"},
        "_config_version": 33,
    }


def test_save_keeps_concurrent_change_of_another_process(home_with_plugins: Home) -> None:
    choices = Choices(home_with_plugins, RELEASE)
    choices.choose(index(choices, "Your plugins", "cat/alpha"))
    Home(home_with_plugins.path).enable("meanwhile")
    choices.save()
    assert home_with_plugins.enabled == ["beta", "cat/alpha", "meanwhile"]


def test_choosing_a_plugin_cycles_through_its_states(home: Home) -> None:
    write(home.plugins_dir / "beta", {"plugin.yaml": "name: beta\n"})
    choices = Choices(home, RELEASE)
    seen = []
    for _ in range(3):
        choices.choose(0)
        seen.append(choices.rows[0].now)
    assert seen == ["enabled", "disabled", "not enabled"]
    assert choices.changed == []


def test_save_fails_in_managed_home(home_with_plugins: Home) -> None:
    choices = Choices(home_with_plugins, RELEASE)
    choices.choose(0)
    (home_with_plugins.path / ".managed").touch()
    with pytest.raises(UnavailableError):
        choices.save()


def test_screen_navigates_chooses_and_saves(home_with_plugins: Home) -> None:
    terminal = Terminal.ours(home_with_plugins.path)
    terminal.wait_for("Esc cancel")
    assert "two \ufffd[2J" in terminal.shown
    assert "\x1b[" in terminal.shown
    assert "u001b" not in terminal.shown
    terminal.type(" ")
    terminal.wait_for("1 change not saved")
    terminal.type("jjk\x1b[B\x1b[A ")
    terminal.wait_for("s not saved")  # The terminal receives only the changed characters of "changes not saved".
    terminal.type("\x1b[F")
    terminal.wait_for("web/xai")
    terminal.type("\x1b[5~\x1b[6~\x1b[H  s")
    assert terminal.end() == 0
    assert "Saved in" in terminal.shown
    assert home_with_plugins.config["plugins"] == {"enabled": ["cat/alpha"], "disabled": ["beta"]}


@pytest.mark.parametrize("key", ["\x1b", "q", "\x03"])
def test_leaving_the_screen_changes_nothing(home_with_plugins: Home, key: str) -> None:
    before = tree(home_with_plugins.path)
    terminal = Terminal.ours(home_with_plugins.path)
    terminal.wait_for("Esc cancel")
    terminal.type(" j  ")
    terminal.wait_for("not saved")
    terminal.type(key)
    assert terminal.end() == 0
    assert "Nothing was changed." in terminal.shown
    assert tree(home_with_plugins.path) == before


def test_screen_does_not_open_in_managed_home(home_with_plugins: Home) -> None:
    (home_with_plugins.path / ".managed").touch()
    terminal = Terminal.ours(home_with_plugins.path)
    assert terminal.end() == 3
    assert "managed" in terminal.shown
