"""Parameters that a callback declares."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any


def narrow(callback: Callable[..., Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keyword arguments that a callback declares; all if it has ``**kwargs`` or no signature."""
    if isinstance(callback, FunctionType) and not vars(callback):
        # The code object contains the whole signature; `inspect` takes fifty times as long to read it.
        code = callback.__code__
        if code.co_flags & inspect.CO_VARKEYWORDS:
            return dict(arguments)
        declared = code.co_varnames[code.co_posonlyargcount : code.co_argcount + code.co_kwonlyargcount]
        return {name: value for name, value in arguments.items() if name in declared}
    try:
        parameters = inspect.signature(callback).parameters.values()
    except (TypeError, ValueError):
        return dict(arguments)
    if any(one.kind is one.VAR_KEYWORD for one in parameters):
        return dict(arguments)
    keywords = {one.name for one in parameters if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)}
    return {name: value for name, value in arguments.items() if name in keywords}
