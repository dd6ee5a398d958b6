"""Checks for the tools of plugins and providers."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from .base import Broken, NotApplicable, demand
from .lab import Lab
from .places import format_tool_place
from .values import format_arguments, hostile, valid

_TYPES = ("array", "boolean", "integer", "null", "number", "object", "string")
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")

Call = Callable[[str, dict[str, Any]], Any]


def schemas(provider: Any) -> list[dict[str, Any]]:
    """Return the tool schemas of a provider as bare functions, as the host expects them."""
    found = bare(provider)
    if not found:
        raise NotApplicable("it offers no tools")
    return found


def bare(provider: Any) -> list[Any]:
    """Return the tool schemas of a provider without the wrapper of model APIs; they may be missing or invalid."""
    found: list[Any] = list(provider.get_tool_schemas() or ())
    wrapped = [isinstance(one, dict) and one.get("type") == "function" and "function" in one for one in found]
    return [one["function"] if inside else one for one, inside in zip(found, wrapped, strict=True)]


def demand_names(offered: list[dict[str, Any]], plugin: Path) -> None:
    """Raise `Broken` unless each tool has a unique name that model APIs accept, and a description.

    Args:
        offered: The tool schemas.
        plugin: The plugin's directory, to find the schema.
    """
    names = [one.get("name") for one in offered]
    for one in offered:
        name = one.get("name")
        demand(
            isinstance(name, str) and _NAME.fullmatch(name),
            f"{name!r}{format_tool_place(plugin, name)} is not a valid tool name; names match {_NAME.pattern}",
        )
        demand(names.count(name) == 1, f"two tools have the name {name!r}")
        described = str(one.get("description") or "").strip()
        demand(described, f"the tool {name!r}{format_tool_place(plugin, name)} has no description")


def demand_not_core(lab: Lab, offered: list[dict[str, Any]]) -> None:
    """Raise `Broken` if a tool has the name of a built-in tool."""
    taken = sorted({str(one.get("name")) for one in offered} & set(lab.settings["core_tools"]))
    demand(not taken, f"the host has built-in tools with the names {taken}")


def demand_parameters(offered: list[dict[str, Any]], plugin: Path) -> None:
    """Raise `Broken` unless the parameters of each tool are a JSON Schema of an object; see `demand_names`."""
    for one in offered:
        name, parameters = one.get("name"), one.get("parameters")
        place = format_tool_place(plugin, name)
        demand(
            isinstance(parameters, dict),
            f"the tool {name!r}{place} has no `parameters`; use an empty object if it takes none",
        )
        assert isinstance(parameters, dict)
        properties = parameters.get("properties", {})
        demand(parameters.get("type") == "object", f"the parameters of {name!r}{place} do not have the type 'object'")
        demand(isinstance(properties, dict), f"the properties of {name!r} are not a mapping")
        unknown = [key for key in parameters.get("required", ()) if key not in properties]
        demand(not unknown, f"{name!r}{place} requires {unknown}, which are not among its properties")
        for key, schema in properties.items():
            given = schema if isinstance(schema, dict) else {}
            kinds = given.get("type", "string")
            known = all(kind in _TYPES for kind in (kinds if isinstance(kinds, list) else [kinds]))
            demand(known, f"the argument {key!r} of {name!r}{place} has the type {kinds!r}")
            demand(given.get("description", True), f"the description of {key!r} of {name!r}{place} is empty")


def demand_json(name: str, arguments: dict[str, Any], result: Any) -> Any:
    """Raise `Broken` unless a result is JSON text, and return its value."""
    said = f"{name}({format_arguments(arguments)})"
    demand(isinstance(result, str), f"{said} returned {type(result).__name__}, not text: {result!r:.200}")
    try:
        read = json.loads(result)
    except ValueError as error:
        raise Broken(f"{said} returned text that is not valid JSON: {error}: {result!r:.200}") from None
    is_empty = isinstance(read, dict) and [*read] == ["error"] and not read["error"]
    demand(not is_empty, f"{said} returned {result}, an error that tells the model nothing")
    return read


def demand_results(call: Call, offered: list[dict[str, Any]]) -> None:
    """Raise `Broken` unless each tool returns JSON for valid arguments."""
    for one in offered:
        arguments = valid({**one.get("parameters", {}), "type": "object"})
        demand_json(one["name"], arguments, call(one["name"], arguments))


def demand_patience(lab: Lab, call: Call, offered: list[dict[str, Any]]) -> None:
    """Raise `Broken` unless each tool returns JSON for any arguments of a model."""
    for name, arguments in _list_hostile_calls(lab, offered):
        lab.call = f"{name}({format_arguments(arguments)})"
        try:
            result = call(name, copy.deepcopy(arguments))
        except Exception as error:
            raise Broken(f"{name}({format_arguments(arguments)}) raised {type(error).__name__}: {error}") from error
        demand_json(name, arguments, result)
    lab.call = ""


def demand_untouched(call: Call, offered: list[dict[str, Any]]) -> None:
    """Raise `Broken` if a tool modifies its arguments."""
    for one in offered:
        arguments = valid({**one.get("parameters", {}), "type": "object"})
        given = copy.deepcopy(arguments)
        call(one["name"], given)
        before, after = format_arguments(arguments), format_arguments(given)
        demand(given == arguments, f"{one['name']}({before}) left its arguments as {after}")


def _list_hostile_calls(lab: Lab, offered: list[dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    for one in offered:
        for arguments in hostile(one.get("parameters") or {}, lab.settings["seed"]):
            yield one["name"], arguments
