"""Plugins that are installed as links, and other links in the plugins directory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

import pytest
from conftest import RealPython
from docs.schemas import validate
from operate.conftest import Repository, git, write
from operate.tools import Ours, tree

from hermes_sdk.errors import UsageError
from hermes_sdk.home import Home
from hermes_sdk.hosts import open_host
from hermes_sdk.operate.install import install, link, remove, source_of
from hermes_sdk.operate.updates import update

DEMO = {"plugin.yaml": "name: demo\n", "__init__.py": "def register(ctx): pass\n"}
LISTENING = "from .text import TEXT\ndef register(ctx): ctx.register_hook('pre_llm_call', lambda **kw: TEXT)\n"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Create a plugin outside the home."""
    return write(tmp_path / "checkout", DEMO)


def test_project_is_linked_under_its_plugin_name(home: Home, ours: Ours, tmp_path: Path) -> None:
    project = write(tmp_path / "project", {"README.md": "", "src/my_demo/plugin.yaml": "name: my-demo\n"})
    done = ours(home.path, "install", "--link", str(project), "--enable")
    assert done.exit_code == 0
    assert (home.plugins_dir / "my-demo").readlink() == project / "src" / "my_demo"
    assert home.enabled == ["my-demo"]
    assert f"Linked {home.plugins_dir / 'my-demo'} → {project / 'src' / 'my_demo'}\n" in done.output


def test_plugin_without_a_name_is_linked_under_its_directory_name(home: Home, tmp_path: Path) -> None:
    assert link(home, write(tmp_path / "nameless", {"plugin.yaml": "version: 1\n"})).name == "nameless"


def test_linking_does_not_change_the_checkout(home: Home, ours: Ours, checkout: Path) -> None:
    write(checkout, {"settings.yaml.example": "a: 1\n"})
    before = tree(checkout)
    assert ours(home.path, "install", "--link", str(checkout)).exit_code == 0
    assert tree(checkout) == before


def _assert_loads_through_a_link(kind: Literal["embedded", "real"], release: str, home: Home, folder: Path) -> None:
    plugin = write(
        folder / "notes", {"plugin.yaml": "name: notes\n", "__init__.py": LISTENING, "text.py": "TEXT = 'a'\n"}
    )
    link(home, plugin)
    home.enable("notes")
    for text in ("a", "after a change"):
        (plugin / "text.py").write_text(f"TEXT = {text!r}\n")
        with open_host(kind, release, home) as host:
            assert host.fire("pre_llm_call") == [text]


def test_embedded_host_loads_linked_plugin(home: Home, tmp_path: Path) -> None:
    _assert_loads_through_a_link("embedded", "0.19.0", home, tmp_path)


@pytest.mark.real_host
@pytest.mark.parametrize("release", ["0.13.0", "0.19.0"])
def test_real_host_loads_linked_plugin(home: Home, tmp_path: Path, real_python: RealPython, release: str) -> None:
    real_python(release)
    _assert_loads_through_a_link("real", release, home, tmp_path)


@pytest.mark.parametrize(
    ("name", "message"), [("nix-managed-demo", "Nix module deletes links"), ("../demo", "Invalid plugin name")]
)
def test_invalid_link_name_is_rejected(home: Home, tmp_path: Path, name: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        link(home, write(tmp_path / "checkout", {"plugin.yaml": f"name: {name}\n"}))
    assert list(home.plugins_dir.iterdir()) == []


def test_link_to_installed_plugin_or_file_is_rejected(home: Home, tmp_path: Path) -> None:
    installed = install(home, write(tmp_path / "demo", DEMO)).directory
    with pytest.raises(UsageError, match=r"is already in"):
        link(home, installed, force=True)
    with pytest.raises(UsageError, match="not a directory"):
        link(home, installed / "plugin.yaml")
    assert tree(installed).keys() == DEMO.keys()


def test_force_replaces_directory_with_link_and_link_with_directory(
    home: Home, checkout: Path, repository: Repository, tmp_path: Path
) -> None:
    place, url = home.plugins_dir / "demo", repository("demo", {**DEMO, "published.py": ""})
    before = tree(checkout)
    install(home, source_of(url))
    for operation in (lambda: link(home, checkout), lambda: install(home, source_of(url))):
        with pytest.raises(UsageError, match="already exists"):
            operation()
        link(home, checkout, force=True)
    assert place.readlink() == checkout
    other = write(tmp_path / "other", DEMO)
    assert link(home, other, force=True).directory.readlink() == other
    place.unlink()
    place.symlink_to("nowhere")
    install(home, source_of(url), force=True)
    assert (place / "published.py").exists()
    link(home, checkout, force=True)
    install(home, source_of(url), force=True)
    assert not place.is_symlink()
    assert tree(checkout) == tree(other) == before
    assert sorted(path.name for path in home.path.iterdir()) == [".hermes-sdk.lock", "plugins"]


@pytest.mark.parametrize("name", ["demo", "category/demo"])
def test_removing_a_link_keeps_its_target(home: Home, ours: Ours, checkout: Path, name: str) -> None:
    place = home.plugins_dir / name
    place.parent.mkdir(exist_ok=True)
    place.symlink_to(checkout)
    home.update_config({"plugins": {"enabled": [name]}})
    done = ours(home.path, "remove", name, "--clean")
    assert done.exit_code == 0
    assert f"{checkout} was not changed." in done.output
    assert (place.is_symlink(), home.enabled) == (False, [])
    assert tree(checkout).keys() == DEMO.keys()


def test_update_skips_linked_plugin(home: Home, ours: Ours, tmp_path: Path, repository: Repository) -> None:
    git(tmp_path, "clone", "--quiet", repository("demo", DEMO), "clone")
    link(home, tmp_path / "clone")
    repository("demo", {"new.py": ""})
    before = tree(tmp_path / "clone")
    done = ours(home.path, "update", "demo")
    assert done.exit_code == 2
    assert f"'demo' is a link to {tmp_path / 'clone'}" in done.output
    assert "git pull" in done.output
    done = ours(home.path, "update")
    assert (done.exit_code, done.output) == (
        0,
        f"- Skipped: 'demo' is a link to {tmp_path / 'clone'}.\n",
    )
    assert tree(tmp_path / "clone") == before


def test_linked_plugin_is_enabled_disabled_and_listed(home: Home, ours: Ours, checkout: Path) -> None:
    link(home, checkout)
    assert ours(home.path, "enable", "demo").exit_code == 0
    assert home.enabled == ["demo"]
    listed = json.loads(ours(home.path, "list", "--json", "--user").output)["plugins"]
    assert [(one["name"], one["status"], one["link"]) for one in listed] == [("demo", "enabled", str(checkout))]
    table, target = ours(home.path, "list").output.splitlines()[1:3]
    assert table.split() == ["demo", "enabled", "linked"]
    assert target == f"demo is linked to {checkout}"
    assert ours(home.path, "disable", "demo").exit_code == 0
    assert home.disabled == ["demo"]


def test_broken_links_are_listed_and_removable(home: Home, ours: Ours, checkout: Path) -> None:
    link(home, checkout)
    checkout.rename(checkout.with_name("moved"))
    (home.plugins_dir / "category").mkdir()
    (home.plugins_dir / "category" / "loop").symlink_to("loop")
    for options in ((), ("--plain",)):
        done = ours(home.path, "list", *options)
        assert done.exit_code == 0
        assert f"demo is a broken link to {checkout}" in done.output
        assert "hermes-sdk plugins remove category/loop" in done.output
    loop = str(home.plugins_dir / "category" / "loop")
    document = json.loads(ours(home.path, "list", "--json").output)
    validate(document, "")
    assert document["broken_links"] == [
        {"path": loop, "link": loop},
        {"path": str(home.plugins_dir / "demo"), "link": str(checkout)},
    ]
    assert ours(home.path, "update").output == f"No plugins are installed in {home.path}.\n"
    for name in ("demo", "category/loop"):
        assert ours(home.path, "remove", name).exit_code == 0
    assert "broken link" not in ours(home.path, "list").output


@pytest.mark.parametrize("name", ["nix-managed-demo", "memo"])
def test_links_of_nix_are_not_changed(home: Home, ours: Ours, checkout: Path, name: str) -> None:
    target = checkout
    if name == "memo":
        target = write(home.path / ".nix-plugins" / "links" / "memo", {"plugin.yaml": "name: memo\n"})
    (home.plugins_dir / name).symlink_to(target)
    for operation in (lambda: update(home, name), lambda: remove(home, name)):
        with pytest.raises(UsageError, match="a link managed by Nix"):
            operation()
    if name == "memo":
        with pytest.raises(UsageError, match="a link managed by Nix"):
            link(home, write(checkout, {"plugin.yaml": "name: memo\n"}), force=True)
    assert ours(home.path, "update").exit_code == 0
    assert (home.plugins_dir / name).readlink() == target


def test_plugins_in_a_linked_category_are_not_changed(home: Home, ours: Ours, tmp_path: Path) -> None:
    category = write(tmp_path / "category", {f"demo/{name}": text for name, text in DEMO.items()})
    (home.plugins_dir / "category").symlink_to(category)
    assert ours(home.path, "remove", "category/demo").exit_code == 2
    done = ours(home.path, "update")
    assert (done.exit_code, "Skipped: 'category' is a link" in done.output) == (0, True)
    assert tree(category / "demo").keys() == DEMO.keys()
