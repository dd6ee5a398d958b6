"""Mutated traces are rejected with a location, or shown and converted to tests with their values as literals."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from random import Random

import pytest
from traces.generation import find_foreign
from traces.mutations import mutate

from hermes_sdk.cli.timeline_text import format_event, format_timeline, read_timeline
from hermes_sdk.errors import HermesSdkError, UsageError
from hermes_sdk.traces import Trace, parse_trace, play, read_trace, redact_trace
from hermes_sdk.traces.codegen import convert_recording
from hermes_sdk.traces.replay import compare_replay
from hermes_sdk.traces.timeline import render_page

SCENARIOS = Path(__file__).parents[1] / "conformance" / "scenarios"
NAMES = (
    "call_blocked",
    "context_injected",
    "gateway_two_chats",
    "memory_of_a_plugin",
    "several_hooks",
    "shell_hook",
    "two_calls_at_once",
    "usage_and_reasoning",
)
TRACES, PARTS = 2_000, 10


@pytest.fixture(scope="module")
def recordings() -> list[list[str]]:
    """Return the lines of recordings without the definitions of tools, which are the largest part."""
    traces = [play(SCENARIOS / f"{name}.yaml", record=True) for name in NAMES]
    for trace in traces:
        for event in trace.events:
            event.get("arguments", {}).pop("tools", None)
    return [[*trace.lines()] for trace in traces]


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, PARTS))])
def test_mutated_trace_is_rejected_or_shown_and_converted(
    seed: int, recordings: list[list[str]], tmp_path: Path
) -> None:
    random, file = Random(seed), tmp_path / "odd.trace"
    (tmp_path / "pyproject.toml").touch()
    pages, tests, places, codes = 0, 0, set[str](), set[int]()
    for _ in range(TRACES // PARTS):
        lines = random.choice(recordings)
        content = mutate(lines, random)
        file.write_bytes(content)
        try:
            trace = read_trace(file)
        except UsageError as error:
            places.add(error.where.partition(":")[0])
            continue
        assert "</html>" in render_page(redact_trace(trace), file.name)
        assert_text_is_short(redact_trace(trace))
        pages += 1
        assert compare_replay(trace, parse_trace("\n".join(lines), "it")).differences is not None
        try:
            source = convert_recording(file, tmp_path, allowed=[Path("/")])
        except HermesSdkError as error:
            codes.add(error.exit_code)
            continue
        assert find_foreign(source) == []
        tests += 1
    assert (places, codes) == ({str(file)}, {2})
    assert pages > TRACES // PARTS // 4
    assert tests > TRACES // PARTS // 8


def assert_text_is_short(trace: Trace) -> None:
    """Assert that the output of `hermes-sdk view --text` is short, for a whole trace and for its first event."""
    assert sum(map(len, format_timeline(trace))) < 40_000
    for event in trace.events[:1]:
        assert sum(map(len, format_event(read_timeline(trace), event["order"]))) < 20_000


CODE = '").clear(); open("through", "w"); turn.hooks.of("'


def test_name_of_hook_is_never_code(recordings: list[list[str]], tmp_path: Path) -> None:
    header, *events = map(json.loads, recordings[NAMES.index("context_injected")])
    hook = next(one for one in events if (one["kind"], one["name"]) == ("hook", "pre_llm_call"))
    hook |= {"name": CODE, "raised": "ValueError: no", "returned": {"context": "yes"}}
    file = tmp_path / "it.trace"
    file.write_text("\n".join(map(json.dumps, [header, *events])))
    source = convert_recording(file, tmp_path, allowed=[SCENARIOS.parents[2]])
    assert find_foreign(source) == []
    assert CODE in [node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant)]


@pytest.mark.parametrize("name", ["/etc/motd", "../out", "..", ".", "a/b", "a\\b", "a\x00b", "\ud800", "x" * 61])
def test_generated_test_writes_files_only_to_its_directory(
    name: str, recordings: list[list[str]], tmp_path: Path
) -> None:
    header, *events = map(json.loads, recordings[NAMES.index("shell_hook")])
    file = tmp_path / "it.trace"

    def convert(files: dict[str, str]) -> str:
        header["recording"]["files"] = files
        file.write_text("\n".join(map(json.dumps, [header, *events])))
        return convert_recording(file, tmp_path)

    assert '(tmp_path / "block.sh").write_text("#!/bin/sh")' in convert({"block.sh": "#!/bin/sh"})
    with pytest.raises(UsageError, match="is not a file name without directories") as caught:
        convert({name: "#!/bin/sh"})
    assert caught.value.where == f"{file}:1:1"
