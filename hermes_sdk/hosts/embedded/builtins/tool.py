"""What a built-in tool is, and what it may use of the host and of the session that calls it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeVar

from hermes_sdk.contract import Behaviour
from hermes_sdk.hosts.embedded.approval.gate import ApprovalGate
from hermes_sdk.hosts.embedded.loading.manager import PluginManager
from hermes_sdk.hosts.embedded.registrations import Registrations
from hermes_sdk.hosts.embedded.state import HostState

IDS = ("task_id", "session_id", "turn_id", "tool_call_id")
T = TypeVar("T")
DEFAULT_TASK = "default"
"""The task of calls that name none."""


@dataclass(eq=False, repr=False)
class ToolContext:
    """What a running built-in tool may use; a session makes its own with `dataclasses.replace`.

    Attributes:
        state: What the parts of the host share.
        registrations: What plugins registered.
        plugins: The plugin manager.
        approval: What is approved beforehand.
        task_id: The task that the call belongs to.
        session_id: The session that the call belongs to, ``""`` outside of one.
        turn_id: The turn, ``""`` outside of one.
        tool_call_id: The model's id of the call, ``""`` for calls that no model made.
        session_state: What tools remember for as long as the session lives, by a key of theirs.
    """

    state: HostState
    registrations: Registrations
    plugins: PluginManager
    approval: ApprovalGate
    task_id: str = DEFAULT_TASK
    session_id: str = ""
    turn_id: str = ""
    tool_call_id: str = ""
    session_state: dict[str, Any] = field(default_factory=dict)

    @property
    def behaviour(self) -> Behaviour:
        """What the release does."""
        return self.state.behaviour

    def for_call(self, kwargs: Mapping[str, Any]) -> ToolContext:
        """Return the context of one call, whose ids a handler gets as keyword arguments."""
        ids = {name: kwargs[name] for name in IDS if kwargs.get(name)}
        return replace(self, **ids)

    def section(self, name: str) -> Mapping[str, Any]:
        """A section of the configuration; empty when there is none, or something else in its place."""
        section = self.state.config.read().get(name)
        return section if isinstance(section, Mapping) else {}

    def text(self, section: str, key: str) -> str:
        """A text of the configuration, stripped; empty when there is none, or something else in its place."""
        value = self.section(section).get(key)
        return value.strip() if isinstance(value, str) else ""


Run = Callable[[dict[str, Any], ToolContext], Any]
Check = Callable[[ToolContext], bool]


class Builtin(NamedTuple):
    """One of the host's own tools; the contract says which toolset it is in.

    Attributes:
        name: The name under which models call it.
        description: What the tool is for, as the model is told.
        parameters: The JSON Schema of its arguments: the host's names, types and which are required.
        run: Answers a call with what the model receives, given the arguments.
        check: Tells whether the tool is offered; None when the registry knows without asking.
        is_async: Whether `run` is a coroutine function.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    run: Run
    check: Check | None
    is_async: bool

    @property
    def schema(self) -> dict[str, Any]:
        """The schema under which the registry keeps the tool."""
        return {"name": self.name, "description": self.description, "parameters": self.parameters}


def answer(**values: Any) -> str:
    """Write a result as most of the host's tools do, in the order of the arguments."""
    return json.dumps(values, ensure_ascii=False)


def refuse(message: str, **values: Any) -> str:
    """Write a result that reports an error."""
    return answer(error=message, **values)


def list_texts(value: Any) -> list[str]:
    """Return the non-empty texts in a list, or the single text in place of one; stripped."""
    listed = [value] if isinstance(value, str) else value if isinstance(value, list) else []
    return [one.strip() for one in listed if isinstance(one, str) and one.strip()]


def to_int(value: Any, default: T) -> int | T:
    """Convert a value to an integer, or return the default where that is impossible."""
    try:
        return int(value)
    except (TypeError, ValueError):
        return default
