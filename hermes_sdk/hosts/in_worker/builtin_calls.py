"""Recording of calls of built-in tools, and replay of recorded results instead of running the tools.

Both hosts use this module.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final

from .recording import Recording

Handler = Callable[..., Any]
Server = Callable[[Any, Mapping[str, Any], Mapping[str, Any]], Any]

_OF_SESSION: Final = frozenset({"clarify", "delegate_task", "skill_view", "skills_list", "todo", "todo_list"})
"""Tools that always run and are not recorded, because their results depend only on the session and the plugins."""


class BuiltinCalls:
    """Recorder of calls of built-in tools, except those of the session, as events of the kind ``builtin_tool``.

    With `results`, each ``{"tool", "args", "result"}``, a call gets the first result for its tool and arguments, or
    else the first for its tool. For an entry without ``result``, the tool runs. Without `results`, all tools run.

    `servers` are functions for tools that do more than return the recorded result; they are called with the arguments,
    the entry and the keyword arguments of the call.
    """

    def __init__(
        self,
        recording: Recording,
        results: Iterable[Mapping[str, Any]] | None = None,
        servers: Mapping[str, Server] = MappingProxyType({}),
    ) -> None:
        self._recording = recording
        self._servers = servers
        self._left = None if results is None else list(results)
        self._lock = threading.Lock()
        self._problems: list[str] = []

    def wrap(self, tool: str, handler: Handler, *, is_async: bool = False) -> Handler:
        """Return a handler that records calls of a tool, and replays the recorded results."""
        if tool in _OF_SESSION:
            return handler

        def answer(args: Any, *others: Any, **kwargs: Any) -> Any:
            recorded = self._take(tool, args)
            if "result" not in recorded:
                return handler(args, *others, **kwargs)
            if serve := self._servers.get(tool):
                return serve(args, recorded, kwargs)
            return _result(recorded["result"]) if is_async else recorded["result"]

        def call(args: Any, *others: Any, **kwargs: Any) -> Any:
            if not self._recording.active:
                return answer(args, *others, **kwargs)

            def run(args: Any) -> Any:
                # The keyword arguments come from the host: ids, and objects of the session.
                return answer(args, *others, **kwargs)

            return self._recording.call("builtin_tool", tool, run, (args,), {})

        return call

    def problems(self) -> list[str]:
        """Return the calls without a recorded result, and the unused results."""
        left = [f"a recorded result was not used: {_format_call(one['tool'], one['args'])}" for one in self._left or ()]
        return [*self._problems, *left]

    def _take(self, tool: str, args: Any) -> Mapping[str, Any]:
        if self._left is None:
            return {}
        with self._lock:
            of_tool = [one for one in self._left if one["tool"] == tool]
            if of_tool:
                found = next((one for one in of_tool if one["args"] == args), of_tool[0])
                self._left.remove(found)
                return found
            text = f"no recorded result is left for the built-in tool {_format_call(tool, args)}"
            self._problems.append(text)
        return {"result": json.dumps({"error": text})}


async def _result(value: Any) -> Any:
    return value


def _format_call(tool: str, args: Any) -> str:
    text = json.dumps(args, ensure_ascii=False, default=str)
    return f"{tool}({text if len(text) <= 200 else f'{text[:200]}…'})"
