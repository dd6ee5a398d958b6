"""`pytest tests/conformance --record-outcomes` writes down how each case ended, for `docs/fidelity.py`."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

import pytest
from conformance.case import all_cases

OUTCOMES = Path(__file__).parent / "outcomes.json"

MEMORY = "/dev/shm"


@pytest.fixture(autouse=True)
def _homes_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep homes in memory where the machine can: a host waits for the disk at every write to its databases."""
    if os.access(MEMORY, os.W_OK):
        monkeypatch.setattr(tempfile, "tempdir", MEMORY)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--record-outcomes", action="store_true", help=f"write {OUTCOMES.name}")
    parser.addoption("--on", metavar="RELEASE", help="run the cases of the newest proven release on this one instead")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if not config.getoption("--record-outcomes", default=False):
        return
    ended = {
        report.nodeid.partition("[")[2].removesuffix("]"): outcome
        for outcome in ("passed", "failed")
        for report in terminalreporter.getreports(outcome)
        if "test_both_hosts_show_the_same[" in report.nodeid
    }
    recorded = json.loads(OUTCOMES.read_text(encoding="utf-8")) if OUTCOMES.exists() else {}
    kept = {}
    for one in all_cases():
        before = recorded.get(one.id, {})
        # What was recorded of the case before it was changed is no outcome of it.
        earlier = before if before.get("case") == one.digest else {}
        pairs = {name.removeprefix(f"{one.id}-"): how for name, how in ended.items() if name.startswith(f"{one.id}-")}
        if earlier or pairs:
            kept[one.id] = {**earlier, **pairs, "case": one.digest}
    OUTCOMES.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    terminalreporter.write_line(f"recorded {len(ended)} outcomes in {OUTCOMES.name}")
