"""Measurements of pluggy, which calls the hooks of pytest: every implementation takes all eight arguments."""

from __future__ import annotations

from functools import partial
from typing import Any

import pluggy
from timing import answer, seconds

spec = pluggy.HookspecMarker("bench")
implementation = pluggy.HookimplMarker("bench")


class Spec:
    @spec
    def post_tool_call(
        self, tool_name: str, args: str, result: str, task_id: str, session_id: str, turn: str, model: str, cwd: str
    ) -> None:
        pass


class Plugin:
    @implementation
    def post_tool_call(
        self, tool_name: str, args: str, result: str, task_id: str, session_id: str, turn: str, model: str, cwd: str
    ) -> None:
        pass


def manager(count: int) -> Any:
    made = pluggy.PluginManager("bench")
    made.add_hookspecs(Spec)
    for _ in range(count):
        made.register(Plugin())
    return made


def main() -> None:
    names = ("tool_name", "args", "result", "task_id", "session_id", "turn", "model", "cwd")
    arguments = {name: name for name in names}
    figures = {}
    for count in (1, 10, 100):
        hook = manager(count).hook
        figures[str(count)] = seconds(partial(hook.post_tool_call, **arguments))
    answer(**figures)


if __name__ == "__main__":
    main()
