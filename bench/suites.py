"""Time of the suite for memory providers on its example: all of its tests, without the start of pytest."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.measure import Figure

ROUNDS = 3
_EXAMPLES = Path(__file__).parents[1] / "tests" / "examples"


def figures() -> Iterator[Figure]:
    """Measure wall-clock time: part of it is waiting, for threads and for a backend that hangs."""
    yield Figure("MemoryProviderContract, SQLite example", min(_seconds() for _ in range(ROUNDS)), 2, "s")


def _seconds() -> float:
    with tempfile.TemporaryDirectory(prefix="hermes-sdk-bench-") as folder:
        Path(folder, "test_it.py").write_text(
            "from hermes_sdk.testing import MemoryProviderContract\n\n\n"
            "class TestIt(MemoryProviderContract):\n"
            f"    plugin = {str(_EXAMPLES / 'sqlite_memory')!r}\n"
        )
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, text=True, check=True)
    found = re.search(r"passed in ([\d.]+)s", done.stdout)
    assert found is not None
    return float(found[1])
