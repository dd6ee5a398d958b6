"""Declaration of built-in tools, and the context in which they run."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple, TypeVar

from hermes_sdk.contract import Behaviour
from hermes_sdk.hosts.embedded import config_keys
from hermes_sdk.hosts.embedded.approval.gate import ApprovalGate
from hermes_sdk.hosts.embedded.dispatch import DEFAULT_TASK
from hermes_sdk.hosts.embedded.loading.manager import PluginManager
from hermes_sdk.hosts.embedded.registrations import Registrations
from hermes_sdk.hosts.embedded.state import HostState

IDS = ("task_id", "session_id", "turn_id", "tool_call_id")
T = TypeVar("T")


class CallsEnded(Exception):
    """Raised for a failure that ends the calls of a response."""


@dataclass(eq=False, repr=False)
class ToolContext:
    """Parts of the host that built-in tools use; sessions derive their own context with `dataclasses.replace`.

    Ids are empty outside sessions, turns and calls by a model. `session_state` stores the state of tools for the
    lifetime of the session, with a key for each tool.
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
        """Return the behaviour flags of the release."""
        return self.state.behaviour

    @property
    def ids(self) -> dict[str, str]:
        """The ids of the call."""
        return {name: getattr(self, name) for name in IDS}

    def for_call(self, kwargs: Mapping[str, Any]) -> ToolContext:
        """Return the context of a call, with the ids from a handler's keyword arguments."""
        return replace(self, **{name: kwargs[name] for name in IDS if kwargs.get(name)})

    def section(self, name: str) -> Mapping[str, Any]:
        """Return a section of the configuration; empty if it is missing or not a mapping."""
        section = self.state.config.read().get(name)
        return section if isinstance(section, Mapping) else {}

    def text(self, section: str, key: str) -> str:
        """Return a string of the configuration, stripped; empty if it is missing or not a string."""
        value = self.section(section).get(key)
        return value.strip() if isinstance(value, str) else ""


Run = Callable[[dict[str, Any], ToolContext], Any]


Check = Callable[[ToolContext], bool]


class Builtin(NamedTuple):
    """A built-in tool; its toolset is in the contract."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    """The JSON Schema of its arguments."""
    run: Run
    check: Check | None
    """Returns whether the tool is offered; None if the registry entry decides."""
    is_async: bool

    @property
    def schema(self) -> dict[str, Any]:
        """The tool's schema in the registry."""
        return {"name": self.name, "description": self.description, "parameters": self.parameters}

    def require_modelled(self, args: Mapping[str, Any], state: HostState) -> None:
        """Refuse arguments that the release accepts and this model does not declare.

        Raises:
            NotSupported: Such an argument is not the default, or the configuration has a key that is not modelled.
        """
        config_keys.require_modelled(state, state.config.read(), self.name)
        defaults = state.contract.tool_parameters.get(self.name, {})
        for name, value in _list_undeclared(args, self.parameters):
            if name in defaults and value and value != defaults[name]:
                raise state.unsupported(
                    f"support the argument {name!r} of the built-in tool {self.name!r}",
                    fix="Run this test on the real host (--hermes-host=real), or call the tool without the argument.",
                )


def _list_undeclared(args: Any, schema: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield undeclared arguments, with their dotted names and values."""
    declared = schema.get("properties", {})
    for one in args if isinstance(args, list) else [args]:
        for name, value in one.items() if isinstance(one, Mapping) else ():
            if name not in declared:
                yield f"{prefix}{name}", value
            elif isinstance(value, Mapping | list):
                inner = declared[name]
                yield from _list_undeclared(value, inner.get("items", inner), f"{prefix}{name}.")


def answer(**values: Any) -> str:
    """Serialise a result as JSON, keeping the order of the keys."""
    return json.dumps(values, ensure_ascii=False)


def refuse(message: str, **values: Any) -> str:
    """Serialise an error result."""
    return answer(error=message, **values)


def list_texts(value: Any) -> list[str]:
    """Return the non-empty strings in a list, stripped; a single string counts as a list."""
    listed = [value] if isinstance(value, str) else value if isinstance(value, list) else []
    return [one.strip() for one in listed if isinstance(one, str) and one.strip()]


def to_int(value: Any, default: T) -> int | T:
    """Convert a value to an integer, or return the default if that is impossible."""
    try:
        return int(value)
    except (TypeError, ValueError):
        return default


class Parameter(NamedTuple):
    """An argument of a tool or a field of an object: its JSON Schema, and whether it is required."""

    schema: Mapping[str, Any]
    required: bool


def _parameter(kind: str, description: str = "", *, required: bool = False, **rules: Any) -> Parameter:
    described = {"description": description} if description else {}
    return Parameter({"type": kind, **rules, **described}, required)


string = partial(_parameter, "string")


integer = partial(_parameter, "integer")


number = partial(_parameter, "number")


boolean = partial(_parameter, "boolean")


def array(items: Parameter, description: str, *, required: bool = False, **rules: Any) -> Parameter:
    """Declare an array by the schema of its items."""
    return _parameter("array", description, required=required, items=items.schema, **rules)


def record(**fields: Parameter) -> Parameter:
    """Declare an object by its fields."""
    properties = {name: one.schema for name, one in fields.items()}
    required = [name for name, one in fields.items() if one.required]
    return Parameter({"type": "object", "properties": properties, "required": required}, required=False)


def tool(description: str, /, *, check: Check | None = None, **parameters: Parameter) -> Callable[[Run], Builtin]:
    """Declare a function as the built-in tool with the same name."""

    def declare(run: Run) -> Builtin:
        schema = record(**parameters).schema
        return Builtin(run.__name__, description, schema, run, check, inspect.iscoroutinefunction(run))

    return declare
