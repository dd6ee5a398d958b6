"""Running of one rule inside a host, with a result in plain data."""

from __future__ import annotations

import traceback
from collections.abc import Generator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

from . import loading
from .base import Blocked, Broken, NotApplicable, SuiteRule
from .calls import Calls, record_calls
from .lab import Lab
from .places import locate_functions
from .time_limit import TimeUp, limit_time


def suite(name: str) -> Any:
    """Return the module of a suite, with its `RULES` and its `Lab`."""
    import importlib

    return importlib.import_module(f".{name}", __package__)


def run_named_rule(ctx: Any, asked: dict[str, Any]) -> dict[str, Any]:
    """Run a rule inside the host.

    Args:
        ctx: The context of the plugin with the rules.
        asked: ``suite``, ``code``, ``time_limit`` in seconds, ``hung`` (codes of rules, by the place where the plugin
            hung) and the ``settings`` of `Lab`.

    Returns:
        The result of `try_rule`.
    """
    found = suite(asked["suite"])
    rule = next(one for one in found.RULES if one.code == asked["code"])
    lab = found.Lab(ctx, asked["settings"])

    @contextmanager
    def limit_rule() -> Generator[None]:
        with limit_time(asked["time_limit"], lab.directory, asked["hung"]):
            try:
                yield
            finally:
                lab.close(asked["hung"])

    try:
        record = asked["settings"]["record_calls"]
        return try_rule(rule, lab, lab.directory, limit_rule(), asked["hung"], record=record)
    finally:
        loading.forget()


def try_rule(
    rule: SuiteRule,
    lab: Lab | Any,
    plugin: Path,
    limit: AbstractContextManager[None],
    hung: Mapping[str, str],
    *,
    record: bool,
) -> dict[str, Any]:
    """Test a plugin against a rule.

    Args:
        plugin: The directory of the plugin.
        limit: Raises `TimeUp` if the rule takes too long.
        hung: Codes of rules, by the place where the plugin hung before.
        record: Whether to record which functions of the plugin run.

    Returns:
        ``outcome`` (``holds``, ``broken``, ``not applicable`` or ``blocked``), ``message``, ``traceback``, ``code``
        (for ``blocked``, the rule about the failed step), and, after a timeout, ``place`` (the current line of the
        plugin's code), otherwise ``called`` (the recorded functions that ran last).
    """
    calls = Calls(plugin)
    recording = record_calls(calls) if record else nullcontext()
    result = _judge(rule, lab, limit, recording, hung)
    result["message"] = locate_functions(result["message"], plugin)
    return {**result, "called": "" if result.get("place") else str(calls)}


def _judge(
    rule: SuiteRule,
    lab: Lab | Any,
    limit: AbstractContextManager[None],
    recording: AbstractContextManager[None],
    hung: Mapping[str, str],
) -> dict[str, Any]:
    try:
        with limit, recording:
            rule.check(lab)
    except Broken as broken:
        return _outcome("broken", str(broken), broken.trace)
    except NotApplicable as why:
        return _outcome("not applicable", str(why))
    except Blocked as blocked:
        return _make_blocked_result(rule, blocked.code, str(blocked), blocked.trace)
    except TimeUp as up:
        call = getattr(lab, "call", "")
        message = f"{up}, called as {call}" if call else str(up)
        code = hung.get(up.place) or getattr(lab, "step", "") or rule.code
        return {**_make_blocked_result(rule, code, message), "place": up.place}
    except Exception as error:
        return _outcome("broken", f"it raised {type(error).__name__}: {error}", traceback.format_exc())
    return _outcome("holds")


def _make_blocked_result(rule: SuiteRule, code: str, message: str, trace: str = "") -> dict[str, Any]:
    return _outcome("broken" if code == rule.code else "blocked", message, trace, code)


def _outcome(outcome: str, message: str = "", trace: str = "", code: str = "") -> dict[str, Any]:
    # Errors may quote surrogates of hostile text, which cannot be encoded.
    plain = message.encode("utf-8", "backslashreplace").decode()
    traced = trace.encode("utf-8", "backslashreplace").decode()
    return {"outcome": outcome, "message": plain, "traceback": traced, "code": code}
