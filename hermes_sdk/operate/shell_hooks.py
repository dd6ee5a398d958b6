"""The shell hooks of a home without Hermes: what is configured and allowed, trial runs, and the withdrawal of consent.

`fire` and `examine` run the configured commands, as the user, in the present directory.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Generator, Mapping
from datetime import datetime, timedelta
from typing import Any, Literal, TypedDict

from hermes_sdk import contract
from hermes_sdk.contract import Contract
from hermes_sdk.documents import parse_json
from hermes_sdk.errors import UsageError
from hermes_sdk.home import Home
from hermes_sdk.home.allowlist import Allowlist, is_executable, modification_time
from hermes_sdk.hosts.config import HostConfig, expand_variables
from hermes_sdk.hosts.shell_hook_answers import judge_run
from hermes_sdk.hosts.shell_hooks import ShellHook, read_hooks, run_command, sample_payload

_NOT_ALLOWED = "not allowed: it runs only after you start Hermes with --accept-hooks or answer its prompt"


class Hook(TypedDict):
    """One shell hook: its entry in the configuration, and the consent to it.

    ``approved_at`` is None without consent. ``changed`` says whether its script was changed after the consent, at
    ``script_mtime``; None where that cannot be told.
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
    """One run of a command.

    ``payload`` is what the command read as JSON on standard input. ``exit_status`` is None when it did not start or was
    killed at its time limit; ``error`` says why it did not start. ``answer`` is what the host takes from its output;
    ``problem`` says why it takes nothing, empty when that is right.
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
    """One thing that `examine` looked at."""

    name: Literal["executable", "allowed", "unchanged", "output"]
    state: Literal["ok", "issue", "skipped"]
    message: str


class Examined(Hook):
    """A shell hook with what was found about it; ``run`` is None when it was not tried."""

    checks: list[Check]
    run: Trial | None


def list_hooks(home: Home, release: str = contract.DEFAULT) -> tuple[list[Hook], list[str]]:
    """List the shell hooks of a home.

    Returns:
        The hooks that count, in the order of the configuration, and warnings about entries that do not and about a
        consent file that cannot be read.

    Raises:
        UsageError: The configuration cannot be read.
    """
    hooks, warnings = _load_configured_hooks(home, contract.load(release))
    return [_facts(hook, home.allowlist) for hook in hooks], warnings


def fire(
    home: Home,
    event: str,
    *,
    tool: str | None = None,
    arguments: Mapping[str, Any] | None = None,
    release: str = contract.DEFAULT,
) -> list[Trial]:
    """Run the commands of one hook, with or without consent, on arguments such as the host passes.

    Args:
        tool: The tool that is called; only commands whose matcher fits it run. Default: all commands run.
        arguments: Arguments of the hook that replace those of the trial or add to them.

    Raises:
        UsageError: The release has no such hook, or the configuration cannot be read.
    """
    model = contract.load(release)
    if event not in model.hooks:
        raise UsageError(
            f"Hermes {release} has no hook {event!r}.", fix=f"Use one of: {', '.join(sorted(model.hooks))}."
        )
    given = {**({"tool_name": tool} if tool else {}), **(arguments or {})}
    hooks = [hook for hook in _load_configured_hooks(home, model)[0] if hook.event == event]
    wanted = [hook for hook in hooks if tool is None or hook.matches(tool)]
    with _set_host_environment(home):
        return [_try(hook, model, given) for hook in wanted]


def examine(home: Home, release: str = contract.DEFAULT) -> tuple[list[Examined], list[str]]:
    """Look for what would keep the shell hooks of a home from working; those that are allowed are tried.

    Returns:
        The hooks with what was found, and the warnings of `list_hooks`.

    Raises:
        UsageError: The configuration cannot be read.
    """
    model = contract.load(release)
    hooks, warnings = _load_configured_hooks(home, model)
    with _set_host_environment(home):
        return [_examine(hook, model, home.allowlist) for hook in hooks], warnings


def revoke(home: Home, command: str) -> int:
    """Withdraw the consent to a command, for all hooks; hosts that run already keep it until they start again.

    Args:
        command: The exact text of the command, as it stands in the configuration or with its variables filled in.

    Returns:
        For how many hooks there was consent.

    Raises:
        UsageError: The file that holds the consent cannot be read.
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
    told = f"{home.allowlist.path.name} cannot be read, so no shell hook is allowed: {problem}"
    return hooks, [*warnings, told] if problem else warnings


@contextlib.contextmanager
def _set_host_environment(home: Home) -> Generator[None]:
    """Set the variables that a host on this home has, for the configuration and the commands to use."""
    before = dict(os.environ)
    os.environ.update({**home.env, "HERMES_HOME": str(home.path)})
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _facts(hook: ShellHook, allowlist: Allowlist) -> Hook:
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
    """Return whether a moment is later than another; None if they cannot be compared, as for a restored old script."""
    try:
        order = datetime.fromisoformat(moment) - datetime.fromisoformat(str(than))
    except (ValueError, TypeError):
        return None
    return bool(order) if order >= timedelta() else None


def _try(hook: ShellHook, model: Contract, given: Mapping[str, Any]) -> Trial:
    payload = sample_payload(hook.event, model, given)
    done = run_command(hook, payload, strict=not model.behaviour.shell_hook_output_replaced)
    verdict = judge_run(hook, done, model)
    return {
        "command": hook.command,
        "payload": parse_json(payload),
        "exit_status": done.status,
        "seconds": done.seconds,
        "stdout": done.stdout,
        "stderr": done.stderr,
        "timed_out": done.timed_out,
        "error": done.error,
        "answer": verdict.answer,
        "problem": verdict.problem,
    }


def _examine(hook: ShellHook, model: Contract, allowlist: Allowlist) -> Examined:
    facts = _facts(hook, allowlist)
    can_run = is_executable(hook.command)
    trial = _try(hook, model, {}) if can_run and facts["allowed"] else None
    checks = [_check("executable", can_run, "the script can run", "the script is missing or not executable")]
    since = f"allowed since {facts['approved_at'] or 'an unknown time'}"
    checks.append(_check("allowed", facts["allowed"], since, _NOT_ALLOWED))
    if facts["changed"] is not None:
        later = f"the script changed at {facts['script_mtime']}: review it, then revoke and renew the consent"
        checks.append(_check("unchanged", not facts["changed"], "the script has not changed since", later))
    checks.append(_output(hook, trial))
    return {**facts, "checks": checks, "run": trial}


def _output(hook: ShellHook, trial: Trial | None) -> Check:
    if trial is None:
        return {"name": "output", "state": "skipped", "message": "not tried"}
    if trial["timed_out"]:
        return _check("output", False, "", f"timed out after {hook.timeout} s and was killed")
    if trial["error"] is not None:
        return _check("output", False, "", f"the command could not run: {trial['error']}")
    took = f"(exit status {trial['exit_status']}, {trial['seconds']} s)"
    said = "valid JSON" if trial["stdout"].strip() else "no output, so the hook changes nothing"
    return _check("output", not trial["problem"], f"{said} {took}", f"the output is not valid JSON {took}")


def _check(name: Literal["executable", "allowed", "unchanged", "output"], good: bool, yes: str, no: str) -> Check:
    return {"name": name, "state": "ok" if good else "issue", "message": yes if good else no}
