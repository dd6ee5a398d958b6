"""Plugins and temporary files in `/dev/shm`, which each plugin process replaces with its own directory."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

SHARED = Path("/dev/shm")
pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="this machine has no /dev/shm")

SOURCE = """
import os
from pathlib import Path
SEEN = sorted(os.listdir("/dev/shm"))
Path("/dev/shm/left").write_text("")
def register(ctx):
    raise RuntimeError(f"it sees {SEEN}")
"""


def test_plugin_in_shared_memory_sees_only_itself() -> None:
    with tempfile.TemporaryDirectory(dir=SHARED) as name, tempfile.TemporaryDirectory(dir=SHARED):
        folder = Path(name)
        plugin, temporary = folder / "plugin", folder / "tmp"
        for place in (plugin, temporary):
            place.mkdir()
        (plugin / "plugin.yaml").write_text("name: example\nkind: standalone\n", encoding="utf-8")
        (plugin / "__init__.py").write_text(SOURCE, encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-c", "from hermes_sdk.cli.main import run; run()", "show", str(plugin)],
            env={**os.environ, "TMPDIR": str(temporary), "COLUMNS": "500"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert f"it sees ['{folder.name}']" in done.stdout, done.stderr
        assert (plugin / "__init__.py").read_text(encoding="utf-8") == SOURCE
        assert not (SHARED / "left").exists()
        assert list(temporary.iterdir()) == []
