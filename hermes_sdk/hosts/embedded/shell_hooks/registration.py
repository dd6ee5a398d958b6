"""Allowed shell hooks, and the callbacks that run them (statements I6 to I10)."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from hermes_sdk.contract import Contract
from hermes_sdk.errors import UnavailableError
from hermes_sdk.home.allowlist import Allowlist
from hermes_sdk.hosts.embedded.hooks import Callback, Hooks
from hermes_sdk.hosts.embedded.process.environment import is_word_on, truthy
from hermes_sdk.hosts.shell_hook_answers import judge_run
from hermes_sdk.hosts.shell_hooks import ShellHook, encode_payload, read_hooks, run_command

logger = logging.getLogger("agent.shell_hooks")

_NOT_ALLOWED = (
    "shell hook for %s (%s) not allowlisted — skipped. Accept it with --accept-hooks,"
    " HERMES_ACCEPT_HOOKS=1 or hooks_auto_accept: true."
)
_NOT_SAVED = "Failed to persist shell hook allowlist to %s: %s. It is approved for this run only."


def register_allowed(
    hooks: Hooks, contract: Contract, config: Mapping[str, Any], allowlist: Allowlist, *, accept: bool
) -> None:
    """Add the commands that the user allowed and that are not registered yet, after the existing callbacks.

    There is no prompt, as on a host without a terminal; `accept` allows every command, as ``--accept-hooks`` does,
    and adds it to the allow-list. A failure never stops a host (I7).
    """
    accept = accept or truthy("HERMES_ACCEPT_HOOKS") or _accepts(config.get("hooks_auto_accept"))
    try:
        found, warnings = read_hooks(config, contract)
        for warning in warnings:
            logger.warning(warning)
        for hook in found:
            identity = (hook.event, hook.matcher, hook.command)
            if not hooks.has_shell_hook(identity) and _is_allowed(hook, allowlist, accept):
                hooks.register_shell_hook(hook.event, _make_callback(hook, contract), identity)
                logger.info(_describe(hook, contract))
    except Exception:
        logging.getLogger("hermes_cli.main").debug("shell-hook registration failed at CLI startup", exc_info=True)


def _describe(hook: ShellHook, contract: Contract) -> str:
    closed = f", fail_closed={hook.fail_closed}" if contract.behaviour.shell_hooks_fail_closed else ""
    described = f"(matcher={hook.matcher}, timeout={hook.timeout}s{closed})"
    return f"shell hook registered: {hook.event} -> {hook.command} {described}"


def _accepts(setting: Any) -> bool:
    return setting is True or (isinstance(setting, str) and is_word_on(setting))


def _is_allowed(hook: ShellHook, allowlist: Allowlist, accept: bool) -> bool:
    if allowlist.approval(hook.event, hook.command) is not None:
        return True
    if not accept:
        logger.warning(_NOT_ALLOWED, hook.event, hook.command)
        return False
    try:
        allowlist.approve(hook.event, hook.command)
    except UnavailableError as error:
        # Without the lock, registration stops; without the file, the approval applies only to this run.
        if error.where == str(allowlist.lock_path):
            raise
        logger.warning(_NOT_SAVED, allowlist.path, error.__cause__)
    logger.info("shell hook auto-approved via --accept-hooks / env / config: %s -> %s", hook.event, hook.command)
    return True


def _make_callback(hook: ShellHook, contract: Contract) -> Callback:
    def callback(**arguments: Any) -> dict[str, Any] | None:
        if not hook.matches(arguments.get("tool_name")):
            return None
        strict = not contract.behaviour.shell_hook_output_replaced
        done = run_command(hook, encode_payload(hook.event, arguments, contract), strict=strict)
        verdict = judge_run(hook, done, contract)
        for level, text in verdict.records:
            logger.log(level, text)
        return verdict.answer

    callback.__name__ = callback.__qualname__ = f"shell_hook[{hook.event}:{hook.command}]"
    return callback
