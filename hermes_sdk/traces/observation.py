"""Recordings of the user's host: conversion of an observed ``hermes …`` command to a scenario that replays it."""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from hermes_sdk import contract
from hermes_sdk.contract.sources import find_version
from hermes_sdk.errors import HermesSdkError, UsageError
from hermes_sdk.home import Home, parse_config
from hermes_sdk.hosts import observe_command
from hermes_sdk.hosts.interface.values import Observed
from hermes_sdk.manifest import locate
from hermes_sdk.redaction import REDACTED, Redactor, list_secrets, list_stored_secrets
from hermes_sdk.traces import observed_gateway
from hermes_sdk.traces.recording import UNREPLAYABLE, list_required_variables, make_recording
from hermes_sdk.traces.scenario import refer_to
from hermes_sdk.traces.trace import Event, Trace

_NEVER = 1 << 63
_APART = frozenset({"builtin_tool", "http_request", "llm_request", "log", "message", "register"})
"""Kinds of events that are not calls of a plugin."""

_OF_AGENT = frozenset({"context_engine", "memory"})
"""Kinds of events during the creation of an agent."""

_SECTIONS = frozenset(
    {"agent", "approvals", "compression", "context", "delegation", "memory", "tool_loop_guardrails", "tools"}
)
"""The sections of ``config.yaml`` that a replay uses in addition to those of plugins."""

_OF_PROGRAMS = {"browser": "browser_", "computer_use": "computer_use"}
"""Toolsets that need programs, which the machine of a replay may lack -> the prefix of their tools' names."""

_OF_PLUGIN = re.compile(r"\b[Pp]lugin '(?P<name>[^']+)'")
"""Matches the name of a plugin in messages of the host."""

_OF_MCP = "mcp_"
"""The prefix of the names of MCP servers' tools."""

_CHANGES_SESSION = frozenset(
    {
        "branch",
        "compress",
        "handoff",
        "import",
        "model",
        "moa",
        "personality",
        "prompt",
        "reload",
        "resume",
        "retry",
        "rollback",
        "snapshot",
        "steer",
        "undo",
    }
)
"""Commands of the host that change the behaviour of the agent and that a scenario cannot express."""


def record_command(
    command: Sequence[str],
    path: Path,
    *,
    python: Path | None = None,
    redact: Sequence[str] = (),
    http: bool = False,
    data: bool = True,
) -> tuple[Trace, int]:
    """Run a ``hermes …`` command in this terminal and record it in memory.

    Args:
        command: The program and its arguments; with `python`, only the arguments of Hermes.
        path: The file of the recording; paths in it are relative to its directory.
        python: The Python of the Hermes to run.
        redact: Regular expressions of additional texts to redact.
        http: Whether to also record the HTTP requests of plugins.
        data: Whether to include the files that plugins stored before the session.

    Returns:
        The recording and the exit status of the command.

    Raises:
        UsageError: The program does not exist, or a pattern is not a valid regular expression.
        HermesSdkError: The command did not run a host with plugins.
    """
    redactor = Redactor(patterns=redact)
    observed = observe_command(command, python=python, http=http)
    if "host" not in observed.about:
        raise HermesSdkError(
            f"nothing was recorded: {command[0]} did not load Hermes plugins in a Python process that could be "
            "observed.",
            fix="Name the Python of your Hermes: hermes-sdk record --python PATH … -- chat",
        )
    return _make(observed, path, redactor, http=http, data=data), observed.status


def _make(observed: Observed, path: Path, redactor: Redactor, *, http: bool, data: bool) -> Trace:
    host = observed.about["host"]
    home = Home(Path(host["home"]))
    config, _ = parse_config(host["config"])
    loaded = map(_join_discovery, observed.events)
    seen = _drop_background(_drop_unplayed_hooks(_drop_bundled(loaded, {*host["bundled"]})))
    events = observed_gateway.convert_events(seen) if observed_gateway.is_gateway(seen) else _name_turns(seen)
    content, problems = _make_content(observed.about, config, seen, path.absolute().parent)
    variables = {**os.environ, **home.env}
    content |= {"http_answers": []} if http else {}
    content |= _choose_data(host["data"], wanted=data)
    access = observed_gateway.Access(seen, variables)
    problems += access.find_obstacles()
    required = list_required_variables(content, path.absolute(), events) - access.variables.keys()
    content["env"] = {**{name: REDACTED for name in sorted(required) if variables.get(name)}, **access.variables}
    redactor.learn(home.config, config)
    redactor.add(list_secrets(variables, required))
    redactor.add(list_stored_secrets(home.env, required))
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
        problems=[*observed.problems, *(f"{UNREPLAYABLE}{one}" for one in problems)],
        host="real",
        release=_find_release(host["release"]),
        scenario=path.name,
        observed=True,
    )


def _find_release(version: str) -> str:
    """Return the release of a version; a redistribution has more than three numbers, or is in `sources.toml`."""
    if release := find_version(version):
        return release
    short = re.match(r"\d+\.\d+\.\d+", version)
    return short[0] if short and contract.grade(short[0]) else version


def _join_discovery(event: Event) -> Event:
    """Assign events during plugin discovery to the main thread, as in a replay; 0.22.2 uses another thread."""
    return {**event, "thread": "MainThread"} if event["thread"] == "plugin-discovery" else event


def _drop_bundled(events: Iterable[Event], bundled: Container[str]) -> list[Event]:
    """Drop log messages about the host's bundled plugins, such as failures to load, because a replay lacks them."""
    return [
        event
        for event in events
        if event["kind"] != "log"
        or (found := _OF_PLUGIN.search(event["message"])) is None
        or found["name"] not in bundled
    ]


def _drop_unplayed_hooks(events: Iterable[Event]) -> list[Event]:
    """Drop hooks about requests for a title, and about commands of the host in a terminal: a replay has neither."""

    def is_played(event: Event) -> bool:
        is_title = event["arguments"].get("aux_task") == "title_generation"
        return not is_title and (event["name"], event["arguments"].get("surface")) != ("pre_command", "cli")

    return [event for event in events if event["kind"] != "hook" or is_played(event)]


def _drop_background(events: Sequence[Event]) -> list[Event]:
    """Drop the host's own background work: its events outside of turns while no plugin code runs."""
    around = [event for event in events if event["kind"] not in _APART]
    spans = [(event["t"], event.get("end", _NEVER)) for event in around]
    return [
        event
        for event in events
        if event["kind"] not in ("builtin_tool", "llm_request")
        or any(begin <= event["t"] <= end for begin, end in spans)
    ]


def _name_turns(events: Sequence[Event]) -> list[Event]:
    """Assign turns to the main thread, which runs them in a replay.

    A turn also begins before its agent is created, as in a replay; the user's host creates the agent earlier.
    """
    threads = {event["thread"] for event in events if event["kind"] == "turn"}
    named: list[Event] = []
    created, end = None, 0
    for event in events:
        changed = {"thread": "MainThread"} if event["thread"] in threads else {}
        if event["kind"] == "turn":
            changed |= {"t": created - 1} if created else {}
            created, end = None, event.get("end", _NEVER)
        elif event["kind"] in _OF_AGENT and event["t"] > end:
            created = created or event["t"]
        named.append({**event, **changed})
    return sorted(named, key=lambda event: event["t"])


def _make_content(
    about: Mapping[str, Any], settings: Mapping[str, Any], events: Sequence[Event], folder: Path
) -> tuple[dict[str, Any], list[str]]:
    """Return the scenario without its script, and the reasons why it cannot be replayed."""
    plugins = [one for one in about["host"]["plugins"] if one["enabled"] or _is_chosen(one, settings)]
    items = {str(one["key"]): item for one in plugins if (item := _refer_to(one, folder))}
    names = items.keys() | {Path(one["path"]).name for one in plugins if str(one["key"]) in items}
    content: dict[str, Any] = {"plugins": [*items.values()], "enable": [*items], "defaults": True}
    missing = _find_missing_programs(events)
    chosen = next(iter(about.get("toolsets", {}).values()), None)
    if toolsets := [str(one) for one in chosen or () if one not in missing]:
        content["toolsets"] = toolsets
    config = {key: value for key, value in settings.items() if key in _SECTIONS | names}
    if model := _describe_model(about):
        config["model"] = model
    if observed_gateway.is_gateway(events):
        more, problems = observed_gateway.make_content(events, Path(about["host"]["home"]), folder)
        config |= observed_gateway.choose_settings(settings, events)
        if missing:  # Disable the missing toolsets, because the only toolset of a platform contains their tools.
            agent = config.get("agent") or {}
            config["agent"] = {**agent, "disabled_toolsets": [*(agent.get("disabled_toolsets") or ()), *missing]}
    else:
        more = {"turns": [one["arguments"]["text"] for one in events if one["kind"] == "turn"]}
        problems = list(find_terminal_obstacles(about.get("typed", ()), events))
    of_plugins = settings.get("plugins")
    if isinstance(of_plugins, dict):
        kept = {key: value for key, value in of_plugins.items() if key not in ("enabled", "disabled")}
        config |= {"plugins": kept} if kept else {}
    if config:
        content["config"] = config
    if not more.get("turns") and not more.get("messages"):
        problems.append("the agent received no message.")
    return {**content, **more}, [*_find_missing_plugins(plugins), *find_foreign_parts(events), *problems]


def _find_missing_programs(events: Sequence[Event]) -> list[str]:
    """Return the toolsets whose tools are not offered, because the user's machine lacks their programs."""
    offered = json.dumps([one["arguments"].get("tools") for one in events if one["kind"] == "llm_request"])
    return [toolset for toolset, prefix in _OF_PROGRAMS.items() if prefix not in offered]


def _choose_data(files: Mapping[str, str | None], *, wanted: bool) -> dict[str, Any]:
    """Return the scenario's keys with the stored files of plugins, and with the names of omitted files."""
    kept = {name: text for name, text in files.items() if wanted and text is not None}
    left_out = [name for name in files if name not in kept]
    return {**({"data": kept} if kept else {}), **({"data_left_out": left_out} if left_out else {})}


def _describe_model(about: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings with the model of a session and its context length; empty if there were no requests."""
    model = about.get("model", {})
    named = {"default": model.get("name"), "context_length": model.get("context_length")}
    return {key: value for key, value in named.items() if value}


def _is_chosen(plugin: Mapping[str, Any], settings: Mapping[str, Any]) -> bool:
    """Return whether the settings select a plugin that the host did not load, or loads later as a memory provider."""
    of_plugins, memory = settings.get("plugins"), settings.get("memory")
    of_plugins, memory = (one if isinstance(one, dict) else {} for one in (of_plugins, memory))
    names = {plugin["key"], plugin["name"]}
    if names & {*map(str, of_plugins.get("disabled") or ())}:
        return False
    chosen = {*map(str, of_plugins.get("enabled") or ()), memory.get("provider")}
    return bool({*names, Path(plugin["path"]).name} & chosen)


def _refer_to(plugin: Mapping[str, Any], folder: Path) -> str | dict[str, str] | None:
    """Return the item of ``plugins`` that refers to a plugin: its directory, or its package in a project."""
    if plugin["source"] != "entrypoint":
        return os.path.relpath(_follow_link(plugin), folder)
    with contextlib.suppress(UsageError):
        located = locate(Path(plugin["project"]), "package", plugin["name"]) if plugin["project"] else None
        if located and located.entry_point == (plugin["name"], plugin["path"]):
            return refer_to(located, folder)
    return None


def _follow_link(plugin: Mapping[str, Any]) -> str:
    """Return the directory of a plugin after following a link from the home to a project."""
    path = str(plugin["path"])
    directory = os.path.realpath(path)
    with contextlib.suppress(UsageError):
        if locate(Path(directory), "directory").name == plugin["name"]:
            return directory
    return path


def _find_missing_plugins(plugins: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield obstacles: plugins that a replay does not have, or that differ from those of the session."""
    for one in plugins:
        if _refer_to(one, Path()) is None:
            yield (
                f"the plugin {one['key']} is installed as a package, but a replay needs its project. Install the "
                "project with `pip install --editable`, or its directory with `hermes-sdk plugins install --link`, "
                "and record again."
            )
        elif one["spoilt"]:
            yield (
                f"Hermes failed to load the plugin {one['key']}, because it was importing its own modules at the "
                "same time. Record again."
            )


def find_foreign_parts(events: Sequence[Event]) -> Iterator[str]:
    """Yield obstacles: parts of a session that a replay does not support, and what to do instead."""
    asked = [event for event in events if event["kind"] == "llm_request" or event["name"] == "llm_execution"]
    turns = [event for event in events if (event["kind"], event["name"]) == ("turn", "chat")]
    for number, turn in enumerate(turns, 1):
        if turn.get("returned") and not any(turn["t"] < one["t"] < turn.get("end", _NEVER) for one in asked):
            yield (
                f"turn {number} has no request to a model with an OpenAI-compatible API, which a replay needs. "
                "Record a session with such a model."
            )
        if any(_is_partial(one) for one in asked if turn["t"] < one["t"] < turn.get("end", _NEVER)):
            yield (
                f"turn {number} was stopped in the middle of the model's answer, but a replay supports only complete "
                "answers. Record a session in which the agent is stopped before the model answers, or not at all."
            )
    requests = [event["arguments"] for event in asked if event["kind"] == "llm_request"]
    offered = {str(tool["function"]["name"]) for one in requests for tool in one.get("tools") or ()}
    if mcp := sorted(name for name in offered if name.startswith(_OF_MCP)):
        yield (
            f"the agent has tools of MCP servers, such as {mcp[0]}, which a replay does not support. Record a session"
            " without `mcp_servers` in `config.yaml`."
        )


def _is_partial(request: Event) -> bool:
    """Return whether an answer was interrupted after its beginning."""
    answer = request.get("returned") if request["kind"] == "llm_request" else None
    return bool(answer and answer["interrupts"] and (answer["text"] or answer["tool_calls"] or answer["reasoning"]))


def find_terminal_obstacles(typed: Sequence[str], events: Sequence[Event]) -> Iterator[str]:
    """Yield the reasons why a session in a terminal cannot be replayed, and what to do instead."""
    for name in dict.fromkeys(typed):
        if name in _CHANGES_SESSION:
            yield f"`/{name}` changed the session, which a replay does not support. Record a session without it."
    asked = [event["arguments"] for event in events if event["name"] == "pre_approval_request"]
    if any(one.get("surface") == "cli" for one in asked):
        yield (
            "Hermes asked for approval in the terminal, which a plugin observed; in a replay, nobody answers. Record"
            " the session in a gateway, or with `approvals: {mode: off}`."
        )
    if observed_gateway.continues_session(events):
        yield "the session continues an earlier one. Record a new one."
