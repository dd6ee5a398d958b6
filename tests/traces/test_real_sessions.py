"""Recorded sessions replay as equal on the embedded host of their release, and become tests that pass elsewhere.

Sessions that cannot be replayed are rejected with the reason.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from traces.machine import SDK, Machine
from traces.model_server import CONTEXT, NAME
from traces.real_sessions import SESSIONS

from hermes_sdk.errors import UsageError
from hermes_sdk.traces import Trace, read_recording, replay

RELEASES = ("0.19.0", "0.20.2", "0.21.4", "0.22.2")
QUICK = {("tool search", "0.22.2")}


PAIRS = [
    pytest.param(name, release, marks=[] if (name, release) in QUICK else pytest.mark.slow)
    for name in SESSIONS
    for release in RELEASES
]


@pytest.mark.parametrize(("name", "release"), PAIRS)
def test_recorded_session_is_replayed_and_converted_or_rejected(name: str, release: str, tmp_path: Path) -> None:
    session = SESSIONS[name]
    machine = session.prepare(tmp_path, release)
    trace = machine.work / "session.trace"
    try:
        session.record(machine, trace)
    finally:
        machine.server.close()
    assert machine.server.titles or name != "title"

    recorded = read_recording(trace)
    assert (recorded.release, recorded.observed) == (release, True)
    if session.refused:
        with pytest.raises(UsageError, match=session.refused):
            replay(recorded, trace)
    else:
        _assert_model(recorded)
        again = replay(recorded, trace)
        assert again.is_equal, again.reason

    made = machine.run(SDK, "codegen", "session.trace", "-o", "test_session.py")
    if session.untestable:
        assert (made.returncode, session.untestable in made.stderr) == (2, True), made.stderr
    else:
        assert made.returncode == 0, made.stderr
        _run_elsewhere(machine)


def _assert_model(recorded: Trace) -> None:
    """Assert that the recording has the name, context length and token counts of the model."""
    assert recorded.recording is not None
    assert recorded.recording["config"]["model"] == {"default": NAME, "context_length": CONTEXT}
    answers = [one for one in recorded.recording["script"]["main"] if "interrupt" not in one]
    assert all(one["usage"]["prompt_tokens_details.cached_tokens"] for one in answers)


def _run_elsewhere(machine: Machine) -> None:
    """Run the test in another directory without the user's home, and on the next day if ``faketime`` is installed."""
    project = machine.work.rename(machine.path / "elsewhere")
    shutil.rmtree(machine.home)
    tomorrow = ["faketime", "+1 day"] if shutil.which("faketime") else []
    options = ["-p", "no:cacheprovider", "-W", "error", "--hermes-host", "embedded"]
    command = [*tomorrow, sys.executable, "-m", "pytest", "-q", *options, "--hermes-release", machine.release]
    variables = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(command, cwd=project, env=variables, capture_output=True, text=True, check=False)
    assert (done.returncode, "1 passed" in done.stdout) == (0, True), (
        f"{(project / 'test_session.py').read_text()}\n{done.stdout}\n{done.stderr}"
    )
