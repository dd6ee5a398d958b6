"""Runs one rule inside of a host, and says what came of it in plain data."""

from __future__ import annotations

import traceback
from contextlib import AbstractContextManager
from typing import Any

from . import loading
from .base import Blocked, Broken, NotApplicable, SuiteRule
from .lab import Lab
from .time_limit import TimeUp, limit_time


def suite(name: str) -> Any:
    """The module of a suite, with its `RULES` and its `Lab`."""
    import importlib

    return importlib.import_module(f".{name}", __package__)


def run_named_rule(ctx: Any, asked: dict[str, Any]) -> dict[str, Any]:
    """Hold a rule.

    Args:
        asked: ``suite``, ``code``, ``time_limit`` in seconds, and ``settings`` of the suite as `Lab` takes them.

    Returns:
        What `tried` returns.
    """
    found = suite(asked["suite"])
    rule = next(one for one in found.RULES if one.code == asked["code"])
    lab = found.Lab(ctx, asked["settings"])
    try:
        return tried(rule, lab, limit_time(asked["time_limit"], lab.directory))
    finally:
        lab.close()
        loading.forget()


def tried(rule: SuiteRule, lab: Lab | Any, limit: AbstractContextManager[None]) -> dict[str, Any]:
    """Test a plugin against a rule.

    Args:
        limit: Raises `TimeUp` when the rule takes too long.

    Returns:
        ``outcome`` (``holds``, ``broken``, ``not applicable`` or ``blocked``), ``message``, ``traceback``, and
        ``code``: for ``blocked`` the rule about the step that failed.
    """
    try:
        with limit:
            rule.check(lab)
    except Broken as broken:
        return _outcome("broken", str(broken))
    except NotApplicable as why:
        return _outcome("not applicable", str(why))
    except Blocked as blocked:
        return _make_blocked_result(rule, blocked.code, str(blocked), blocked.trace)
    except TimeUp as up:
        call = getattr(lab, "call", "")
        told = f"{up}, called as {call}" if call else str(up)
        return _make_blocked_result(rule, getattr(lab, "step", "") or rule.code, told)
    except Exception as error:
        return _outcome("broken", f"it raised {type(error).__name__}: {error}", traceback.format_exc())
    return _outcome("holds")


def _make_blocked_result(rule: SuiteRule, code: str, message: str, trace: str = "") -> dict[str, Any]:
    return _outcome("broken" if code == rule.code else "blocked", message, trace, code)


def _outcome(outcome: str, message: str = "", trace: str = "", code: str = "") -> dict[str, Any]:
    # What an error quotes of hostile text need not be text that can be printed.
    plain = message.encode("utf-8", "backslashreplace").decode()
    traced = trace.encode("utf-8", "backslashreplace").decode()
    return {"outcome": outcome, "message": plain, "traceback": traced, "code": code}
