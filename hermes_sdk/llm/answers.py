"""Answers of a model, and functions with which tests create them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from types import NoneType
from typing import Any

from hermes_sdk.errors import UsageError

_SHOWN = 300


@dataclass(frozen=True)
class ToolCall:
    """A tool call by the model.

    Attributes:
        name: The tool's name.
        arguments: The arguments as the model wrote them: JSON text, or the invalid text of a faulty model.
        id: The id of the call; None for a generated one.
    """

    name: str
    arguments: str
    id: str | None = None

    def __str__(self) -> str:
        return f"{self.name}({short(self.arguments)})"


@dataclass(frozen=True)
class Answer:
    """An answer of the model; use `say`, `call` and `fail` to create one.

    Attributes:
        text: The text; None if there are only tool calls.
        tool_calls: The tool calls, in order.
        reasoning: The reasoning, or None.
        usage: Token counts, such as ``{"prompt_tokens": 100, "completion_tokens": 10}``.
        finish_reason: Why the model stopped; None for ``tool_calls`` or ``stop``.
        status: The HTTP status of an error, else None.
        error: The message of an error.
        interrupts: Whether the user stops the agent before it receives the answer.
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
        said = [f"text {short(self.text)!r}"] if self.text or not self.tool_calls else []
        return ", ".join([*said, *(f"call {one}" for one in self.tool_calls)])


def say(
    text: str = "",
    *calls: Answer,
    reasoning: str | None = None,
    usage: Mapping[str, int] | None = None,
    finish_reason: str | None = None,
) -> Answer:
    """Return an answer with text, or with several tool calls.

    Args:
        text: What the model says.
        *calls: Results of `call`, one for each tool call.
        reasoning: Its reasoning.
        usage: Token counts, including details such as ``prompt_tokens_details.cached_tokens``. Default: 100 for the
            prompt and 10 for the answer.
        finish_reason: Why it stopped, such as ``length``. Default: ``tool_calls`` or ``stop``.

    Returns:
        The answer, for `Lane.script`.
    """
    __tracebackhide__ = True
    expect("say: text", text, str)
    expect("say: reasoning", reasoning, str, NoneType)
    expect("say: finish_reason", finish_reason, str, NoneType)
    _expect_counts(usage)
    for one in calls:
        _expect_call(one)
    tools = tuple(tool for one in calls for tool in one.tool_calls)
    return Answer(text, tools, reasoning=reasoning, usage=usage, finish_reason=finish_reason)


def call(name: str, args: Mapping[str, Any] | str | None = None, /, **arguments: Any) -> Answer:
    """Return an answer with one tool call.

    Args:
        name: The tool's name.
        args: Its arguments as a mapping, or the text to send verbatim.
        **arguments: The arguments as keywords.

    Returns:
        The answer, for `Lane.script` or `say`.
    """
    __tracebackhide__ = True
    expect("call: the name of the tool", name, str)
    expect("call: args", args, Mapping, str, NoneType)
    if isinstance(args, str):
        if arguments:
            raise UsageError("call: pass the arguments either as `args` or as keywords, not both")
        return Answer(tool_calls=(ToolCall(name, args),))
    try:
        text = json.dumps({**(args or {}), **arguments})
    except (TypeError, ValueError) as error:
        raise UsageError(f"call: the arguments of {name} are not valid JSON: {error}") from None
    return Answer(tool_calls=(ToolCall(name, text),))


def fail(status: int, error: str = "the model failed") -> Answer:
    """Return an error instead of an answer.

    Args:
        status: Its HTTP status, 400 to 599.
        error: Its message.

    Returns:
        The answer, for `Lane.script`.
    """
    __tracebackhide__ = True
    expect("fail: status", status, int)
    expect("fail: error", error, str)
    if not 400 <= status <= 599:
        raise UsageError(f"fail: status must be between 400 and 599, not {status}")
    return Answer(status=status, error=error)


def interrupt() -> Answer:
    """Return no answer: the user stops the agent while it waits, as with Ctrl-C in a chat.

    Returns:
        The interrupt, for `Lane.script`. It is not allowed in the lane ``aux``.
    """
    return Answer(interrupts=True)


def _expect_counts(usage: Mapping[str, int] | None) -> None:
    """Reject values that are not token counts; any name is allowed, since services use different names."""
    __tracebackhide__ = True
    expect("say: usage", usage, Mapping, NoneType)
    for name, count in (usage or {}).items():
        expect(f"say: usage[{name!r}]", count, int)
        if isinstance(count, bool) or count < 0:
            raise UsageError(f"say: usage[{name!r}] must be a number of tokens, not {count!r}")


def _expect_call(one: object) -> None:
    """Reject answers that contain more than calls: an answer has only one text, and an error or interrupt has none."""
    __tracebackhide__ = True
    if not isinstance(one, Answer) or not one.tool_calls or one != Answer(tool_calls=one.tool_calls):
        given = one if isinstance(one, Answer) else repr(one)
        raise UsageError(
            f"say: every argument after the text must be a call(…), not {given}", fix="Pass other answers to script(…)."
        )


def expect(what: str, value: object, *kinds: type) -> None:
    """Reject a value of the wrong type early, since the host would fail on it much later."""
    __tracebackhide__ = True
    if not isinstance(value, kinds):
        named = " or ".join(kind.__name__ for kind in kinds)
        raise UsageError(f"{what} must be {named}, not {value!r}")


def short(text: str | None) -> str:
    """Return the beginning of a text, for messages."""
    text = text or ""
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}… ({len(text)} characters)"
