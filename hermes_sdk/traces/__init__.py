"""Scenarios and traces: play a scenario on a host, record the run, and compare two runs.

The package must not import `testing`, `check`, `scaffold`, `operate`, `compat` or `cli`.
"""

from __future__ import annotations

from hermes_sdk.traces.comparison import (
    Difference,
    ExpectedDifference,
    compare,
    compared_events,
    expected_differences,
    format_value,
)
from hermes_sdk.traces.normalisation import Normaliser
from hermes_sdk.traces.observation import record_command
from hermes_sdk.traces.own_texts import name_own_texts, own_texts
from hermes_sdk.traces.player import play, play_in_process, play_on
from hermes_sdk.traces.reader import parse_trace, read_trace
from hermes_sdk.traces.recording import move_paths, read_recorded_scenario, read_recording, write_recording
from hermes_sdk.traces.replay import Replay, find_number, replay
from hermes_sdk.traces.scenario import Scenario, ScenarioPlugin, parse_script, read_scenario, read_script, schema_text
from hermes_sdk.traces.trace import Event, Trace
from hermes_sdk.traces.trace_secrets import redact_trace

__all__ = [
    "Difference",
    "Event",
    "ExpectedDifference",
    "Normaliser",
    "Replay",
    "Scenario",
    "ScenarioPlugin",
    "Trace",
    "compare",
    "compared_events",
    "expected_differences",
    "find_number",
    "format_value",
    "move_paths",
    "name_own_texts",
    "own_texts",
    "parse_script",
    "parse_trace",
    "play",
    "play_in_process",
    "play_on",
    "read_recorded_scenario",
    "read_recording",
    "read_scenario",
    "read_script",
    "read_trace",
    "record_command",
    "redact_trace",
    "replay",
    "schema_text",
    "write_recording",
]
