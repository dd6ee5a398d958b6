"""Self-recording plugins from a folder outside this repository, on both hosts.

The variable HERMES_SDK_ORACLE is its path. The folder contains ``run_scenario.py`` with a mapping ``S`` of scenarios,
``plugins`` that record their calls in the file named by PROBE_TRACE, ``lib`` with modules that they import, and
``golden`` and ``golden-<release>`` with recordings of the real host.
"""

import importlib.util
import json
import os
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from conformance.case import without_handlers
from conformance.test_scenarios import RELEASES, format_differences
from conformance.whole_turns import name_catalogue, with_question

from hermes_sdk.hosts.interface import HostKind
from hermes_sdk.traces import Scenario, Trace, compare, play_in_process
from hermes_sdk.traces.normalisation import thread_name

FOLDER = os.environ.get("HERMES_SDK_ORACLE")
pytestmark = pytest.mark.skipif(FOLDER is None, reason="HERMES_SDK_ORACLE names no folder with recordings of the host")

TURNS = (
    "a_plain",
    "b_one_tool",
    "c_parallel",
    "d_tool_raises",
    "d2_tool_return_types",
    "e_pre_tool_block",
    "f_pre_llm_inject",
    "h_ctx_llm",
    "j_memory",
    "k_context_engine",
    "n_async_tool",
    "o_skill_view",
    "p_api_error_retry",
    "s_delegate",
    "u_approve_escalation",
    "v_cli_api_slash",
)

GATEWAYS = (
    "gw_approval",
    "gw_approval_smart",
    "gw_basic",
    "gw_dispatch_skip",
    "gw_process",
    "gw_transform",
    "gw_unauthorized",
)

# These counts include the system prompt, which differs between hosts.
_BY_LENGTH = ("current_tokens", "prompt_tokens")

# Calls that the scripts of the folder cause, and typing notifications, whose number is random.
_NOT_COMPARED = ("inbound", "ready", "send_typing")

# Scenarios to play only on the real host, because they are not modelled, or other tests show the behaviour.
REAL_ONLY = {
    "b_cli_Q": "a process of its own: hermes chat -Q",
    "b_cli_q": "a process of its own: hermes chat -q",
    "b_cli_z": "a process of its own: hermes -z",
    "i_cli_shell_hook": "a process of its own: hermes chat with shell hooks",
    "v_pty_repl": "a chat at a terminal",
    "x_kanban": "the board of tasks",
    "z_cli_command": "a process of its own: a plugin's CLI command",
}


@pytest.fixture(scope="module")
def oracle() -> ModuleType:
    """Return the module ``run_scenario.py`` of the folder."""
    assert FOLDER is not None
    sys.path.insert(0, FOLDER)
    try:
        spec = importlib.util.spec_from_file_location("oracle_run_scenario", Path(FOLDER, "run_scenario.py"))
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(FOLDER)
    return module


def scenario(described: Mapping[str, Any], written: Path) -> Scenario:
    """Convert a scenario of the folder, without its terminal input."""
    assert FOLDER is not None
    value = {
        "plugins": [f"plugins/{name}" for name in described.get("plugins", ["probe"])],
        "toolsets": described.get("toolsets", ["probe"]),
        "config": described.get("config", {}),
        "env": {"PROBE_TRACE": str(written), "PROBE_CFG": json.dumps(described.get("probe", {}))},
        "pythonpath": ["lib"],
        "stateless": described.get("stateless", False),
    }
    said = written_to_a_gateway(described) if "messages" in described else said_to_an_agent(described)
    value["env"] |= said.pop("env", {})
    value["script"] = {"main": list(map(answer, said.pop("main"))), "aux": list(map(answer, described.get("aux", [])))}
    return Scenario.of({**value, **said}, Path(FOLDER, "scenario.yaml"))


def said_to_an_agent(described: Mapping[str, Any]) -> dict[str, Any]:
    turns = [turn for turn in described["turns"] if turn != "/probe inject"]
    return {"turns": turns, "main": described.get("main", [])[len(described["turns"]) - len(turns) :]}


def written_to_a_gateway(described: Mapping[str, Any]) -> dict[str, Any]:
    known = {"chat_id": "c1", "chat_name": "chat", "user_name": "User One", "message_id": "m1"}
    return {
        "mode": "gateway",
        "plugins": ["plugins/probe", "plugins/probeplat"],
        "gateway_hooks": ["hooks/probehook"],
        "messages": [{**known, **message} for message in described["messages"]],
        "main": described["main"],
        "env": {"PROBEPLAT_ALLOW_ALL_USERS": "true", **described.get("env", {})},
    }


def answer(step: Mapping[str, Any]) -> dict[str, Any]:
    return {"text" if key == "content" else key: value for key, value in step.items()}


def play(described: Mapping[str, Any], kind: HostKind, release: str, folder: Path) -> Trace:
    """Play a scenario on a host, and return the records of the plugin as a trace."""
    written = folder / f"{kind}.jsonl"
    with without_handlers():
        played = with_question(scenario(described, written), kind, release)
        problems = play_in_process(played, kind, release).problems
    assert problems == ()
    text = re.sub(r"(?:/[\w.-]+)*/hermes-home-\w+", "<home>", written.read_text(encoding="utf-8"))
    events = [event for event in map(json.loads, text.splitlines()) if event["name"] not in _NOT_COMPARED]
    trace = Trace.of([_event(event) for event in events], host=kind, release=release, scenario="")
    return name_catalogue(trace.normalise({}), release)


def _event(event: dict[str, Any]) -> dict[str, Any]:
    about = {key: event.pop(key) for key in ("t", "kind", "name", "thread")}
    counts = _BY_LENGTH if about["kind"] == "ctx_engine" else ()
    arguments = {key: value for key, value in event.items() if key not in counts}
    return {**about, "end": about["t"], "arguments": arguments}


@pytest.mark.real_host
@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("name", TURNS + GATEWAYS)
def test_plugin_records_are_equal_on_both_hosts(
    name: str, release: str, tmp_path: Path, oracle: ModuleType, real_python
) -> None:
    real_python(release)
    embedded, real = (play(oracle.S[name], kind, release, tmp_path) for kind in ("embedded", "real"))
    assert format_differences(compare(embedded, real)) == ""


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("name", [name for name in TURNS + GATEWAYS if name != "v_cli_api_slash"])
def test_events_and_arguments_match_the_recording(name: str, release: str, tmp_path: Path, oracle: ModuleType) -> None:
    assert FOLDER is not None
    golden = Path(FOLDER, "golden" if release == "0.19.0" else f"golden-{release}", f"{name}.json")
    if not golden.exists():
        pytest.skip(f"{name} was not recorded on {release}")
    recorded = json.loads(golden.read_text(encoding="utf-8"))["events"]
    expected = [event for event in recorded if event["src"] == "host" and event["kind"] != "driver"]
    events = play(oracle.S[name], "embedded", release, tmp_path).events
    found = [{**one, **one["arguments"]} for one in events]
    assert _lanes(found) == _lanes(event for event in expected if event["name"] not in _NOT_COMPARED)


# A recorded gateway ran in the main thread; a `hermes` command discovers plugins in a separate thread.
_THREADS = {"gateway": "MainThread", "plugin-discovery": "MainThread"}


def _lanes(events: Iterable[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Return the events of each thread."""
    lanes: dict[str, list[Any]] = {}
    for event in events:
        thread = _THREADS.get(event["thread"], thread_name(event["thread"]))
        lanes.setdefault(thread, []).append((event["kind"], event["name"], event.get("kwargs_keys")))
    return lanes


@pytest.mark.slow
@pytest.mark.real_host
@pytest.mark.parametrize("name", REAL_ONLY)
def test_real_host_scenarios_match_the_recording(name: str, tmp_path: Path, oracle: ModuleType, real_python) -> None:
    assert FOLDER is not None
    golden = json.loads(Path(FOLDER, "golden", f"{name}.json").read_text(encoding="utf-8"))
    python = with_hermes(real_python("0.19.0"), tmp_path)
    played = json.loads(json.dumps(oracle.normalise(oracle.run(name, str(python)))))
    assert [_describe(event) for event in played["events"]] == [_describe(event) for event in golden["events"]]


def with_hermes(python: Path, folder: Path) -> Path:
    """Return an interpreter with the program ``hermes`` next to it, because our environments lack that program."""
    scripts = {
        "python": f'#!/bin/sh\nexec {python} "$@"\n',
        "hermes": f"#!{python}\nimport sys\nfrom hermes_cli.main import main\nsys.exit(main())\n",
    }
    for name, text in scripts.items():
        (folder / name).write_text(text, encoding="utf-8")
        (folder / name).chmod(0o755)
    return folder / "python"


def _describe(event: Mapping[str, Any]) -> tuple[Any, ...]:
    return event["kind"], event.get("name"), event.get("kwargs_keys")
