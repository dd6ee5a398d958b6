"""Memory that closed hosts leak."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.host import embedded
from bench.measure import Figure
from bench.plugins import make_home


def figures() -> Iterator[Figure]:
    """Measure the memory of a process after 10,000 hosts, relative to that after the allocator has settled."""
    with tempfile.TemporaryDirectory(prefix="hermes-sdk-bench-") as name:
        found = embedded("grow", make_home(Path(name) / "home", 1)).figures()
    yield Figure("10,000 hosts / 2,000 hosts, memory", found["memory"], 1.02)
    yield Figure("10,000 hosts / 2,000 hosts, blocks in use", found["blocks"], 1.001)
