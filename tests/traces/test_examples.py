"""Recordings of the example plugins on the real host replay as equal, and diverge for the correct reason."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from traces.sessions import SESSIONS, Session

from hermes_sdk.cli.main import run

pytestmark = [pytest.mark.slow, pytest.mark.real_host]

EACH = pytest.mark.parametrize("session", SESSIONS.values(), ids=[*SESSIONS])
FIRST = {
    "word_count": (None, None),
    "sqlite_memory": ("0.20.2", "0.20.2"),
    "window_engine": ("0.20.2", "0.20.2"),
    "tile_images": ("0.22.2", "0.20.2"),
    "local_models": (None, None),
    "pigeon": (None, None),
    "plain_irc": (None, None),
}
"""The first release on which a recording of 0.19.0 diverges, and the first on which one of 0.22.2 does."""

Replay = Callable[..., dict[str, Any]]


@pytest.fixture(params=["0.19.0", "0.22.2"])
def release(request: pytest.FixtureRequest, real_python: Callable[[str], Path]) -> str:
    real_python(request.param)
    return str(request.param)


@pytest.fixture
def replay(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Replay:
    """Return a function that runs `hermes-sdk replay` on the recording in the project."""

    def run_replay(*options: str) -> dict[str, Any]:
        with pytest.raises(SystemExit) as ended:
            run(["replay", str(tmp_path / "session.trace"), "--json", *options])
        document: dict[str, Any] = json.loads(capsys.readouterr().out)
        assert ended.value.code == int(document["first"] is not None)
        return document

    return run_replay


@EACH
def test_recording_of_real_host_replays_without_divergence(
    session: Session, release: str, tmp_path: Path, replay: Replay
) -> None:
    _, trace = session.record(tmp_path, "real", release)
    assert (trace.host, trace.release, trace.problems) == ("real", release, ())
    for host in ("embedded", "real"):
        [one] = replay("--host", host)["replays"]
        assert (one["host"], one["release"], one["reason"]) == (host, release, "")


def test_hosts_report_same_divergence(release: str, tmp_path: Path, replay: Replay) -> None:
    session = SESSIONS["word_count"]
    session.record(tmp_path, "real", release)
    session.break_plugin(tmp_path)
    reasons = [replay("--host", host)["replays"][0]["reason"] for host in ("embedded", "real")]
    assert reasons == ['at event 7: tool word_count returned "{\\"words\\": 2}", now "{\\"words\\": 9}"'] * 2


@pytest.mark.parametrize("name", [*SESSIONS])
def test_first_divergent_release_and_reason_equal_real_host(
    name: str, release: str, tmp_path: Path, replay: Replay, real_python: Callable[[str], Path]
) -> None:
    SESSIONS[name].record(tmp_path, "embedded", release)
    document = replay("--release", "all")
    first, reasons = document["first"], {one["release"]: one["reason"] for one in document["replays"]}
    assert first == FIRST[name][release != "0.19.0"]
    assert reasons[release] == ""
    compared = first or ("0.22.2" if release == "0.19.0" else "0.20.2")
    real_python(compared)
    assert replay("--release", compared, "--host", "real")["replays"][0]["reason"] == reasons[compared]
