"""Session variables of contexts, which take precedence over the variables of the process."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextvars import ContextVar
from functools import cached_property

from hermes_sdk.contract import Contract

_MODULE = "gateway.session_context"
_UI = "HERMES_UI_SESSION_ID"
_CRON = "HERMES_CRON_SESSION"
_NO_TEXTS = ("_SESSION_ASYNC_DELIVERY", "_SESSION_HISTORY_DELIVERY", "_SESSION_VARS")


class SessionVariables:
    """Session variables of the current context, as in ``gateway.session_context`` of the release."""

    def __init__(self, contract: Contract) -> None:
        self._contract = contract
        self._values: ContextVar[Mapping[str, str] | None] = ContextVar("session_variables", default=None)

    def get(self, name: str, default: str = "") -> str:
        """Return a variable of the context, otherwise of the process."""
        values = self._values.get() or {}
        return values[name] if name in values else os.environ.get(name, default)

    def describe(self, facts: Mapping[str, str]) -> None:
        """Set the variables of the context; the keys of `facts` are parameters of ``set_session_vars``."""
        given = {_name_variable(fact): value for fact, value in facts.items()}
        set_now = {name: given.get(name, "") for name in self._names if name != _CRON or name in given}
        self._values.set({**(self._values.get() or {}), **set_now})

    def empty(self) -> None:
        """Set all variables of the context to empty strings, which hide the variables of the process."""
        self._values.set({**(self._values.get() or {}), **dict.fromkeys(self._names, "")})

    def reset(self) -> None:
        """Remove all variables of the context."""
        self._values.set({})

    def identify(self, session_id: str, *, in_process: bool = True) -> None:
        """Set the ID of the session in the context, and in the process."""
        if in_process:
            os.environ["HERMES_SESSION_ID"] = session_id
        self._values.set({**(self._values.get() or {}), "HERMES_SESSION_ID": session_id})

    @cached_property
    def _names(self) -> list[str]:
        named = self._contract.names_in(_MODULE)
        own = [f"HERMES{name}" for name in named if name.startswith("_SESSION_") and name.isupper()]
        special = {"HERMES_SESSION_UI_SESSION_ID", *(f"HERMES{name}" for name in _NO_TEXTS)}
        cron = [_CRON] if "_CRON_SESSION" in named else []
        browser = [f"HERMES{name}" for name in named if name.startswith("_BROWSER_CONTROL_")]
        return [*(name for name in own if name not in special), _UI, *cron, *browser]


def _name_variable(fact: str) -> str:
    """Return the name of the variable for a parameter of ``set_session_vars``."""
    if fact == "ui_session_id":
        return _UI
    if fact.startswith(("session_", "browser_control_", "cron_")):
        return f"HERMES_{fact.upper()}"
    return f"HERMES_SESSION_{fact.upper()}"
