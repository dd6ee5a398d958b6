"""Variables about the session that code runs in; each context has its own, which go before those of the process."""

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
    """The variables of the current context, as ``gateway.session_context`` of a release has them."""

    def __init__(self, contract: Contract) -> None:
        self._contract = contract
        self._values: ContextVar[Mapping[str, str] | None] = ContextVar("session_variables", default=None)

    def get(self, name: str, default: str = "") -> str:
        """Return a variable of the context, or else of the process."""
        values = self._values.get() or {}
        return values[name] if name in values else os.environ.get(name, default)

    def describe(self, facts: Mapping[str, str]) -> None:
        """Describe a session to the context; `facts` go by the parameters of ``set_session_vars``."""
        given = {_name(fact): value for fact, value in facts.items()}
        set_now = {name: given.get(name, "") for name in self._names if name != _CRON or name in given}
        self._values.set({**(self._values.get() or {}), **set_now})

    def empty(self) -> None:
        """Make all variables of the context empty, so that those of the process stay hidden."""
        self._values.set({**(self._values.get() or {}), **dict.fromkeys(self._names, "")})

    def reset(self) -> None:
        """Give up all variables of the context."""
        self._values.set({})

    def identify(self, session_id: str, *, in_process: bool = True) -> None:
        """Set the id of the session in the context, and in the process."""
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


def _name(fact: str) -> str:
    """Return the variable for a parameter of ``set_session_vars``."""
    if fact == "ui_session_id":
        return _UI
    if fact.startswith(("session_", "browser_control_", "cron_")):
        return f"HERMES_{fact.upper()}"
    return f"HERMES_SESSION_{fact.upper()}"
