"""Strategies for what is played: a few plugins, and a session, a gateway, calls, or only the look at a plugin."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from fuzz.plugins import JSON, PLATFORM, WILD_TEXTS, WORDS, Plugin, plugins
from hypothesis import strategies as st

from hermes_sdk import contract

KINDS = tuple(f"{nature}{what}" for nature in ("", "wild ") for what in ("session", "gateway", "calls", "show"))
"""The kinds of examples; those without ``wild`` are ordinary."""

BUILTINS: Mapping[str, Sequence[tuple[str, Mapping[str, Any]]]] = {
    "todo": [("todo", {"todos": [{"id": "1", "content": "c", "status": "pending"}]}), ("todo", {})],
    "file": [
        ("write_file", {"path": "a.txt", "content": "one\ntwo\n"}),
        ("read_file", {"path": "a.txt"}),
        ("patch", {"path": "a.txt", "old_string": "one", "new_string": "1"}),
    ],
    "terminal": [("terminal", {"command": "echo hi"}), ("terminal", {"command": "exit 3"})],
    "memory": [("memory", {"action": "add", "target": "memory", "content": "c"})],
    "clarify": [("clarify", {"question": "q", "choices": ["a", "b"]})],
    "delegation": [("delegate_task", {"goal": "g"})],
}
"""Toolset -> calls of its tools."""

SETTINGS = [{"agent": {"max_turns": 2}}, {"memory": {"memory_enabled": False}}, {"agent": {"api_max_retries": 1}}]
WILD_SETTINGS = [
    {"agent": {"disabled_toolsets": ["kit"]}},
    {"agent": {"max_turns": "x"}},
    {"tools": {"tool_search": {"enabled": "on"}}},
    {"approvals": {"mode": "off"}},
    {"model": {"context_length": 9000}},
    {"plugins": {"disabled": ["p"]}},
]
SPARE = tuple({"text": f"spare {number}"} for number in range(4))
"""Answers at the end of a script, for requests that plugins cause."""


@dataclass(frozen=True)
class Example:
    """What is played on both hosts.

    Attributes:
        kind: One of `KINDS`.
        plugins: The plugins; the directory of each has its name.
        content: The further keys of the scenario, or ``calls``: the name of a method of the host, and its arguments.
    """

    kind: str
    plugins: tuple[Plugin, ...]
    content: Mapping[str, Any]

    @property
    def digest(self) -> str:
        """A name for the example."""
        parts = [self.kind, self.content, *(one.files for one in self.plugins)]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:8]

    def write(self, folder: Path) -> Path:
        """Write it as a scenario with its plugins beside it, and return the scenario."""
        for one in self.plugins:
            (folder / one.name).mkdir(parents=True)
            for name, text in one.files.items():
                (folder / one.name / name).write_text(text, encoding="utf-8")
        path = folder / ("calls.yaml" if "calls" in self.content else "scenario.yaml")
        content = {"plugins": [one.name for one in self.plugins], **self.content}
        path.write_text(yaml.safe_dump(content, allow_unicode=True, sort_keys=False), encoding="utf-8")
        return path

    def trim(self, asked: int) -> Example:
        """Leave out the spare answers after the number that the model was asked for."""
        script = self.content.get("script")
        if not script:
            return self
        kept = [one for number, one in enumerate(script["main"]) if number < asked or one not in SPARE]
        return Example(self.kind, self.plugins, {**self.content, "script": {**script, "main": kept}})


def examples(kind: str, release: str) -> st.SearchStrategy[Example]:
    """The examples of a kind."""
    wild, what = kind.startswith("wild "), kind.removeprefix("wild ")
    make = {"session": sessions, "gateway": gateways, "calls": calls, "show": shows}[what]
    return make(kind, release, wild)


@st.composite
def arguments(draw: st.DrawFn, parameters: Any, wild: bool) -> dict[str, Any]:
    """The arguments of a call; the types of ordinary ones match the schema, or nearly."""
    if wild and draw(st.booleans()):
        return draw(st.dictionaries(WORDS, JSON, max_size=3))
    properties = parameters.get("properties", {}) if isinstance(parameters, dict) else {}
    given: dict[str, Any] = {}
    for name, one in properties.items() if isinstance(properties, dict) else ():
        kind = one.get("type") if isinstance(one, dict) else None
        by_type: Mapping[Any, st.SearchStrategy[Any]] = {
            "integer": st.sampled_from([1, "2", "x"]),
            "number": st.sampled_from([1.5, 2, "2.5"]),
            "boolean": st.sampled_from([True, "false"]),
            "array": st.sampled_from([[1, 2], ["a"], "[1]"]),
            "object": st.sampled_from([{"a": 1}, '{"a": 1}']),
        }
        values = by_type.get(kind, WORDS) if isinstance(kind, str) else WORDS
        given[name] = draw(values | JSON if wild else values)
    return given


@st.composite
def tool_calls(draw: st.DrawFn, tools: Mapping[str, Any], toolsets: Sequence[str], wild: bool) -> dict[str, Any]:
    """A call that the model asks for."""
    known = [(name, dict(args)) for toolset in toolsets for name, args in BUILTINS.get(toolset, ())]
    own = [(name, None) for name in tools]
    name, args = draw(st.sampled_from([*own, *known, *([("no_such_tool", {})] if wild else [])]))
    given: Any = draw(arguments(tools[name], wild)) if args is None else args
    if wild and draw(st.sampled_from([False] * 6 + [True])):
        given = draw(st.sampled_from(["", "{", "[1]", '{"text": "cut', "null"]))
    return {"name": name, "args": given}


@st.composite
def answers(draw: st.DrawFn, tools: Mapping[str, Any], toolsets: Sequence[str], wild: bool) -> list[dict[str, Any]]:
    """What the model answers in one turn: calls of tools, and then a text."""
    callable_tools = bool(tools) or any(name in BUILTINS for name in toolsets) or wild
    script: list[dict[str, Any]] = []
    for _ in range(draw(st.integers(0, 3)) if callable_tools else 0):
        asked = draw(st.lists(tool_calls(tools, toolsets, wild), min_size=1, max_size=2))
        text = {"text": "let me see"} if draw(st.sampled_from([False] * 4 + [True])) else {}
        script.append({**text, "tool_calls": asked})
    last: list[dict[str, Any]] = [{"text": "fine"}, {"text": "fine", "reasoning": "thought"}]
    if wild:
        last += [
            {"text": ""},
            {"status": 500, "error": "bad"},
            {"status": 400, "error": "no"},
            {"status": 429, "error": "slow"},
            {"text": "cut", "finish_reason": "length"},
            {"text": "fine", "usage": {"prompt_tokens": 190_000, "completion_tokens": 10}},
        ]
    return [*script, draw(st.sampled_from(last)) if not wild else draw(st.sampled_from(last) | _texts(wild))]


def _texts(wild: bool) -> st.SearchStrategy[dict[str, Any]]:
    return (WILD_TEXTS if wild else WORDS).map(lambda text: {"text": text})


@st.composite
def _played(draw: st.DrawFn, release: str, wild: bool, platform: bool) -> tuple[tuple[Plugin, ...], dict[str, Any]]:
    """Plugins, with the settings, the toolsets and the script of two turns."""
    always = (PLATFORM,) if platform else ()
    made = [draw(plugins("p", release, wild=wild, always=always))]
    if draw(st.sampled_from([False] * 3 + [True])):
        made.append(draw(plugins("q", release, wild=wild)))
    content: dict[str, Any] = {}
    config: dict[str, Any] = {}
    for part in made[0].parts:
        config.update(part.config)
    if draw(st.sampled_from([False] * 4 + [True])):
        for key, value in draw(st.sampled_from(SETTINGS + WILD_SETTINGS * wild)).items():
            config[key] = {**config.get(key, {}), **value}
    if config:
        content["config"] = config
    toolsets: list[str] = []
    if draw(st.sampled_from([False] * 2 + [True])):
        known = ["todo", "file", "terminal", "memory", *(["clarify", "delegation", "nope", "web"] if wild else [])]
        toolsets = ["kit", draw(st.sampled_from(known))]
        content["toolsets"] = toolsets
    tools = {name: one for plugin in made for name, one in plugin.tools.items()}
    script = [one for _ in range(2) for one in draw(answers(tools, toolsets, wild))]
    content["script"] = {"main": [*script, *SPARE]}
    return tuple(made), content


def _typed(made: Sequence[Plugin]) -> list[str]:
    return [f"/{name} it" for plugin in made for part in plugin.parts for name in part.commands]


@st.composite
def sessions(draw: st.DrawFn, kind: str, release: str, wild: bool) -> Example:
    """A conversation with the agent."""
    made, content = draw(_played(release, wild, platform=False))
    said = st.sampled_from(["hello", "and now", "/new", *_typed(made)])
    turns = draw(
        st.lists(said | WILD_TEXTS.filter(lambda text: not text.startswith("/")) if wild else said, max_size=2)
    )
    return Example(kind, made, {"turns": ["hello", *turns], **content})


@st.composite
def gateways(draw: st.DrawFn, kind: str, release: str, wild: bool) -> Example:
    """Messages of users to a gateway."""
    made, content = draw(_played(release, wild, platform=True))
    known = ["hello", "and now", "/new", *_typed(made)]
    said = st.sampled_from(known + ["/status", "/undo", "/nope", "/stop", " "] * wild)
    source = st.sampled_from([{}, {}, {"user_id": "u2"}, {"user_name": "One"}, {"chat_id": "g", "chat_type": "group"}])
    further = st.lists(st.builds(lambda text, where: {"text": text, **where}, said, source), max_size=2)
    messages = [{"text": "hello"}, *draw(further)]
    return Example(kind, made, {"mode": "gateway", "messages": messages, **content})


@st.composite
def calls(draw: st.DrawFn, kind: str, release: str, wild: bool) -> Example:
    """What a test does with a host."""
    made = draw(plugins("p", release, wild=wild))
    hooks = sorted(contract.load(release).hooks)
    methods = [("fire", [name]) for name in hooks if any(f'"{name}"' in part.register for part in made.parts)]
    methods += [("command", [line]) for line in _typed([made])]
    methods += [("cli", [name]) for part in made.parts for name in part.cli]
    methods += [("call_tool", [name, draw(arguments(one, wild))]) for name, one in made.tools.items()]
    methods += [("rescan", []), ("definitions", [])] + [("call_tool", ["no_such_tool", {}])] * wild
    done = draw(st.lists(st.sampled_from(methods), min_size=1, max_size=4))
    return Example(kind, (made,), {"calls": [[name, *given] for name, given in done]})


@st.composite
def shows(draw: st.DrawFn, kind: str, release: str, wild: bool) -> Example:
    """A plugin directory."""
    always = (PLATFORM,) if draw(st.sampled_from([False] * 4 + [True])) else ()
    return Example(kind, (draw(plugins("p", release, wild=wild, always=always)),), {})
