"""Measurements of the real host in whose environment this runs; see the package."""

from __future__ import annotations

import contextlib
import io
import sys
from pathlib import Path
from time import process_time

from hermes_cli.plugins import PluginManager
from timing import answer, resident_memory, seconds, typical

ARGUMENTS = {name: name for name in ("tool_name", "args", "result", "task_id", "session_id", "turn", "model", "cwd")}

TURNS = 30


def load() -> None:
    """Discover and load all plugins of a home, once."""
    begin = process_time()
    PluginManager().discover_and_load()
    answer(cpu=process_time() - begin, memory=resident_memory())


def fresh() -> None:
    """Create a manager and discover plugins, in a process that has done so before."""
    PluginManager().discover_and_load()
    answer(cpu=seconds(lambda: PluginManager().discover_and_load()))


def hooks() -> None:
    """Fire a hook with 1, 10 and 100 callbacks."""
    figures = {}
    manager = PluginManager()
    for count in (1, 10, 100):
        manager._hooks["post_tool_call"] = [_nothing] * count
        figures[str(count)] = seconds(lambda: manager.invoke_hook("post_tool_call", **ARGUMENTS))
    answer(**figures)


def turn() -> None:
    """Run a turn with one tool call, with an agent that has run some before, so that creating it is not measured."""
    # The module that drives the agent runs in the host's environment and imports only modules of its own package.
    sys.path.append(str(Path(__file__).parents[2] / "hermes_sdk" / "hosts" / "real"))
    from worker.conversation import Conversation

    conversation = Conversation({"bench"})

    def take_turn() -> None:
        conversation.history = []
        conversation.chat("Use the tool.")

    with contextlib.redirect_stdout(io.StringIO()):
        median = typical(take_turn, TURNS)
    answer(turn=median)


def _nothing(**_: object) -> None:
    pass


if __name__ == "__main__":
    globals()[sys.argv[1]]()
