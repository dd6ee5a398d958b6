"""Sessions to record, in which a user runs the Hermes of a release in its default configuration."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from traces.chats import BOB, CONFIG, Chats
from traces.chats import PLUGIN as LINES
from traces.machine import SDK, Machine
from traces.model_server import HALF
from traces.terminal import Terminal

from hermes_sdk.llm import Answer, call, interrupt, say

_SEES_ALL = """
    for hook in sorted(VALID_HOOKS - {"pre_gateway_dispatch"}):
        ctx.register_hook(hook, lambda **more: None)
"""
NOTES = f"""
import json
from hermes_cli.plugins import VALID_HOOKS


def look_up(args, **more):
    return json.dumps({{"for": args["text"].upper()}})


def register(ctx):
    text = {{"type": "object", "properties": {{"text": {{"type": "string"}}}}}}
    ctx.register_tool("look_up", "notes", {{"name": "look_up", "description": "Looks.", "parameters": text}}, look_up)
    ctx.register_command("notes", lambda line: f"Notes about {{line}}.", description="Shows notes.")
    ctx.register_hook("pre_llm_call", lambda **more: {{"context": "Be short."}})
    {_SEES_ALL.strip()}
"""
FAILING = NOTES.replace('json.dumps({"for": args["text"].upper()})', 'json.dumps({"for": args["texts"]})')
TIDY = """
def register(ctx):
    ctx.register_hook("transform_tool_result", lambda **more: more["result"].replace("TEA", "tea"))
    ctx.register_middleware("tool_request", lambda **more: {"args": {"text": more["args"]["text"] + " leaves"}})
"""
BROKEN = "def register(ctx):\n    raise ValueError('no')\n"
KEEPER = """
from agent.memory_provider import MemoryProvider


class Keeper(MemoryProvider):
    name = "keeper"

    def is_available(self):
        return True

    def initialize(self, session_id, **more):
        self.said = []

    def get_tool_schemas(self):
        return []

    def prefetch(self, query, **more):
        return "The user likes green tea."

    def sync_turn(self, user, answer, **more):
        self.said.append(user)


def register(ctx):
    ctx.register_memory_provider(Keeper())
"""
COUNTER = """
import json
from hermes_constants import get_hermes_home


def count(args, **more):
    file = get_hermes_home() / "plugin-data" / "counter" / "count.json"
    number = json.loads(file.read_text())["count"] + 1
    file.write_text(json.dumps({"count": number}))
    return json.dumps({"count": number})


def register(ctx):
    ctx.register_tool("count", "counter", {"name": "count", "description": "Counts."}, count)
"""

Script = Callable[[Machine], Sequence[Answer | str]]


@dataclass(frozen=True)
class RealSession:
    """A user's session with plugins.

    Attributes:
        plugins: The source of each plugin by its name.
        script: The model's answers.
        said: The user's messages, in a terminal and in a chat with the text to wait for.
        surface: Whether messages are sent as an argument, in a terminal or in a chat.
        config: Additional values of ``config.yaml``.
        data: The stored files of plugins, by their paths in the home.
        env: The content of ``.env``.
        refused: The reason why the session cannot be replayed, if any.
        untestable: The reason why no test can be generated, if any.
    """

    plugins: Mapping[str, str]
    script: Script
    said: Sequence[tuple[str, str]]
    surface: str = "argument"
    config: str = ""
    data: Mapping[str, str] = field(default_factory=dict)
    env: str = ""
    refused: str = ""
    untestable: str = ""

    def prepare(self, path: Path, release: str) -> Machine:
        """Return the user's machine, with the plugins in the user's project."""
        machine = Machine(path, release, self.plugins, self.config)
        for name, text in self.data.items():
            (machine.home / name).parent.mkdir(parents=True)
            (machine.home / name).write_text(text)
        (machine.home / ".env").write_text(self.env)
        machine.model.script(*self.script(machine))
        return machine

    def record(self, machine: Machine, trace: Path, *options: str) -> None:
        """Record the session, with options of `record`."""
        command = [SDK, "record", *options, "-o", trace, "--", machine.program]
        {"argument": self._ask, "terminal": self._type, "chat": self._write}[self.surface](machine, command)
        assert machine.model.problems() == []
        assert machine.model.unused() == []

    def _ask(self, machine: Machine, command: Sequence[object]) -> None:
        [(text, shown)] = self.said
        done = machine.run(*command, "chat", "-q", text)
        assert done.returncode == 0, done.stderr
        assert shown in done.stdout

    def _type(self, machine: Machine, command: Sequence[object]) -> None:
        terminal = Terminal(machine, [*command, "chat"])
        machine.model.on_interrupt = terminal.press_interrupt
        terminal.wait("❯")
        for line, shown in self.said:
            terminal.type(line)
            terminal.wait(shown)
        terminal.type("/exit")
        assert terminal.end() == 0

    def _write(self, machine: Machine, command: Sequence[object]) -> None:
        chats = Chats(machine, [*command, "gateway", "run"])
        for number, (text, shown) in enumerate(self.said):
            chats.say(text, shown, **(BOB if number % 2 else {}))
        chats.stop()


def _find_tea(machine: Machine) -> Sequence[Answer | str]:
    return say("Let me look.", machine.call("look_up", text="tea")), "There is tea."


STOPPED = "turn 1 was stopped in the middle of the model's answer"
SESSIONS = {
    "text": RealSession({"notes": NOTES}, lambda _: ["Hello to you too."], [("hello", "Hello to you")]),
    "tool": RealSession({"notes": NOTES}, _find_tea, [("find tea", "There is tea.")]),
    "failing tool": RealSession({"notes": FAILING}, _find_tea, [("find tea", "There is tea.")]),
    "two plugins": RealSession({"notes": NOTES, "tidy": TIDY}, _find_tea, [("find tea", "There is tea.")]),
    "broken plugin": RealSession(
        {"notes": NOTES, "broken": BROKEN},
        lambda _: ["Hello to you too."],
        [("hello", "Hello to you")],
        untestable="need plugins that load, but broken did not",
    ),
    "memory provider": RealSession(
        {"notes": NOTES, "keeper": KEEPER},
        lambda _: ["Green tea."],
        [("what do I like?", "Green tea.")],
        config="memory: {provider: keeper}\n",
    ),
    "slash command": RealSession(
        {"notes": NOTES},
        lambda _: ["Hello to you too."],
        [("/notes tea", "Notes about tea."), ("hello", "Hello to you")],
        "terminal",
    ),
    "data": RealSession(
        {"counter": COUNTER},
        lambda machine: [machine.call("count"), "Counted."],
        [("count", "Counted.")],
        data={"plugin-data/counter/count.json": '{"count": 41}'},
    ),
    "title": RealSession(
        {"notes": NOTES},
        lambda _: ["Green tea is the best.", "Black tea is second."],
        [("which tea?", "is the best"), ("and then?", "is second")],
        "terminal",
    ),
    "tool search": RealSession(
        {"notes": NOTES},
        lambda machine: [
            *([call("tool_search", query="look up text")] if machine.searches_tools else []),
            *_find_tea(machine),
        ],
        [("find tea", "There is tea.")],
    ),
    "interrupted": RealSession(
        {"notes": NOTES},
        lambda _: [interrupt(), "Where was I?"],
        [("count to a million", "Operation interrupted"), ("go on", "Where was I?")],
        "terminal",
    ),
    "interrupted in the middle": RealSession(
        {"notes": NOTES},
        lambda _: [say("One, two, three,", finish_reason=HALF), "Where was I?"],
        [("count to a million", "three,"), ("go on", "Where was I?")],
        "terminal",
        refused=STOPPED,
        untestable=STOPPED,
    ),
    "built-in tools": RealSession(
        {"notes": NOTES},
        lambda _: [
            say("", call("write_file", path="note.txt", content="green tea\n")),
            say("", call("read_file", path="note.txt"), call("terminal", command="wc -c note.txt")),
            "Ten bytes.",
        ],
        [("write a note", "Ten bytes.")],
    ),
    "chat": RealSession(
        {"lines": LINES},
        lambda machine: [say("", machine.call("look_up", text="tea")), "There is tea.", "Hello, Bob."],
        [("find tea", "There is tea."), ("hi", "Hello, Bob.")],
        "chat",
        config=CONFIG,
        env="LINES_ALLOWED_USERS=u1,u2\n",
    ),
}
