"""Shell hooks of a home: configured and allowed hooks, trial runs, and revocation of consent, without Hermes.

`fire` and `examine` run the configured commands as the user in the current directory.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Generator, Mapping
from datetime import datetime, timedelta
from typing import Any, Literal, TypedDict

from hermes_sdk import contract
from hermes_sdk.contract import Contract
from hermes_sdk.contract.suggestions import suggest
from hermes_sdk.documents import parse_json
from hermes_sdk.errors import UsageError
from hermes_sdk.home import Home
from hermes_sdk.home.allowlist import Allowlist, is_executable, modification_time
from hermes_sdk.hosts.config import HostConfig, expand_variables
from hermes_sdk.hosts.shell_hook_answers import judge_run
from hermes_sdk.hosts.shell_hooks import ShellHook, read_hooks, run_command, sample_payload

_NOT_ALLOWED = "not allowed: it runs only after you start Hermes with --accept-hooks or answer its prompt"


class Hook(TypedDict):
    """A configured shell hook and the user's consent to it.

    ``approved_at`` is None without consent. ``changed`` is whether its script was changed, at ``script_mtime``, after
    the consent; None if unknown.
    """

    event: str
    command: str
    matcher: str | None
    timeout: int
    allowed: bool
    approved_at: str | None
    changed: bool | None
    script_mtime: str | None


class Trial(TypedDict):
    """A trial run of a command.

    ``payload`` is the JSON on the command's standard input. ``exit_status`` is None if the command did not start or
    timed out; ``error`` is why it did not start. ``answer`` is the host's interpretation of the output; ``problem`` is
    why the host ignores the output, or empty.
    """

    command: str
    payload: dict[str, Any]
    exit_status: int | None
    seconds: float
    stdout: str
    stderr: str
    timed_out: bool
    error: str | None
    answer: dict[str, Any] | None
    problem: str


class Check(TypedDict):
    """Result of one check by `examine`."""

    name: Literal["executable", "allowed", "unchanged", "output"]
    state: Literal["ok", "issue", "skipped"]
    message: str


class Examined(Hook):
    """A shell hook with the results of its checks; ``run`` is None if it was not tried."""

    checks: list[Check]
    run: Trial | None


def list_hooks(home: Home, release: str = contract.DEFAULT) -> tuple[list[Hook], list[str]]:
    """List the shell hooks of a home.

    Returns:
        The valid hooks, in the order of the configuration, and warnings about invalid entries and an unreadable consent
        file.

    Raises:
        UsageError: The configuration cannot be read.
    """
    hooks, warnings = _load_configured_hooks(home, contract.load(release))
    return [_describe_hook(hook, home.allowlist) for hook in hooks], warnings


def fire(
    home: Home,
    event: str,
    *,
    tool: str | None = None,
    arguments: Mapping[str, Any] | None = None,
    release: str = contract.DEFAULT,
) -> list[Trial]:
    """Run the commands of a hook, with or without consent, on arguments such as the host passes.

    Args:
        tool: The called tool; only commands whose matcher matches it run. Default: all commands run.
        arguments: Arguments of the hook that override or extend the sample arguments.

    Raises:
        UsageError: The release has no such hook, or the configuration cannot be read.
    """
    model = contract.load(release)
    if event not in model.hooks:
        raise UsageError(
            f"Hermes {release} has no hook {event!r}{suggest(event, model, lambda other: other.hooks)}",
            fix=f"To list all hooks, run `hermes-sdk contract show {release}`.",
        )
    given = {**({"tool_name": tool} if tool else {}), **(arguments or {})}
    hooks = [hook for hook in _load_configured_hooks(home, model)[0] if hook.event == event]
    wanted = [hook for hook in hooks if tool is None or hook.matches(tool)]
    with _set_host_environment(home):
        return [_run_trial(hook, model, given) for hook in wanted]


def examine(home: Home, release: str = contract.DEFAULT) -> tuple[list[Examined], list[str]]:
    """Check the shell hooks of a home for problems; allowed ones are run.

    Returns:
        The hooks with the results of their checks, and the warnings of `list_hooks`.

    Raises:
        UsageError: The configuration cannot be read.
    """
    model = contract.load(release)
    hooks, warnings = _load_configured_hooks(home, model)
    with _set_host_environment(home):
        return [_examine(hook, model, home.allowlist) for hook in hooks], warnings


def revoke(home: Home, command: str) -> int:
    """Revoke the consent to a command for all hooks; running hosts keep the hook until they restart.

    Args:
        command: The exact command, as in the configuration or with its variables expanded.

    Returns:
        The number of hooks with revoked consent.

    Raises:
        UsageError: The consent file cannot be read.
        UnavailableError: The home is managed or cannot be written.
    """
    home.refuse_managed()
    allowlist = home.allowlist
    if allowlist.problem:
        raise UsageError(
            f"the list of allowed shell hooks cannot be read: {allowlist.problem}",
            where=str(allowlist.path),
            fix="Correct or remove the file. Until then, Hermes runs no shell hook.",
        )
    with _set_host_environment(home):
        texts = {command, expand_variables(command)}
    return sum(allowlist.revoke(text) for text in texts)


def _load_configured_hooks(home: Home, model: Contract) -> tuple[list[ShellHook], list[str]]:
    if home.config_problem:
        raise UsageError(
            f"the configuration cannot be read: {home.config_problem}",
            where=str(home.config_path),
            fix="Correct the file. Until then, Hermes ignores all of it.",
        )
    with _set_host_environment(home):
        hooks, warnings = read_hooks(HostConfig(home.config_path, model.behaviour).read(), model)
    problem = home.allowlist.problem
    warning = f"{home.allowlist.path.name} cannot be read, so no shell hook is allowed: {problem}"
    return hooks, [*warnings, warning] if problem else warnings


@contextlib.contextmanager
def _set_host_environment(home: Home) -> Generator[None]:
    """Set the variables of a host on this home, for the configuration and the commands."""
    before = dict(os.environ)
    os.environ.update({**home.env, "HERMES_HOME": str(home.path)})
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _describe_hook(hook: ShellHook, allowlist: Allowlist) -> Hook:
    approval = allowlist.approval(hook.event, hook.command)
    then = (approval or {}).get("script_mtime_at_approval")
    now = modification_time(hook.command)
    return {
        "event": hook.event,
        "command": hook.command,
        "matcher": hook.matcher,
        "timeout": hook.timeout,
        "allowed": approval is not None,
        "approved_at": None if approval is None else str(approval.get("approved_at") or ""),
        "changed": _is_later(now, than=then) if now and then else None,
        "script_mtime": now,
    }


def _is_later(moment: str, *, than: Any) -> bool | None:
    """Return whether a time is later than another; None if it is earlier (a restored old script), or not valid."""
    try:
        order = datetime.fromisoformat(moment) - datetime.fromisoformat(str(than))
    except (ValueError, TypeError):
        return None
    return bool(order) if order >= timedelta() else None


def _run_trial(hook: ShellHook, model: Contract, given: Mapping[str, Any]) -> Trial:
    payload = sample_payload(hook.event, model, given)
    completed = run_command(hook, payload, strict=not model.behaviour.shell_hook_output_replaced)
    verdict = judge_run(hook, completed, model)
    return {
        "command": hook.command,
        "payload": parse_json(payload),
        "exit_status": completed.status,
        "seconds": completed.seconds,
        "stdout": completed.stdout,
        "stderr": completed.stderr,
        "timed_out": completed.timed_out,
        "error": completed.error,
        "answer": verdict.answer,
        "problem": verdict.problem,
    }


def _examine(hook: ShellHook, model: Contract, allowlist: Allowlist) -> Examined:
    facts = _describe_hook(hook, allowlist)
    can_run = is_executable(hook.command)
    trial = _run_trial(hook, model, {}) if can_run and facts["allowed"] else None
    checks = [_report_check("executable", can_run, "the script can run", "the script is missing or not executable")]
    since = f"allowed since {facts['approved_at'] or 'an unknown time'}"
    checks.append(_report_check("allowed", facts["allowed"], since, _NOT_ALLOWED))
    if facts["changed"] is not None:
        later = f"the script changed at {facts['script_mtime']}: review it, then revoke and renew the consent"
        checks.append(_report_check("unchanged", not facts["changed"], "the script has not changed since", later))
    checks.append(_check_output(hook, trial))
    return {**facts, "checks": checks, "run": trial}


def _check_output(hook: ShellHook, trial: Trial | None) -> Check:
    if trial is None:
        return {"name": "output", "state": "skipped", "message": "not tried"}
    if trial["timed_out"]:
        return _report_check("output", False, "", f"timed out after {hook.timeout} s and was killed")
    if trial["error"] is not None:
        return _report_check("output", False, "", f"the command could not run: {trial['error']}")
    result = f"(exit status {trial['exit_status']}, {trial['seconds']} s)"
    said = "valid JSON" if trial["stdout"].strip() else "no output, so the hook changes nothing"
    return _report_check("output", not trial["problem"], f"{said} {result}", f"the output is not valid JSON {result}")


def _report_check(
    name: Literal["executable", "allowed", "unchanged", "output"], good: bool, yes: str, no: str
) -> Check:
    return {"name": name, "state": "ok" if good else "issue", "message": yes if good else no}
