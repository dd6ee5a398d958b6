"""`Home`, a HERMES_HOME on disk."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes_sdk.cache import cache_dir
from hermes_sdk.errors import UnavailableError, UsageError
from hermes_sdk.home import Home
from hermes_sdk.manifest import load_yaml


@pytest.fixture(autouse=True)
def without_management(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HERMES_MANAGED", raising=False)


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    with Home(tmp_path / "home") as home:
        yield home


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_temporary_home_is_private_empty_and_removed() -> None:
    with Home.temporary() as home:
        assert mode(home.path) == 0o700
        assert [path.name for path in home.path.iterdir()] == ["plugins"]
        home.enable("a")
        home.set_env("A", "1")
    assert not home.path.exists()


def test_closing_keeps_an_existing_home(home: Home) -> None:
    home.enable("a")
    home.close()
    assert home.config == {"plugins": {"enabled": ["a"], "disabled": []}}


def test_home_without_files_is_empty(home: Home) -> None:
    assert (home.config, home.config_problem, home.env) == ({}, "", {})


@pytest.mark.parametrize("content", [b"a: [", b"- a", b"a: \xff", None])
def test_unreadable_configuration_is_empty_and_reported(home: Home, content: bytes | None) -> None:
    home.path.mkdir()
    if content is None:
        home.config_path.mkdir()
    else:
        home.config_path.write_bytes(content)
    assert home.config == {}
    assert home.config_problem


@pytest.mark.parametrize("content", [b"a: [1\nb: 2\n", b"a: \xff"])
def test_unreadable_configuration_is_not_edited(home: Home, content: bytes) -> None:
    home.path.mkdir()
    home.config_path.write_bytes(content)
    with pytest.raises(UsageError) as caught:
        home.enable("a")
    assert caught.value.where.startswith(str(home.config_path))
    assert home.config_path.read_bytes() == content


def test_enable_and_disable_write_both_lists_sorted(home: Home) -> None:
    for key in ("b", "cat/a", "on"):
        home.enable(key)
    home.disable("b")
    assert home.config == {"plugins": {"enabled": ["cat/a", "on"], "disabled": ["b"]}}
    home.enable("b")
    assert home.config == {"plugins": {"enabled": ["b", "cat/a", "on"], "disabled": []}}


def test_enabling_removes_all_names_from_the_disabled_plugins(home: Home) -> None:
    directory = home.plugins_dir / "cat" / "leaf"
    directory.mkdir(parents=True)
    (directory / "plugin.yaml").write_text("name: manifest-name\n")
    home.update_config({"plugins": {"disabled": ["cat/leaf", "leaf", "manifest-name", "other"]}})
    home.enable("cat/leaf")
    assert home.config == {"plugins": {"enabled": ["cat/leaf"], "disabled": ["other"]}}


def test_disabling_removes_key_and_its_last_part_from_the_enabled_plugins(home: Home) -> None:
    home.update_config({"plugins": {"enabled": ["cat/leaf", "leaf", "other"]}})
    home.disable("cat/leaf")
    assert home.config == {"plugins": {"enabled": ["other"], "disabled": ["cat/leaf"]}}


@pytest.mark.parametrize(
    ("lists", "place", "message"),
    [
        ("plugins: 5", "2:10", "`plugins` is not a mapping but '5'"),
        ("plugins: text", "2:10", "`plugins` is not a mapping but 'text'"),
        ("plugins:\n  enabled: a", "3:12", "`plugins.enabled` is not a list of names but 'a'"),
        ("plugins: {enabled: [], disabled: {a: 1}}", "2:34", "`plugins.disabled` is not a list of names"),
        ("plugins: {enabled: [{a: 1}]}", "2:20", "`plugins.enabled` is not a list of names"),
    ],
)
def test_invalid_plugins_section_is_rejected_with_location(home: Home, lists: str, place: str, message: str) -> None:
    home.path.mkdir()
    home.config_path.write_text(f"# mine\n{lists}\n")
    with pytest.raises(UsageError, match=message) as caught:
        home.enable("a")
    assert caught.value.where == f"{home.config_path}:{place}"
    assert home.config_path.read_text() == f"# mine\n{lists}\n"


@pytest.mark.parametrize("lists", ["plugins:", "plugins: {enabled: , disabled: []}", "plugins: {}"])
def test_empty_plugins_section_is_filled(home: Home, lists: str) -> None:
    home.path.mkdir()
    home.config_path.write_text(f"# mine\n{lists}\n")
    home.enable("a")
    assert home.config == {"plugins": {"enabled": ["a"], "disabled": []}}
    assert home.config_path.read_text().startswith("# mine\n")


def test_unchanged_configuration_is_not_written(home: Home) -> None:
    home.enable("a")
    before = home.config_path.stat().st_mtime_ns, home.config_path.stat().st_ino
    home.enable("a")
    home.update_config({"plugins": {"enabled": ["a"]}})
    assert (home.config_path.stat().st_mtime_ns, home.config_path.stat().st_ino) == before


def test_comments_order_and_modes_are_kept(home: Home) -> None:
    home.path.mkdir()
    home.config_path.write_text("# head\nmodel: {default: x}  # model\n\nplugins:\n  # list\n  enabled: [z]\nlast: 1\n")
    home.config_path.chmod(0o640)
    home.enable("a")
    assert home.config_path.read_text() == (
        "# head\nmodel: {default: x}  # model\n\nplugins:\n  # list\n  enabled: [a, z]\n  disabled: []\nlast: 1\n"
    )
    assert mode(home.config_path) == 0o640


def test_new_configuration_is_private(home: Home) -> None:
    home.enable("a")
    assert mode(home.config_path) == 0o600


def test_linked_configuration_stays_a_link(home: Home, tmp_path: Path) -> None:
    home.path.mkdir()
    target = tmp_path / "dotfiles.yaml"
    target.write_text("a: 1\n")
    home.config_path.symlink_to(target)
    home.update_config({"a": 2})
    assert home.config_path.is_symlink()
    assert target.read_text() == "a: 2\n"


def test_env_keeps_other_lines_byte_for_byte_and_becomes_private(home: Home) -> None:
    home.path.mkdir()
    home.env_path.write_bytes(b"# mine\nOTHER='a b'\r\nbad \xff line\nA=1")
    home.env_path.chmod(0o644)
    home.set_env("A", "x y")
    home.set_env("B", "2")
    assert home.env_path.read_bytes() == b"# mine\nOTHER='a b'\r\nbad \xff line\nA=\"x y\"\nB=2\n"
    assert mode(home.env_path) == 0o600
    assert home.env == {"OTHER": "a b", "A": "x y", "B": "2"}


def test_env_rejects_lone_surrogates(home: Home) -> None:
    with pytest.raises(UsageError):
        home.set_env("A", "\ud800")
    assert not home.env_path.exists()


@pytest.mark.parametrize("interruption", [OSError("disk full"), KeyboardInterrupt()])
def test_interrupted_write_leaves_the_old_file(
    home: Home, monkeypatch: pytest.MonkeyPatch, interruption: BaseException
) -> None:
    home.enable("a")
    before = home.config_path.read_bytes()

    def fail(*_: object, **__: object) -> None:
        raise interruption

    monkeypatch.setattr(os, "rename", fail)
    with pytest.raises((UnavailableError, KeyboardInterrupt)):
        home.enable("b")
    assert home.config_path.read_bytes() == before
    assert sorted(path.name for path in home.path.iterdir()) == [".hermes-sdk.lock", "config.yaml"]


def test_unwritable_home_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UnavailableError, match="cannot"):
        Home(tmp_path / "file" / "home").enable("a")


def test_reader_never_sees_a_partial_file(home: Home) -> None:
    home.update_config({"items": list(range(100))})
    seen: list[int] = []
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            seen.append(len(load_yaml(home.config_path.read_text())["items"]))

    reader = threading.Thread(target=read)
    reader.start()
    for number in range(30):
        home.update_config({"number": number})
    done.set()
    reader.join()
    assert set(seen) == {100}


@pytest.mark.parametrize("value", ["true", "0", "homebrew"])
def test_home_managed_by_the_environment_is_not_written(
    home: Home, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("HERMES_MANAGED", value)
    assert home.managed
    for write in (lambda: home.enable("a"), lambda: home.disable("a"), lambda: home.set_env("A", "1")):
        with pytest.raises(UnavailableError, match="managed"):
            write()
    assert not home.path.exists()


def test_home_with_a_managed_marker_is_not_written(home: Home) -> None:
    home.path.mkdir()
    (home.path / ".managed").touch()
    with pytest.raises(UnavailableError, match="managed"):
        home.update_config({"a": 1})


def test_temporary_home_ignores_the_variable_hermes_managed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HERMES_MANAGED", "true")
    with Home.temporary() as home:
        home.enable("a")
        assert home.config["plugins"]["enabled"] == ["a"]


def test_next_write_removes_leftovers_of_killed_writer(home: Home) -> None:
    home.path.mkdir()
    left = home.path / ".hermes-sdk-0123.tmp"
    left.write_text("half")
    journal = cache_dir() / "journal" / "0123.json"
    journal.parent.mkdir(parents=True, exist_ok=True)
    content = {"files": [[str(left), str(home.config_path), None]], "directories": [], "trees": []}
    journal.write_text(f"{json.dumps(content)}\n")
    home.enable("a")
    assert not journal.exists()
    assert sorted(path.name for path in home.path.iterdir()) == [".hermes-sdk.lock", "config.yaml"]


def test_plugins_are_switched_and_other_values_changed_in_one_write(home: Home) -> None:
    home.update_config({"plugins": {"enabled": ["a", "b"], "entries": {"a": {"x": 1}}}})
    home.switch(
        on={"c": "c"}, off=["a"], changes={"memory": {"provider": "m"}, "plugins": {"entries": {"c": {"y": 2}}}}
    )
    assert home.config == {
        "plugins": {"enabled": ["b", "c"], "entries": {"a": {"x": 1}, "c": {"y": 2}}, "disabled": ["a"]},
        "memory": {"provider": "m"},
    }


def test_concurrent_writes_lose_no_change(home: Home) -> None:
    program = (
        "import sys; from pathlib import Path; from hermes_sdk.home import Home; home = Home(Path(sys.argv[1]))\n"
        "for number in range(10): home.enable(f'{sys.argv[2]}{number}'); home.set_env(f'{sys.argv[2]}{number}', '1')"
    )
    children = [subprocess.Popen([sys.executable, "-c", program, str(home.path), name]) for name in "ab"]
    threads = [threading.Thread(target=home.enable, args=[f"c{number}"]) for number in range(10)]
    for thread in threads:
        thread.start()
    for worker in (*threads, *children):
        worker.join() if isinstance(worker, threading.Thread) else worker.wait()
    assert home.enabled == sorted(f"{name}{number}" for name in "abc" for number in range(10))
    assert len(home.env) == 20


def test_lock_may_be_nested(home: Home) -> None:
    with home.lock(), home.lock():
        home.enable("a")
    assert home.enabled == ["a"]


def test_current_home_is_read_from_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("HERMES_HOME", raising=False)
    assert Home.current().path == tmp_path / ".hermes"
    monkeypatch.setenv("HERMES_HOME", str(tmp_path / "other"))
    assert Home.current().path == tmp_path / "other"


def test_current_home_follows_the_active_profile(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HERMES_HOME", str(home.path))
    home.path.mkdir()
    for name in ("../..", "coder"):
        (home.path / "active_profile").write_text(f"{name}\n")
        with pytest.raises(UsageError, match=name):
            Home.current()
    profile = home.path / "profiles" / "coder"
    profile.mkdir(parents=True)
    assert Home.current().path == profile
    monkeypatch.setenv("HERMES_HOME", str(profile))
    assert Home.current().path == profile
