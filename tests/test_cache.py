"""The user's cache, whose directories are created atomically."""

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from hermes_sdk.cache import cache_dir, make_once
from hermes_sdk.errors import UnavailableError
from hermes_sdk.installer import InstallError


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({"HERMES_SDK_CACHE": "/a"}, "/a"),
        ({"XDG_CACHE_HOME": "/b"}, "/b/hermes-sdk"),
        ({"HOME": "/c"}, "/c/.cache/hermes-sdk"),
    ],
)
def test_cache_directory_depends_on_the_environment(
    variables: dict[str, str], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HERMES_SDK_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert cache_dir() == Path(expected)


def test_folder_is_created_once_and_again_if_unusable(tmp_path: Path) -> None:
    calls = []

    def make(made: Path) -> None:
        calls.append(made)
        made.mkdir()
        (made / "probe").touch()

    for _ in range(2):
        make_once(tmp_path / "folder", make, what="it", fix="", is_usable=lambda folder: (folder / "probe").exists())
    assert len(calls) == 1
    (tmp_path / "folder" / "probe").unlink()
    make_once(tmp_path / "folder", make, what="it", fix="", is_usable=lambda folder: (folder / "probe").exists())
    assert len(calls) == 2


@pytest.mark.parametrize("error", [InstallError("no"), OSError("no"), KeyboardInterrupt()])
def test_failed_creation_leaves_only_the_lock(tmp_path: Path, error: BaseException) -> None:
    def make(made: Path) -> None:
        made.mkdir()
        (made / "half").touch()
        raise error

    expected = KeyboardInterrupt if isinstance(error, KeyboardInterrupt) else UnavailableError
    with pytest.raises(expected):
        make_once(tmp_path / "folder", make, what="it", fix="")
    assert [path.name for path in tmp_path.iterdir()] == [".folder.lock"]


def test_concurrent_processes_create_a_folder_once(tmp_path: Path) -> None:
    program = f"""
        from pathlib import Path
        from hermes_sdk.cache import make_once
        def make(made):
            made.mkdir()
            print("made", flush=True)
        make_once(Path({str(tmp_path)!r}) / "folder", make, what="it", fix="")
    """
    command = [sys.executable, "-c", textwrap.dedent(program)]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert "".join(one.communicate()[0] for one in both) == "made\n"
