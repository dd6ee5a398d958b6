"""Installation into environments with and without uv."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from hermes_sdk import installer


def write_wheel(folder: Path) -> Path:
    """Write a wheel without requirements."""
    file = folder / "lamp-1.0-py3-none-any.whl"
    contents = {
        "lamp.py": "LIGHT = 'on'\n",
        "lamp-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: lamp\nVersion: 1.0\n",
        "lamp-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{name},,\n" for name in (*contents, "lamp-1.0.dist-info/RECORD"))
    with zipfile.ZipFile(file, "w") as archive:
        for name, text in {**contents, "lamp-1.0.dist-info/RECORD": record}.items():
            archive.writestr(name, text)
    return file


def has_lamp(python: Path) -> bool:
    done = subprocess.run([python, "-c", "import lamp; print(lamp.LIGHT)"], check=False, capture_output=True, text=True)
    return done.stdout == "on\n"


def hide_uv(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide uv on PATH and as a package."""
    (folder / "empty").mkdir()
    monkeypatch.setenv("PATH", str(folder / "empty"))
    monkeypatch.setitem(sys.modules, "uv", None)
    assert installer.find_uv() is None


def test_environment_created_by_uv_is_usable_without_uv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if installer.find_uv() is None:
        pytest.skip("uv is not installed")
    pytest.importorskip("ensurepip")
    python = installer.create(tmp_path / "made", sys.executable)
    assert not list((tmp_path / "made").glob("lib/python*/site-packages/pip"))
    hide_uv(tmp_path, monkeypatch)
    installer.install(python, [str(write_wheel(tmp_path))])
    assert has_lamp(python)


def test_uv_is_found_as_a_package_if_not_on_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("uv")
    monkeypatch.setenv("PATH", str(tmp_path))
    python = installer.create(tmp_path / "made", sys.executable)
    installer.install(python, [str(write_wheel(tmp_path))])
    assert has_lamp(python)
