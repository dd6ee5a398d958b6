"""Strategies for examples: a few plugins with a session, a gateway, calls, or only a report."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from fuzz.parts import JSON, WILD_TEXTS, WORDS, Part
from fuzz.plugins import PLATFORM, Plugin, plugins
from hypothesis import strategies as st

from hermes_sdk import contract

WHATS = ("session", "gateway", "calls", "show")
KINDS = (*WHATS, *(f"{nature} {what}" for nature in ("wild", "recent") for what in WHATS))
"""The kinds of examples; one-word kinds are ordinary, and recent ones use features of 0.20.1 or later."""

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
    """An example to play on both hosts.

    Attributes:
        kind: One of `KINDS`.
        plugins: The plugins; their directories have their names.
        content: The other keys of the scenario, or ``calls``: the name of a method of the host, and its arguments.
    """

    kind: str
    plugins: tuple[Plugin, ...]
    content: Mapping[str, Any]

    @property
    def digest(self) -> str:
        """Return a name for the example."""
        parts = [self.kind, self.content, *(one.files for one in self.plugins)]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:8]

    def write(self, folder: Path) -> Path:
        """Write the example as a scenario with its plugins, and return the path of the scenario."""
        for one in self.plugins:
            (folder / one.name).mkdir(parents=True)
            for name, text in one.files.items():
                (folder / one.name / name).write_text(text, encoding="utf-8", errors="surrogatepass")
        path = folder / ("calls.yaml" if "calls" in self.content else "scenario.yaml")
        content = {"plugins": [one.name for one in self.plugins], **self.content}
        path.write_text(yaml.safe_dump(content, allow_unicode=True, sort_keys=False), encoding="utf-8")
        return path

    def trim(self, asked: int) -> Example:
        """Remove the spare answers that the model did not need for this number of requests."""
        script = self.content.get("script")
        if not script:
            return self
        kept = [one for number, one in enumerate(script["main"]) if number < asked or one not in SPARE]
        return Example(self.kind, self.plugins, {**self.content, "script": {**script, "main": kept}})


def examples(kind: str, release: str) -> st.SearchStrategy[Example]:
    """Return the strategy for examples of a kind."""
    *natures, what = kind.split()
    make = {"session": sessions, "gateway": gateways, "calls": calls, "show": shows}[what]
    return make(kind, release, *natures)


@st.composite
def arguments(draw: st.DrawFn, parameters: Any, wild: bool) -> dict[str, Any]:
    """Draw the arguments of a call; those of ordinary examples match the schema, or nearly do."""
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
    """Draw a tool call of the model."""
    known = [(name, dict(args)) for toolset in toolsets for name, args in BUILTINS.get(toolset, ())]
    own = [(name, None) for name in tools]
    name, args = draw(st.sampled_from([*own, *known, *([("no_such_tool", {})] if wild else [])]))
    given: Any = draw(arguments(tools[name], wild)) if args is None else args
    if wild and draw(st.sampled_from([False] * 6 + [True])):
        given = draw(st.sampled_from(["", "{", "[1]", '{"text": "cut', "null"]))
    return {"name": name, "args": given}


@st.composite
def answers(draw: st.DrawFn, tools: Mapping[str, Any], toolsets: Sequence[str], wild: bool) -> list[dict[str, Any]]:
    """Draw the model's answers in one turn: tool calls, and then a text."""
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


def merge(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Merge settings: mappings by key, and lists by concatenation."""
    merged = dict(first)
    for key, value in second.items():
        known = merged.get(key)
        if isinstance(known, dict) and isinstance(value, dict):
            merged[key] = merge(known, value)
        else:
            merged[key] = [*known, *value] if isinstance(known, list) and isinstance(value, list) else value
    return merged


def _merge(kept: str, parts: Sequence[Part]) -> dict[str, Any]:
    """Return the merged settings, or the merged keys of the scenario, of all parts."""
    found: dict[str, Any] = {}
    for part in parts:
        found = merge(found, getattr(part, kept))
    return found


@st.composite
def _plugins_and_script(
    draw: st.DrawFn, release: str, nature: str, platform: bool
) -> tuple[tuple[Plugin, ...], dict[str, Any]]:
    """Draw plugins, and their settings, toolsets and the script of two turns."""
    always, wild = (PLATFORM,) if platform else (), nature == "wild"
    made = [draw(plugins("p", release, nature, always=always))]
    if draw(st.sampled_from([False] * 3 + [True])):
        made.append(draw(plugins("q", release, nature)))
    parts = [part for plugin in made for part in plugin.parts]
    content, config = _merge("content", parts), _merge("config", parts)
    if draw(st.sampled_from([False] * 4 + [True])):
        config = merge(config, draw(st.sampled_from(SETTINGS + WILD_SETTINGS * wild)))
    if config:
        content["config"] = config
    toolsets: list[str] = []
    if draw(st.sampled_from([False] * 2 + [True])):
        known = ["todo", "file", "terminal", "memory", *(["clarify", "delegation", "nope", "web"] if wild else [])]
        toolsets = ["kit", draw(st.sampled_from(known))]
        content["toolsets"] = toolsets
    tools = {name: one for plugin in made for name, one in plugin.tools.items()}
    script = [one for _ in range(2) for one in draw(answers(tools, toolsets, wild))]
    script += [{"text": text} for part in parts for text in part.texts]
    content["script"] = {"main": [*script, *SPARE]}
    return tuple(made), content


def _list_commands(made: Sequence[Plugin]) -> list[str]:
    return [f"/{name} it" for plugin in made for part in plugin.parts for name in part.commands]


def _list_messages(made: Sequence[Plugin]) -> list[str]:
    return [
        "hello",
        "and now",
        "/new",
        *_list_commands(made),
        *(one for plugin in made for part in plugin.parts for one in part.texts),
    ]


@st.composite
def sessions(draw: st.DrawFn, kind: str, release: str, nature: str = "") -> Example:
    """Draw a conversation with the agent."""
    made, content = draw(_plugins_and_script(release, nature, platform=False))
    said = st.sampled_from(_list_messages(made))
    if nature == "wild":
        said |= WILD_TEXTS.filter(lambda text: not text.startswith("/"))
    return Example(kind, made, {"turns": ["hello", *draw(st.lists(said, max_size=2))], **content})


@st.composite
def gateways(draw: st.DrawFn, kind: str, release: str, nature: str = "") -> Example:
    """Draw messages of users to a gateway."""
    made, content = draw(_plugins_and_script(release, nature, platform=True))
    said = st.sampled_from(_list_messages(made) + ["/status", "/undo", "/nope", "/stop", " "] * (nature == "wild"))
    source = st.sampled_from([{}, {}, {"user_id": "u2"}, {"user_name": "One"}, {"chat_id": "g", "chat_type": "group"}])
    further = st.lists(st.builds(lambda text, where: {"text": text, **where}, said, source), max_size=2)
    messages = [{"text": "hello"}, *draw(further)]
    return Example(kind, made, {"mode": "gateway", "messages": messages, **content})


@st.composite
def calls(draw: st.DrawFn, kind: str, release: str, nature: str = "") -> Example:
    """Draw calls of host methods, as in a test."""
    made, wild = draw(plugins("p", release, nature)), nature == "wild"
    hooks = sorted(contract.load(release).hooks)
    methods = [("fire", [name]) for name in hooks if any(f'"{name}"' in part.register for part in made.parts)]
    methods += [("command", [line]) for line in _list_commands([made])]
    methods += [("cli", [name]) for part in made.parts for name in part.cli]
    methods += [("call_tool", [name, draw(arguments(one, wild))]) for name, one in made.tools.items()]
    methods += [("rescan", []), ("definitions", [])] + [("call_tool", ["no_such_tool", {}])] * wild
    done = draw(st.lists(st.sampled_from(methods), min_size=1, max_size=6 if nature == "recent" else 4))
    config = merge({"plugins": {"enabled": ["p"]}}, _merge("config", made.parts))
    return Example(kind, (made,), {"calls": [[name, *given] for name, given in done], "config": config})


@st.composite
def shows(draw: st.DrawFn, kind: str, release: str, nature: str = "") -> Example:
    """Draw a plugin directory."""
    always = (PLATFORM,) if draw(st.sampled_from([False] * 4 + [True])) else ()
    return Example(kind, (draw(plugins("p", release, nature, always=always)),), {})
