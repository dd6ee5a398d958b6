from pathlib import Path

import pytest

from hermes_sdk import manifest
from hermes_sdk.errors import UsageError
from hermes_sdk.home import Home
from hermes_sdk.hosts.staging import StagedHome


@pytest.fixture
def home():
    with Home.temporary() as one:
        yield one


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    for name in (
        ".git/config",
        "__pycache__/x.pyc",
        "env/pyvenv.cfg",
        "env/lib/x.py",
        "pkg/__pycache__/y.pyc",
        "pkg/y.py",
    ):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    (folder / "plugin.yaml").write_text("name: team-notes\n")
    (folder / "__init__.py").write_text("def register(ctx): pass\n")
    return folder


def test_copy_is_enabled_and_named_as_by_installer(plugin: Path, home: Home) -> None:
    located = manifest.locate(plugin)
    assert StagedHome(home).add(located) == "team-notes"
    assert home.config["plugins"]["enabled"] == ["team-notes"]
    copy = home.plugins_dir / manifest.installer_name(located.directory)
    files = sorted(path.relative_to(copy).as_posix() for path in copy.rglob("*") if path.is_file())
    assert files == ["__init__.py", "pkg/y.py", "plugin.yaml"]


def test_key_is_directory_name_when_manifest_has_no_name(plugin: Path, home: Home) -> None:
    (plugin / "plugin.yaml").write_text("description: none\n")
    key = StagedHome(home).add(manifest.locate(plugin))
    assert (home.plugins_dir / key / "plugin.yaml").is_file()


def test_linked_plugin_reflects_later_changes(plugin: Path, home: Home) -> None:
    StagedHome(home).add(manifest.locate(plugin), link=True)
    (plugin / "later.py").write_text("")
    (folder,) = home.plugins_dir.iterdir()
    assert folder.is_symlink()
    assert (folder / "later.py").is_file()


def test_links_in_copy_point_to_copied_files(plugin: Path, home: Home, tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("shared")
    (plugin / "relative.py").symlink_to("pkg/y.py")
    (plugin / "absolute.py").symlink_to(plugin / "pkg" / "y.py")
    (plugin / "folder").symlink_to("pkg", target_is_directory=True)
    (plugin / "loop").symlink_to(".", target_is_directory=True)
    (plugin / "away.txt").symlink_to("../outside.txt")
    (plugin / "dangling").symlink_to("nowhere")
    StagedHome(home).add(manifest.locate(plugin))
    (copy,) = home.plugins_dir.iterdir()
    for name in ("relative.py", "absolute.py", "folder/y.py", "loop/pkg/y.py"):
        assert (copy / name).resolve() == (copy / "pkg" / "y.py").resolve()
    assert (copy / "away.txt").read_text() == "shared"
    assert (copy / "dangling").is_symlink()


def test_existing_plugin_is_not_replaced(plugin: Path, home: Home) -> None:
    located = manifest.locate(plugin)
    StagedHome(home).add(located)
    with pytest.raises(UsageError, match="the home already contains a plugin"):
        StagedHome(home).add(located)


def test_model_provider_is_placed_in_its_directory(tmp_path: Path, home: Home) -> None:
    folder = tmp_path / "models"
    folder.mkdir()
    (folder / "plugin.yaml").write_text("name: house-models\nkind: model-provider\n")
    assert StagedHome(home).add(manifest.locate(folder)) == "model-providers/house-models"
    assert (home.plugins_dir / "model-providers/house-models/plugin.yaml").is_file()
