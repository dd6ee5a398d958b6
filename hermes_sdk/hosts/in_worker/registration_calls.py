"""Recording of the ``ctx.register_*`` calls of plugins, with their lines and handlers."""

from __future__ import annotations

import functools
import inspect
import json
import os
from collections.abc import Mapping
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple

from .registration_parameters import CALLABLE_PARAMETERS, NAME_PARAMETERS, REQUIRED_CALLABLES

LOADER = "hermes_sdk_loader.py"
"""The module that imports a core-tool file, in the plugin that `staging.core_tool` creates for it."""


class _Call(NamedTuple):
    member: str
    arguments: Mapping[str, Any]
    file: str | None
    line: int | None


class Inspector:
    """Recorder of calls, in their order."""

    def __init__(self) -> None:
        self._calls: list[_Call] = []

    def note(self, member: str, arguments: Mapping[str, Any]) -> None:
        """Record a call; the caller is the innermost frame with a file that is not ours."""
        frame = inspect.currentframe()
        while frame is not None and _is_ours(frame.f_code.co_filename):
            frame = frame.f_back
        place = (frame.f_code.co_filename, frame.f_lineno) if frame else (None, None)
        self._calls.append(_Call(member, arguments, *place))

    def registrations(self, home: Path) -> list[dict[str, Any]]:
        """Return the calls as JSON values, with files relative to the plugin's directory.

        Each has the keys of `interface.Registration`.
        """
        return [_registration(call, home) for call in self._calls]


def _is_ours(file: str) -> bool:
    return file.startswith(("<PluginContext", str(Path(__file__).parents[1]))) or file.endswith(f"/{LOADER}")


def _registration(call: _Call, home: Path) -> dict[str, Any]:
    arguments = call.arguments
    called_back = next((arguments[name] for name in CALLABLE_PARAMETERS if arguments.get(name) is not None), None)
    schema, setup = arguments.get("schema"), arguments.get("setup_fn")
    return {
        "call": call.member,
        "name": str(next((arguments[name] for name in NAME_PARAMETERS if name in arguments), "")),
        "file": _relative(call.file, home),
        "line": call.line,
        "callable": _describe_callable(called_back, home) if callable(called_back) else None,
        "uncallable": _find_uncallable(arguments),
        "setup": _describe_callable(setup, home) if callable(setup) else None,
        "schema": json.loads(json.dumps(schema, default=repr)) if _is_json_like(schema) else repr(schema),
        "toolset": arguments.get("toolset"),
        "is_async": bool(arguments.get("is_async")),
    }


def _find_uncallable(arguments: Mapping[str, Any]) -> str | None:
    """Return the type of a handler that is not callable; None if the handler is callable."""
    values = [arguments[name] for name in REQUIRED_CALLABLES if name in arguments]
    return next((type(value).__name__ for value in values if not callable(value)), None)


def _is_json_like(value: Any) -> bool:
    return value is None or isinstance(value, (dict, list, str, int, float, bool))


def _relative(file: str | None, home: Path) -> str | None:
    """Remove ``H/plugins/<directory>/`` from a path: the directory of a plugin in the home of an inspection.

    For the linked files of a package, return the absolute path.
    """
    plugins = home / "plugins"
    if file is not None and Path(file).is_relative_to(home / ".site-packages"):
        return os.path.realpath(file)
    if file is None or not Path(file).is_relative_to(plugins):
        return None
    return Path(*Path(file).relative_to(plugins).parts[1:]).as_posix()


def _describe_callable(function: Any, home: Path) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "file": None,
        "line": None,
        "name": getattr(function, "__name__", type(function).__name__),
        "accepts_var_keyword": True,
        "is_coroutine": False,
        "parameters": [],
        "takes_one": True,
    }
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        # The parameters are unknown, so rules must not report them.
        return facts
    parameters = signature.parameters
    if code := _code(function):
        facts["file"], facts["line"] = _relative(code.co_filename, home), code.co_firstlineno
    facts["accepts_var_keyword"] = any(one.kind is one.VAR_KEYWORD for one in parameters.values())
    facts["is_coroutine"] = inspect.iscoroutinefunction(function)
    facts["parameters"] = list(parameters)
    facts["takes_one"] = _takes_one(signature)
    return facts


def _takes_one(signature: inspect.Signature) -> bool:
    try:
        signature.bind(None)
    except TypeError:
        return False
    return True


def _code(function: Any) -> CodeType | None:
    while isinstance(function, functools.partial):
        function = function.func
    function = inspect.unwrap(function)
    function = getattr(function, "__func__", function)
    if not hasattr(function, "__code__"):
        function = type(function).__call__
    code = getattr(function, "__code__", None)
    return code if isinstance(code, CodeType) else None
