"""The scripted model, and the requests that it received."""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

from hermes_sdk.errors import UsageError
from hermes_sdk.llm.answers import Answer, ToolCall, expect, short
from hermes_sdk.llm.bodies import Bodies

MODEL = "stub-model"
"""The name of the scripted model."""

CONTEXT_LENGTH = 200_000
"""The reported context length in tokens."""

LaneName = Literal["main", "aux"]
"""``main``: the agent loop. ``aux``: everything else, such as ``ctx.llm``."""

_EXHAUSTED = "[no answer is left in the script]"
_FAILED = "[the script failed]"
STANDINS = frozenset({_EXHAUSTED, _FAILED})
"""The texts of generated answers, which are not in any script."""

DEFAULT_USAGE = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
"""The token counts of answers without their own."""


class Request:
    """A request to the model; each value is a copy from the time of the request.

    Args:
        lane: The script that answered.
        index: Its number in that lane, from 0.
        body: The request's body.
        bodies: The storage that shares messages with other requests.

    Attributes:
        lane: The script that answered.
        index: Its number in that lane, from 0.
    """

    __slots__ = ("_frame", "_last", "index", "lane")

    def __init__(self, lane: LaneName, index: int, body: Mapping[str, Any], bodies: Bodies | None = None) -> None:
        self.lane: LaneName = lane
        self.index: int = index
        self._frame, self._last = (bodies or Bodies()).add(body)

    def __repr__(self) -> str:
        return f"Request(lane={self.lane!r}, index={self.index}, body={self.body})"

    @property
    def body(self) -> dict[str, Any]:
        """The body as sent: ``messages``, ``model``, ``tools``, …"""
        body = self._read_frame()
        if self._last is not None:
            body["messages"] = [*self._last.read_backwards()][::-1]
        return body

    def _read_frame(self) -> dict[str, Any]:
        """Return the body without its messages."""
        frame: dict[str, Any] = json.loads(self._frame)
        return frame

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The messages as mappings with ``role`` and ``content``."""
        found: list[dict[str, Any]] = self.body.get("messages") or []
        return found

    @property
    def model(self) -> str:
        """The requested model."""
        return str(self._read_frame().get("model", ""))

    @property
    def tools(self) -> list[str]:
        """The names of the offered tools, in order."""
        return [tool["function"]["name"] for tool in self._read_frame().get("tools") or ()]

    @property
    def stream(self) -> bool:
        """True if a streamed answer was requested."""
        return bool(self._read_frame().get("stream"))

    @property
    def system_text(self) -> str:
        """The text of the system messages."""
        return "\n\n".join(_text(message) for message in self.messages if message.get("role") == "system")

    @property
    def user_text(self) -> str:
        """The text of the last user message, with the host's additions."""
        messages = self._last.read_backwards() if self._last else ()
        return next((_text(message) for message in messages if message.get("role") == "user"), "")


Step: TypeAlias = "Answer | str | Callable[[Request], Answer | str]"
"""A step of a script: an `Answer`, its text, or a function that takes the request and returns either."""


class Lane:
    """A queue of answers, and the requests that received them.

    Attributes:
        requests: The requests, oldest first.
    """

    def __init__(self, name: LaneName = "main") -> None:
        self.requests: list[Request] = []
        self._name: LaneName = name
        self._steps: deque[Step] = deque()

    def script(self, *answers: Step) -> None:
        """Add answers to the end of the script.

        Args:
            *answers: Results of `say`, `call` and `fail`, text, or functions of a `Request`.

        Raises:
            UsageError: An answer has another type, or is `interrupt` in the lane ``aux``.
        """
        __tracebackhide__ = True
        for one in answers:
            expect("script: an answer", one, Answer, str, Callable)  # type: ignore[arg-type]
            _refuse_interrupt("script: an answer", one, self._name)
        self._steps.extend(answers)

    def clear(self) -> None:
        """Discard the unused answers."""
        self._steps.clear()

    @property
    def remaining(self) -> int:
        """The number of unused answers."""
        return len(self._steps)

    def _take(self, lane: LaneName, body: Mapping[str, Any], bodies: Bodies) -> tuple[Request, Step | None]:
        request = Request(lane, len(self.requests), body, bodies)
        self.requests.append(request)
        return request, self._steps.popleft() if self._steps else None


class ScriptedModel(Lane):
    """A thread-safe model that answers from its script, in order. It is the lane of the agent loop.

    Attributes:
        aux: The lane of all other model requests, such as ``ctx.llm``.
        observer: Called with each request and its answer before the answer is returned.
        on_interrupt: Called by the server of a model in another process when the script interrupts the agent.
        places: The call that adds answers to each lane, for messages.
    """

    def __init__(self) -> None:
        super().__init__()
        self.aux = Lane("aux")
        self.observer: Callable[[Request, Answer], None] | None = None
        self.on_interrupt: Callable[[], None] | None = None
        self.places: dict[LaneName, str] = {"main": "hermes.llm.script(…)", "aux": "hermes.llm.aux.script(…)"}
        self._bodies = Bodies()
        self._problems: list[str] = []
        self._lock = threading.Lock()

    def answer(self, lane: LaneName, body: Mapping[str, Any]) -> tuple[Answer, Request]:
        """Take the next answer.

        Args:
            lane: The lane of the request.
            body: The request's body, of which the model stores a copy.

        Returns:
            The answer with ids and usage, and the stored request. If the script has no unused answer, the answer says
            so, and `problems` reports it.
        """
        with self._lock:
            request, step = (self.aux if lane == "aux" else self)._take(lane, body, self._bodies)
        answer = _complete_answer(self._answer_step(step, request), request)
        if self.observer is not None:
            self.observer(request, answer)
        return answer, request

    def problems(self) -> list[str]:
        """Return the problems: requests without an answer, and functions of the script that raised."""
        return list(self._problems)

    def unused(self) -> list[str]:
        """Return a message for each lane with unused answers."""
        lanes: tuple[tuple[LaneName, Lane], ...] = (("main", self), ("aux", self.aux))
        return [_describe_unused(name, lane._steps, lane.requests) for name, lane in lanes if lane.remaining]

    def _answer_step(self, step: Step | None, request: Request) -> Answer:
        if step is None:
            self._problems.append(_format_exhausted(request, self.places[request.lane]))
            return Answer(_EXHAUSTED)
        try:
            given = step(request) if callable(step) else step
            expect("what it returned", given, Answer, str)
            _refuse_interrupt("what it returned", given, request.lane)
        except BaseException as error:
            if _ends_the_test(error):
                raise
            self._problems.append(_format_failure(step, request, error))
            return Answer(_FAILED)
        return Answer(given) if isinstance(given, str) else given


def _refuse_interrupt(what: str, given: Step, lane: LaneName) -> None:
    __tracebackhide__ = True
    if lane == "aux" and isinstance(given, Answer) and given.interrupts:
        raise UsageError(
            f"{what} in the lane aux cannot be interrupt(): a user interrupts only the agent loop",
            fix="Pass it to hermes.llm.script(…), or use fail(…) in this lane.",
        )


def _ends_the_test(error: BaseException) -> bool:
    """Return whether an exception ends the test, like the host's timeout or pytest.skip (not an `Exception`).

    Another thread, such as that of a server, would lose such an exception.
    """
    in_main = threading.current_thread() is threading.main_thread()
    return isinstance(error, KeyboardInterrupt) or (in_main and not isinstance(error, Exception))


def _complete_answer(answer: Answer, request: Request) -> Answer:
    if answer.status is not None or answer.interrupts:
        return answer
    usage = dict(answer.usage or DEFAULT_USAGE)
    usage.setdefault("total_tokens", usage.get("prompt_tokens", 0) + usage.get("completion_tokens", 0))
    prefix = f"call_{request.lane}{request.index}_"
    calls = tuple(
        one if one.id else ToolCall(one.name, one.arguments, f"{prefix}{number}")
        for number, one in enumerate(answer.tool_calls)
    )
    return replace(
        answer,
        tool_calls=calls,
        usage=usage,
        finish_reason=answer.finish_reason or ("tool_calls" if calls else "stop"),
    )


def _format_exhausted(request: Request, place: str) -> str:
    return (
        f"The {request.lane} script has no answer for request {request.index + 1}, which ended with\n"
        f"{_end(request)}\n  Add another answer to {place}."
    )


def _end(request: Request) -> str:
    """Describe the last messages and the offered tools of a request."""
    told = [message for message in request.messages if message.get("role") != "system"]
    lines = [f"  {message.get('role')}: {short(_describe_message(message))}" for message in told[-3:]]
    return "\n".join([*lines, *([f"  tools: {', '.join(request.tools)}"] if request.tools else [])])


def _format_failure(step: Step, request: Request, error: BaseException) -> str:
    import traceback

    # Report the line in the function itself, not in a library that it called.
    own = getattr(getattr(step, "__code__", None), "co_filename", None)
    ours = str(Path(__file__).parent)
    frames = [one for one in traceback.extract_tb(error.__traceback__) if not one.filename.startswith(ours)]
    frames = [one for one in frames if one.filename == own] or frames
    place = f"{frames[-1].filename}:{frames[-1].lineno}: " if frames else ""
    why = str(error) if isinstance(error, UsageError) else "".join(traceback.format_exception_only(error)).strip()
    return (
        f"{place}The {_describe_step(step)} for request {request.index + 1} to the {request.lane} script failed: {why}"
    )


def _describe_unused(name: LaneName, steps: Iterable[Step], requests: list[Request]) -> str:
    lines = [f"  {_describe_step(step)}" for step in steps]
    asked = (
        f"The last of {len(requests)} requests ended with\n{_end(requests[-1])}" if requests else "No request was made."
    )
    return "\n".join([f"The {name} script has unused answers:", *lines, asked])


def _describe_step(step: Step) -> str:
    if isinstance(step, str):
        return str(Answer(step))
    return str(step) if isinstance(step, Answer) else f"function {getattr(step, '__qualname__', repr(step))}"


def _describe_message(message: dict[str, Any]) -> str:
    calls = [f"{one['function']['name']}({one['function']['arguments']})" for one in message.get("tool_calls") or ()]
    return " ".join(filter(None, [_text(message), *calls]))


def _text(message: dict[str, Any]) -> str:
    """Return the text of a message, whose content is a string or a list of parts."""
    content = message.get("content")
    if isinstance(content, list):
        return "\n".join(str(part["text"]) for part in content if isinstance(part, dict) and "text" in part)
    return "" if content is None else str(content)
