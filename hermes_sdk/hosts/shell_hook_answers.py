"""Answers of shell hooks as a host interprets them, and its log messages about them (I6, I7)."""

from __future__ import annotations

import logging
from typing import Any, NamedTuple

from hermes_sdk.contract import Contract
from hermes_sdk.documents import parse_json
from hermes_sdk.hosts.shell_hooks import BLOCKING_EVENTS, Run, ShellHook

_BLOCKING_STATUS = 2

_INVALID = object()
"""Marks output that is not valid JSON."""


class Verdict(NamedTuple):
    """A host's interpretation of one run of a command.

    Attributes:
        answer: The value that a callback of the hook would return.
        problem: Why the output is not a valid answer; empty if it is valid or there is no output.
        records: The host's log messages, with their levels.
    """

    answer: dict[str, Any] | None
    problem: str
    records: list[tuple[int, str]]


def judge_run(hook: ShellHook, done: Run, contract: Contract) -> Verdict:
    """Interpret the result of a command as the hook's answer, as a release does."""
    about = f"(event={hook.event} command={hook.command})"
    if done.error is not None:
        failure = f"shell hook failed {about}: {done.error}"
        return Verdict(_fail(hook, done.error), "", [(logging.WARNING, failure)])
    if done.timed_out:
        failure = f"shell hook timed out after {done.seconds:.2f}s {about}"
        return Verdict(_fail(hook, f"timed out after {hook.timeout}s"), "", [(logging.WARNING, failure)])
    answer, problem = _parse_answer(hook.event, done.stdout, contract)
    records = [(logging.WARNING, problem)] if problem else []
    stderr = done.stderr.strip()[:400]
    if done.status == _BLOCKING_STATUS and hook.event in BLOCKING_EVENTS and contract.behaviour.shell_hooks_fail_closed:
        if answer is None or answer["action"] != "block":
            answer = {"action": "block", "message": stderr or _find_default_message(contract)}
            records.append((logging.INFO, f"shell hook exited {done.status} — blocking {about}: {answer['message']}"))
        return Verdict(answer, problem, records)
    if done.status != 0:
        # Use the output anyway: commands that block often also return a failure status.
        records.insert(0, (logging.WARNING, f"shell hook exited {done.status} {about}; stderr={stderr}"))
    if answer is None:
        answer = _fail_without_answer(hook, done, contract)
    return Verdict(answer, problem, records)


def _fail(hook: ShellHook, reason: str) -> dict[str, Any] | None:
    if not hook.fail_closed:
        return None
    return {"action": "block", "message": f"hook {hook.command} failed closed: {reason}"}


def _fail_without_answer(hook: ShellHook, done: Run, contract: Contract) -> dict[str, Any] | None:
    """Block the call if the command returned no answer and the hook fails closed."""
    if done.status != 0 and contract.behaviour.shell_hook_status_fails_closed:
        return _fail(hook, f"hook exited {done.status} with no directive")
    if done.stdout.strip() and not isinstance(_decode(done.stdout), dict):
        return _fail(hook, "unparseable stdout (expected a JSON object)")
    return None


def _decode(stdout: str) -> Any:
    try:
        return parse_json(stdout)
    except (ValueError, RecursionError):
        return _INVALID


def _parse_answer(event: str, stdout: str, contract: Contract) -> tuple[dict[str, Any] | None, str]:
    """Return the value that a callback of the hook would return, and the problem with the output or an empty string."""
    stdout = stdout.strip()
    if not stdout:
        return None, ""
    content = _decode(stdout)
    if content is _INVALID:
        return None, f"shell hook stdout was not valid JSON (event={event}): {stdout[:200]}"
    return (_to_return_value(event, content, contract) if isinstance(content, dict) else None), ""


def _to_return_value(event: str, content: dict[str, Any], contract: Contract) -> dict[str, Any] | None:
    if event == "pre_tool_call":
        return _block(content, contract) or _modify(content, contract) or _approve(content, contract)
    if event == "pre_verify":
        action = str(content.get("action") or content.get("decision") or "").strip().lower()
        message = content.get("message") or content.get("reason")
        goes_on = action in ("continue", "block") and isinstance(message, str) and message.strip()
        return {"action": "continue", "message": goes_on} if goes_on else None
    context = content.get("context")
    return {"context": context} if isinstance(context, str) and context.strip() else None


def _block(content: dict[str, Any], contract: Contract) -> dict[str, Any] | None:
    if content.get("action") == "block":
        message = content.get("message") or content.get("reason")
    elif content.get("decision") == "block":
        message = content.get("reason") or content.get("message")
    else:
        return None
    if isinstance(message, str) and message:
        return {"action": "block", "message": message}
    default = _find_default_message(contract)
    return {"action": "block", "message": default} if default else None


def _find_default_message(contract: Contract) -> str | None:
    message: str | None = contract.section("shell_hooks")["default_block_message"]
    return message


def _modify(content: dict[str, Any], contract: Contract) -> dict[str, Any] | None:
    for verb, arguments in (("action", "args"), ("decision", "tool_input")):
        if content.get(verb) == "modify" and isinstance(content.get(arguments), dict):
            return {"action": "modify", "args": content[arguments]} if contract.behaviour.modify_directive else None
    return None


def _approve(content: dict[str, Any], contract: Contract) -> dict[str, Any] | None:
    if content.get("action") != "approve" or not contract.behaviour.shell_hooks_approve:
        return None
    texts = {key: content[key].strip() for key in ("message", "rule_key") if isinstance(content.get(key), str)}
    return {"action": "approve", **{key: text for key, text in texts.items() if text}}
