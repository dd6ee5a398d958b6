"""Recordings: traces with the scenario that replays them."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from hermes_sdk import manifest
from hermes_sdk.documents import parse_json
from hermes_sdk.errors import UsageError
from hermes_sdk.files import write_file
from hermes_sdk.hosts.in_worker.http_requests import HTTP_ERRORS
from hermes_sdk.llm.script import DEFAULT_USAGE, STANDINS
from hermes_sdk.manifest import Parsed
from hermes_sdk.redaction import Redactor
from hermes_sdk.traces.boundary import Boundary
from hermes_sdk.traces.normalisation import replace_places
from hermes_sdk.traces.reader import read_trace
from hermes_sdk.traces.scenario import PATHS, Scenario, check_content, check_paths, list_plugins
from hermes_sdk.traces.trace import Event, Trace
from hermes_sdk.traces.trace_secrets import list_http_secrets, redact_request

UNREPLAYABLE = "cannot be replayed: "
"""The prefix of problems that prevent the replay of a recording."""

_IN_LOOP = frozenset({("builtin_tool", "memory"), ("builtin_tool", "session_search")})
"""Events that are dropped: the agent loop runs these tools itself, so their arguments differ between the hosts."""

_PROVIDED = {
    "image_generate": "register_image_gen_provider",
    "text_to_speech": "register_tts_provider",
    "video_generate": "register_video_gen_provider",
    "web_extract": "register_web_search_provider",
    "web_search": "register_web_search_provider",
}
"""Built-in tools that run in a replay if a plugin provides their function -> the registration of such a provider."""


def read_recording(path: Path) -> Trace:
    """Read a recording.

    Raises:
        UsageError: The file cannot be read, is not a trace, or cannot be replayed.
    """
    trace = read_trace(path)
    if trace.recording is None:
        raise UsageError(
            "the trace has no scenario to replay", where=str(path), fix="Make a recording with `hermes-sdk record`."
        )
    check_content(trace.recording, path)
    return trace


def read_recorded_scenario(trace: Trace, path: Path, allowed: Sequence[Path] = (), plugin: str = "") -> Scenario:
    """Return the scenario that replays a recording; see `read_scenario` for the arguments."""
    value = check_paths(Parsed(path, trace.recording), Boundary.of(path, allowed), None, plugin)
    return Scenario.of(value, path)


def write_recording(trace: Trace, path: Path) -> None:
    """Write a recording to a file atomically.

    Raises:
        UnavailableError: The file cannot be written.
    """
    write_file(path, "".join(f"{line}\n" for line in trace.lines()).encode("utf-8", "surrogatepass"))


def make_recording(
    events: Sequence[Event],
    content: Mapping[str, Any],
    places: Mapping[str, str],
    redactor: Redactor,
    *,
    problems: Sequence[str],
    **about: Any,
) -> Trace:
    """Create a recording from events; secrets are redacted before normalisation, which could change their text.

    Args:
        events: The value of `Host.events`.
        content: The content of the played scenario; see `make_scenario`.
        places: Path -> the name that replaces it.
        problems: The reasons why the run ended early.
        **about: The other attributes of the trace.
    """
    redactor.add(list_http_secrets(events))
    events = [redact_request(event) for event in events]
    replayed = make_scenario(content, events)
    redactor.learn(replayed, *events)
    trace = Trace.of(
        [redactor.value(event) for event in events if (event["kind"], event["name"]) not in _IN_LOOP],
        problems=tuple(map(redactor.text, problems)),
        recording=name_places(redactor.value(replayed), places),
        **about,
    )
    return trace.normalise(places)


def make_scenario(content: Mapping[str, Any], events: Iterable[Event]) -> dict[str, Any]:
    """Return the scenario that replays a run.

    Args:
        content: The content of the played scenario, with ``http_answers`` if HTTP requests were recorded.
        events: The recorded events, not normalised.
    """
    recorded = list(events)
    script = {lane: list_answers(recorded, lane) for lane in ("main", "aux")}
    kept = {key: value for key, value in content.items() if key != "script"}
    return {
        **kept,
        **({"http_answers": list_http_answers(recorded)} if "http_answers" in content else {}),
        "script": {lane: answers for lane, answers in script.items() if answers},
        "builtin_results": list_builtin_results(recorded),
    }


def name_places(value: Any, places: Mapping[str, str]) -> Any:
    """Replace paths anywhere in a value; `places` is a mapping such as ``{"/tmp/x": "<home>"}``."""
    if isinstance(value, str):
        return replace_places(value, places)
    if isinstance(value, dict):
        return {name_places(key, places): name_places(item, places) for key, item in value.items()}
    if isinstance(value, list):
        return [name_places(item, places) for item in value]
    return value


def list_required_variables(content: Mapping[str, Any], path: Path, events: Iterable[Event]) -> set[str]:
    """Return the variables that the plugins of a scenario require in their manifests or for their tools."""
    of_tools = [manifest.read_required(event["arguments"]) for event in events if event["kind"] == "register"]
    found = {name for names in of_tools for name in names}
    for plugin in list_plugins(content, path):
        with contextlib.suppress(UsageError, OSError):
            found |= manifest.required_variables(plugin.locate()).keys()
    return found


def move_paths(content: Mapping[str, Any], source: Path, target: Path) -> dict[str, Any]:
    """Return a scenario whose paths are relative to another directory.

    Args:
        source: The old base directory.
        target: The new base directory.
    """

    def move(item: str | Mapping[str, str]) -> str | dict[str, str]:
        if isinstance(item, str):
            return os.path.relpath(source.absolute() / item, target.absolute())
        return {**item, "path": os.path.relpath(source.absolute() / item["path"], target.absolute())}

    return {**content, **{key: [*map(move, content[key])] for key in PATHS if key in content}}


def list_answers(events: Iterable[Event], lane: str) -> list[dict[str, Any]]:
    """Return the model's answers in a lane, in the form of a scenario, without fields that a scripted model adds."""
    requests = [event for event in events if (event["kind"], event["name"]) == ("llm_request", lane)]
    return [
        _answer(event["returned"], f"call_{lane}{number}_")
        for number, event in enumerate(requests)
        if "returned" in event and event["returned"]["text"] not in STANDINS
    ]


def _answer(returned: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    if returned.get("interrupts"):
        return {"interrupt": True}
    if returned.get("status") is not None:
        return {"status": returned["status"], "error": returned["error"]}
    given = {key: returned[key] for key in ("text", "reasoning", "usage", "finish_reason") if returned.get(key)}
    calls = [_call(call, f"{prefix}{number}") for number, call in enumerate(returned["tool_calls"])]
    if given.get("usage") == DEFAULT_USAGE:
        del given["usage"]
    if given.get("finish_reason") == ("tool_calls" if calls else "stop"):
        del given["finish_reason"]
    return {**given, **({"tool_calls": calls} if calls else {})} or {"text": ""}


def _call(call: Mapping[str, Any], default: str) -> dict[str, Any]:
    """Return a tool call in the form of a scenario; arguments become a mapping if that preserves their JSON text."""
    text = call["arguments"]
    with contextlib.suppress(ValueError):
        args = parse_json(text)
        if isinstance(args, dict) and json.dumps(args) == text:
            text = args
    return {"name": call["name"], "args": text, **({"id": call["id"]} if call["id"] not in (None, default) else {})}


def list_http_answers(events: Iterable[Event]) -> list[dict[str, Any]]:
    """Return the answers to HTTP requests of plugins, in the form of a scenario, except for unfinished requests."""
    requests = [event for event in events if event["kind"] == "http_request"]
    return [_http_answer(event) for event in requests if "returned" in event or event.get("raised") in HTTP_ERRORS]


def _http_answer(event: Event) -> dict[str, Any]:
    given = event["arguments"]
    sent = {"sent": given["body"]} if given["body"] else {}
    got = event["returned"] if "returned" in event else {"error": event["raised"]}
    return {"method": given["method"], "url": given["url"], **sent, **{key: one for key, one in got.items() if one}}


def list_builtin_results(events: Sequence[Event]) -> list[dict[str, Any]]:
    """Return the results of built-in tools, in the form of a scenario."""
    registered = {event["name"] for event in events if event["kind"] == "register"}
    printed = [event for event in events if (event["kind"], event["name"]) == ("hook", "transform_terminal_output")]
    return [_builtin_result(event, registered, printed) for event in events if event["kind"] == "builtin_tool"]


def _builtin_result(event: Event, registered: set[str], printed: Sequence[Event]) -> dict[str, Any]:
    args = event["arguments"].get("args")
    call = {"tool": event["name"], "args": args if isinstance(args, dict) else {}}
    if _PROVIDED.get(event["name"]) in registered or "returned" not in event:
        return call
    outputs = [one["arguments"].get("output") for one in printed if event["t"] <= one["t"] <= event["end"]]
    of_command = event["name"] == "terminal" and bool(outputs) and isinstance(event["returned"], str)
    return {**call, "result": event["returned"], **({"output": outputs[0]} if of_command else {})}
