"""Declaration of built-in tools, beside the functions that answer their calls.

    @tool("Read a text file.", path=string("The file.", required=True), limit=integer("How many lines.", default=500))
    def read_file(args, context):
        return answer(content=...)

The tool has the name of the function. For a new tool, add its module to the index in `builtins/__init__.py`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

from hermes_sdk.hosts.embedded.builtins.tool import Builtin, Check, Run


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
    """Declare a function as the built-in tool of its name."""

    def declare(run: Run) -> Builtin:
        schema = record(**parameters).schema
        return Builtin(run.__name__, description, schema, run, check, inspect.iscoroutinefunction(run))

    return declare
