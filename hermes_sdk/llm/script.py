"""Answers of a model, and the model that gives them in order."""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from types import NoneType
from typing import Any, Literal, TypeAlias

from hermes_sdk.errors import UsageError

MODEL = "stub-model"
"""The name of the model."""

CONTEXT_LENGTH = 200_000
"""How many tokens its context is said to hold."""

LaneName = Literal["main", "aux"]
"""``main``: the agent loop. ``aux``: everything else, such as ``ctx.llm``."""

_EXHAUSTED = "[no answer is left in the script]"
_FAILED = "[the script failed]"
_USAGE = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
_SHOWN = 300


@dataclass(frozen=True)
class ToolCall:
    """A call of a tool that the model asks for.

    Attributes:
        name: The tool.
        arguments: Its arguments as the model wrote them: JSON text, or whatever a bad model sends instead.
        id: The id of the call; None lets the model number it.
    """

    name: str
    arguments: str
    id: str | None = None

    def __str__(self) -> str:
        return f"{self.name}({_short(self.arguments)})"


@dataclass(frozen=True)
class Answer:
    """One answer of the model; `say`, `call` and `fail` make them.

    Attributes:
        text: What it says; None when it says nothing beside its calls.
        tool_calls: The tools that it asks for, in order.
        reasoning: Its reasoning, where a model sends some.
        usage: Counts of tokens, such as ``{"prompt_tokens": 100, "completion_tokens": 10}``.
        finish_reason: Why it stopped; None stands for ``tool_calls`` or ``stop``.
        status: The HTTP status of an answer that is an error, else None.
        error: The message of such an error.
        interrupts: Whether the user stops the agent before the answer comes.
    """

    text: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    reasoning: str | None = None
    usage: Mapping[str, int] | None = None
    finish_reason: str | None = None
    status: int | None = None
    error: str | None = None
    interrupts: bool = False

    def __str__(self) -> str:
        if self.interrupts:
            return "the user's interrupt"
        if self.status is not None:
            return f"status {self.status}: {self.error}"
        said = [f"text {_short(self.text)!r}"] if self.text or not self.tool_calls else []
        return ", ".join([*said, *(f"call {one}" for one in self.tool_calls)])


@dataclass(frozen=True)
class Request:
    """What the model was asked.

    Attributes:
        lane: Which script answered.
        index: Which request to that lane it was, from 0.
        body: The body of the request as the host sent it: ``messages``, ``model``, ``tools``, …
    """

    lane: LaneName
    index: int
    body: dict[str, Any]

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The messages as mappings with ``role`` and ``content``."""
        found: list[dict[str, Any]] = self.body.get("messages") or []
        return found

    @property
    def model(self) -> str:
        """The name of the model that was asked for."""
        return str(self.body.get("model", ""))

    @property
    def tools(self) -> list[str]:
        """The names of the tools that were offered, in the order in which they were."""
        return [tool["function"]["name"] for tool in self.body.get("tools") or ()]

    @property
    def stream(self) -> bool:
        """Whether the answer was wanted in pieces."""
        return bool(self.body.get("stream"))

    @property
    def system_text(self) -> str:
        """The text of the system messages."""
        return "\n\n".join(_text(message) for message in self.messages if message.get("role") == "system")

    @property
    def user_text(self) -> str:
        """The text of the last message of the user, with what the host added to it; empty when there is none."""
        return next((_text(message) for message in reversed(self.messages) if message.get("role") == "user"), "")


Step: TypeAlias = "Answer | str | Callable[[Request], Answer | str]"
"""What a script holds: an answer, the text of one, or a function that answers the request."""


def say(
    text: str = "",
    *calls: Answer,
    reasoning: str | None = None,
    usage: Mapping[str, int] | None = None,
    finish_reason: str | None = None,
) -> Answer:
    """An answer of text, or one that asks for several tools at once.

    Args:
        text: What the model says.
        *calls: What `call` returned, for each tool that it asks for in the same answer.
        reasoning: Its reasoning.
        usage: Counts of tokens. Default: 100 for the prompt and 10 for the answer.
        finish_reason: Why it stopped, such as ``length``. Default: ``tool_calls`` or ``stop``.

    Returns:
        The answer, for `Lane.script`.
    """
    __tracebackhide__ = True
    _expect("say: text", text, str)
    _expect("say: reasoning", reasoning, str, NoneType)
    _expect("say: finish_reason", finish_reason, str, NoneType)
    for name, count in (usage or {}).items():
        _expect(f"say: usage[{name!r}]", count, int)
    for one in calls:
        _expect("say: what follows the text", one, Answer)
    tools = tuple(tool for one in calls for tool in one.tool_calls)
    return Answer(text, tools, reasoning=reasoning, usage=usage, finish_reason=finish_reason)


def call(name: str, args: Mapping[str, Any] | str | None = None, /, **arguments: Any) -> Answer:
    """An answer that asks for one tool.

    Args:
        name: The tool.
        args: Its arguments as a mapping, or the text that the model sends in their place, as it is.
        **arguments: The arguments as keywords.

    Returns:
        The answer, for `Lane.script` or `say`.
    """
    __tracebackhide__ = True
    _expect("call: the name of the tool", name, str)
    _expect("call: args", args, Mapping, str, NoneType)
    if isinstance(args, str):
        if arguments:
            raise UsageError("call: the arguments are one text or keywords, not both")
        return Answer(tool_calls=(ToolCall(name, args),))
    try:
        text = json.dumps({**(args or {}), **arguments})
    except (TypeError, ValueError) as error:
        raise UsageError(f"call: the arguments of {name} are no JSON: {error}") from None
    return Answer(tool_calls=(ToolCall(name, text),))


def fail(status: int, error: str = "the model failed") -> Answer:
    """An error in the place of an answer.

    Args:
        status: Its HTTP status, 400 to 599.
        error: Its message.

    Returns:
        The answer, for `Lane.script`.
    """
    __tracebackhide__ = True
    _expect("fail: status", status, int)
    _expect("fail: error", error, str)
    if not 400 <= status <= 599:
        raise UsageError(f"fail: the status of an error is 400 to 599, not {status}")
    return Answer(status=status, error=error)


def interrupt() -> Answer:
    """No answer: the user stops the agent while it waits for one, as with Ctrl-C in a chat.

    Returns:
        What stands in the place of an answer, for `Lane.script`. It is for the agent loop, not for the lane ``aux``.
    """
    return Answer(interrupts=True)


def _expect(what: str, value: object, *kinds: type) -> None:
    """Refuse a value of another type where it is given, since the host would trip over it much later."""
    __tracebackhide__ = True
    if not isinstance(value, kinds):
        named = " or ".join(kind.__name__ for kind in kinds)
        raise UsageError(f"{what} is {named}, not {value!r}")


class Lane:
    """One queue of answers, and the requests that took them.

    Attributes:
        requests: What was asked, oldest first.
    """

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self._steps: deque[Step] = deque()

    def script(self, *answers: Step) -> None:
        """Add answers to the end of the script.

        Args:
            *answers: What `say`, `call` and `fail` return, text, or functions that answer the `Request` they are given.

        Raises:
            UsageError: Something else was given.
        """
        __tracebackhide__ = True
        for one in answers:
            _expect("script: an answer", one, Answer, str, Callable)  # type: ignore[arg-type]
        self._steps.extend(answers)

    @property
    def remaining(self) -> int:
        """How many answers nobody has asked for yet."""
        return len(self._steps)

    def _take(self, lane: LaneName, body: dict[str, Any]) -> tuple[Request, Step | None]:
        request = Request(lane, len(self.requests), body)
        self.requests.append(request)
        return request, self._steps.popleft() if self._steps else None


class ScriptedModel(Lane):
    """A model that gives the answers of its script in order. It is the lane of the agent loop; threads may share it.

    Attributes:
        aux: The lane of everything else that asks a model, such as ``ctx.llm``.
        observer: Called with each request and its answer, before the answer is given.
        on_interrupt: Called when the script has the user stop the agent, by who serves the model to another process.
    """

    def __init__(self) -> None:
        super().__init__()
        self.aux = Lane()
        self.observer: Callable[[Request, Answer], None] | None = None
        self.on_interrupt: Callable[[], None] | None = None
        self._problems: list[str] = []
        self._lock = threading.Lock()

    def answer(self, lane: LaneName, body: dict[str, Any]) -> tuple[Answer, Request]:
        """Take the next answer.

        Args:
            lane: Who asks.
            body: The body of the request, which belongs to the model from now on.

        Returns:
            The answer, complete with ids and usage, and the request as it was kept. When the script has no answer, the
            answer says so and `problems` tells it.
        """
        with self._lock:
            request, step = (self.aux if lane == "aux" else self)._take(lane, body)
        answer = _completed(self._given(step, request), request)
        if self.observer is not None:
            self.observer(request, answer)
        return answer, request

    def problems(self) -> list[str]:
        """What went wrong: a request that found no answer left, a function of the script that raised."""
        return list(self._problems)

    def unused(self) -> list[str]:
        """What is left: one text for each lane that has answers which nobody asked for."""
        lanes: tuple[tuple[LaneName, Lane], ...] = (("main", self), ("aux", self.aux))
        return [_left(name, lane._steps, lane.requests) for name, lane in lanes if lane.remaining]

    def _given(self, step: Step | None, request: Request) -> Answer:
        if step is None:
            self._problems.append(_exhausted(request))
            return Answer(_EXHAUSTED)
        try:
            given = step(request) if callable(step) else step
            _expect("what it returned", given, Answer, str)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            # All of them: what pytest.fail raises is no Exception, and a server's thread would lose it.
            self._problems.append(_failed(step, request, error))
            return Answer(_FAILED)
        return Answer(given) if isinstance(given, str) else given


def _completed(answer: Answer, request: Request) -> Answer:
    if answer.status is not None or answer.interrupts:
        return answer
    usage = dict(answer.usage or _USAGE)
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


def _exhausted(request: Request) -> str:
    script = "hermes.llm.script" if request.lane == "main" else "hermes.llm.aux.script"
    return (
        f"The {request.lane} script has no answer for request {request.index + 1}, which ended with\n"
        f"{_end(request)}\n  Give one more answer to {script}(…)."
    )


def _end(request: Request) -> str:
    """The last messages of a request and the tools that it offered, for people."""
    told = [message for message in request.messages if message.get("role") != "system"]
    lines = [f"  {message.get('role')}: {_short(_told(message))}" for message in told[-3:]]
    return "\n".join([*lines, *([f"  tools: {', '.join(request.tools)}"] if request.tools else [])])


def _failed(step: Step, request: Request, error: BaseException) -> str:
    import traceback

    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename != __file__]
    place = f"{frames[-1].filename}:{frames[-1].lineno}: " if frames else ""
    why = error.message if isinstance(error, UsageError) else "".join(traceback.format_exception_only(error)).strip()
    return f"{place}The {_described(step)} for request {request.index + 1} to the {request.lane} script failed: {why}"


def _left(name: LaneName, steps: Iterable[Step], requests: list[Request]) -> str:
    lines = [f"  {_described(step)}" for step in steps]
    asked = f"The last of {len(requests)} requests ended with\n{_end(requests[-1])}" if requests else "Nobody asked."
    return "\n".join([f"The {name} script has answers left that nobody asked for:", *lines, asked])


def _described(step: Step) -> str:
    if isinstance(step, str):
        return str(Answer(step))
    return str(step) if isinstance(step, Answer) else f"function {getattr(step, '__qualname__', repr(step))}"


def _told(message: dict[str, Any]) -> str:
    calls = [f"{one['function']['name']}({one['function']['arguments']})" for one in message.get("tool_calls") or ()]
    return " ".join(filter(None, [_text(message), *calls]))


def _text(message: dict[str, Any]) -> str:
    """The text of a message, whose content is text or a list of parts."""
    content = message.get("content")
    if isinstance(content, list):
        return "\n".join(str(part["text"]) for part in content if isinstance(part, dict) and "text" in part)
    return "" if content is None else str(content)


def _short(text: str | None) -> str:
    text = text or ""
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}… ({len(text)} characters)"
