"""Runs one rule inside of a host, and says what came of it in plain data."""

from __future__ import annotations

import traceback
from typing import Any

from . import loading
from .base import Broken, NotApplicable, Rule
from .lab import Lab


def suite(name: str) -> Any:
    """The module of a suite, with its `RULES` and its `Lab`."""
    import importlib

    return importlib.import_module(f".{name}", __package__)


def held(ctx: Any, asked: dict[str, Any]) -> dict[str, Any]:
    """Hold a rule.

    Args:
        ctx: The context of this plugin.
        asked: ``suite``, ``code``, and ``settings`` of the suite as `Lab` takes them.

    Returns:
        ``outcome`` (``holds``, ``broken`` or ``not applicable``), ``message`` and ``traceback``.
    """
    found = suite(asked["suite"])
    rule = next(one for one in found.RULES if one.code == asked["code"])
    lab = found.Lab(ctx, asked["settings"])
    try:
        return tried(rule, lab)
    finally:
        lab.close()
        loading.forget()


def tried(rule: Rule, lab: Lab | Any) -> dict[str, Any]:
    """Hold a rule, with what it works with."""
    try:
        rule.check(lab)
    except Broken as broken:
        return _outcome("broken", str(broken))
    except NotApplicable as why:
        return _outcome("not applicable", str(why))
    except Exception as error:
        return _outcome("broken", f"it raised {type(error).__name__}: {error}", traceback.format_exc())
    return _outcome("holds")


def _outcome(outcome: str, message: str = "", trace: str = "") -> dict[str, Any]:
    # What an error quotes of hostile text need not be text that can be printed.
    plain = message.encode("utf-8", "backslashreplace").decode()
    return {"outcome": outcome, "message": plain, "traceback": trace.encode("utf-8", "backslashreplace").decode()}
