"""Describes the exception with which a plugin failed to load, as either host keeps it."""

from __future__ import annotations

import re

from hermes_sdk import contract
from hermes_sdk.hosts.exception_hints import suggest_fix
from hermes_sdk.hosts.interface import Failure, Host, Place, Report


def describe_failure(host: Host, report: Report) -> Failure | None:
    """Describe the exception that ended the load of a plugin; None when it loaded, or failed without one."""
    where = f"plugin {report['plugin']['name']}"
    found = sorted(host.swallowed, key=lambda one: one.where != where)
    if report["status"] != "failed" or not found:
        return None
    return {
        "error": found[0].error.removesuffix(": ").replace(str(host.home), "$HERMES_HOME"),
        "fix": suggest_fix(found[0].traceback, contract.load(host.release)),
        "place": _find_place(host, found[0].traceback),
    }


def _find_place(host: Host, traceback: str) -> Place | None:
    """Find the innermost line of the plugin, which lies flat in the home of an inspection."""
    directory = rf"{re.escape(str(host.home))}/(?:plugins|hooks)/[^/\"]+"
    found = re.findall(rf'File "{directory}/([^"]+)", line (\d+)', traceback)
    return {"file": found[-1][0], "line": int(found[-1][1])} if found else None
