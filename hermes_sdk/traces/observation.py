"""Recordings of a host of the user: what was observed of a ``hermes …`` command, as what replays it."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hermes_sdk import contract
from hermes_sdk.errors import HermesSdkError
from hermes_sdk.home import Home
from hermes_sdk.hosts import observe_command
from hermes_sdk.hosts.interface.observation import Observed
from hermes_sdk.traces.recording import list_required_variables, make_recording
from hermes_sdk.traces.redaction import REDACTED, Redactor, list_secrets
from hermes_sdk.traces.trace import Event, Trace

_NEVER = 1 << 63
_SECTIONS = frozenset({"agent", "approvals", "compression", "context", "delegation", "memory", "tool_loop_guardrails"})
"""The sections of ``config.yaml`` that a replay takes over, beside those of plugins."""


def record_command(command: Sequence[str], path: Path, *, redact: Sequence[str] = ()) -> tuple[Trace, int]:
    """Run a ``hermes …`` command with this terminal and record it in memory.

    Args:
        command: The program and its arguments.
        path: The file of the recording, to which paths in it are relative.
        redact: Regular expressions of what else the recording must not hold.

    Returns:
        The recording and the exit status of the command.

    Raises:
        UsageError: There is no such program, or a pattern is not a regular expression.
        HermesSdkError: The command ran no host with plugins that could be observed.
    """
    redactor = Redactor(patterns=redact)
    observed = observe_command(command)
    if "host" not in observed.about:
        raise HermesSdkError(
            f"nothing was recorded: {command[0]} loaded no plugins in a Python that imports what PYTHONPATH names.",
            fix="Name the hermes program of the environment itself, such as ~/.hermes/hermes-agent/venv/bin/hermes.",
        )
    return _make(observed, path, redactor), observed.status


def _make(observed: Observed, path: Path, redactor: Redactor) -> Trace:
    host = observed.about["host"]
    home = Home(Path(host["home"]))
    events = _name_turns(_drop_background(observed.events))
    content = _make_content(observed.about, home, events, path.absolute().parent)
    required = list_required_variables(content, path.absolute(), events)
    variables = {**os.environ, **home.env}
    content["env"] = {name: REDACTED for name in sorted(required) if variables.get(name)}
    redactor.learn(home.config)
    redactor.add(list_secrets(variables, required))
    places = {
        str(path.absolute().parent): "<scenario>",
        str(Path.home()): "<tmp>/user",
        host["cwd"]: "<tmp>/cwd",
        host["home"]: "<home>",
    }
    real = {os.path.realpath(place): name for place, name in places.items()}
    return make_recording(
        events,
        content,
        {**real, **places},
        redactor,
        problems=[] if content["turns"] else ["nothing was said to the agent, so there is nothing to replay"],
        host="real",
        release=_find_release(host["release"]),
        scenario=path.name,
        observed=True,
    )


def _find_release(version: str) -> str:
    """Return the release of a version; that of a redistribution has more than three numbers."""
    short = re.match(r"\d+\.\d+\.\d+", version)
    return short[0] if short and contract.grade(short[0]) else version


def _drop_background(events: Sequence[Event]) -> list[Event]:
    """Drop what the host asks the model and does on its own, while nothing of a plugin runs and outside of turns."""
    around = [event for event in events if event["kind"] not in ("builtin_tool", "llm_request", "log", "register")]
    spans = [(event["t"], event.get("end", _NEVER)) for event in around]
    return [
        event
        for event in events
        if event["kind"] not in ("builtin_tool", "llm_request")
        or any(begin <= event["t"] <= end for begin, end in spans)
    ]


def _name_turns(events: Sequence[Event]) -> list[Event]:
    """Give the threads in which turns ran the name that they have in a replay, where the main thread takes turns."""
    threads = {event["thread"] for event in events if event["kind"] == "turn"}
    return [{**event, "thread": "MainThread"} if event["thread"] in threads else event for event in events]


def _make_content(about: Mapping[str, Any], home: Home, events: Sequence[Event], folder: Path) -> dict[str, Any]:
    plugins = [one for one in about["host"]["plugins"] if Path(one["path"]).is_dir()]
    names = {str(one["key"]) for one in plugins} | {Path(one["path"]).name for one in plugins}
    config = {key: value for key, value in home.config.items() if key in _SECTIONS | names}
    settings = home.config.get("plugins")
    if isinstance(settings, dict):
        kept = {key: value for key, value in settings.items() if key not in ("enabled", "disabled")}
        config |= {"plugins": kept} if kept else {}
    return {
        "plugins": [os.path.relpath(one["path"], folder) for one in plugins],
        "enable": [str(one["key"]) for one in plugins],
        **({"toolsets": about["toolsets"]} if about.get("toolsets") else {}),
        **({"config": config} if config else {}),
        "turns": [event["arguments"]["text"] for event in events if event["kind"] == "turn"],
    }
