"""The cache after processes that were killed, and after files in it were deleted."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from hermes_sdk import installer
from hermes_sdk.cache import make_once
from hermes_sdk.errors import UnavailableError

MAKER = """
import sys
from pathlib import Path
from hermes_sdk.cache import make_once

def make(made):
    made.mkdir()
    (made / "half").touch()
    print("half", flush=True)
    sys.stdin.read()

make_once(Path(sys.argv[1]), make, what="it", fix="")
"""


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    (tmp_path / "cache").mkdir()
    return tmp_path / "cache"


def start_maker(folder: Path) -> subprocess.Popen[str]:
    """Start a process that has created half of a cache folder, and waits."""
    maker = subprocess.Popen(
        [sys.executable, "-c", MAKER, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert maker.stdout is not None
    assert maker.stdout.readline() == "half\n"
    return maker


def make(made: Path) -> None:
    made.mkdir()


@pytest.mark.parametrize("name", ["same", "other"])
def test_next_command_removes_partial_folder_of_killed_process(cache: Path, name: str) -> None:
    with start_maker(cache / "same") as maker:
        os.kill(maker.pid, signal.SIGKILL)
    assert {path.name for path in cache.iterdir()} > {".same.lock"}
    make_once(cache / name, make, what="it", fix="")
    assert {path.name for path in cache.iterdir()} == {".same.lock", f".{name}.lock", name}


def test_folder_that_another_process_creates_is_kept(cache: Path) -> None:
    with start_maker(cache / "slow") as maker:
        make_once(cache / "other", make, what="it", fix="")
        assert maker.stdin is not None
        maker.stdin.close()
        assert maker.wait() == 0
    assert (cache / "slow" / "half").exists()
    assert sorted(path.name for path in cache.iterdir()) == [".other.lock", ".slow.lock", "other", "slow"]


def test_distribution_is_complete_if_all_its_modules_exist(cache: Path) -> None:
    info = cache / "some_lamp-1.0.dist-info"
    assert not installer.is_complete(cache, ["some-lamp"])
    info.mkdir()
    (cache / "lamp").mkdir()
    (cache / "torch.py").touch()
    assert not installer.is_complete(cache, ["some-lamp"])
    (info / "RECORD").write_text("lamp/a.py,,\ntorch.py,,\n../../bin/lamp,,\nsome_lamp-1.0.dist-info/RECORD,,\n")
    assert installer.is_complete(cache, ["Some.Lamp"])
    (cache / "torch.py").unlink()
    assert not installer.is_complete(cache, ["some-lamp"])
    assert installer.is_complete(cache, [])


def test_failed_creation_leaves_no_folder(cache: Path) -> None:
    def fail(made: Path) -> None:
        make(made)
        raise OSError("no")

    with pytest.raises(UnavailableError):
        make_once(cache / "folder", fail, what="it", fix="")
    assert [path.name for path in cache.iterdir()] == [".folder.lock"]
