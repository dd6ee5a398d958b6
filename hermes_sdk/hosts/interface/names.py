"""Checks of hook and command names in tests, because a host silently ignores unknown names."""

from __future__ import annotations

from collections.abc import Collection

from hermes_sdk.contract import Contract
from hermes_sdk.contract.suggestions import suggest, suggest_name
from hermes_sdk.errors import UsageError


def require_hook(hook: str, release: str, promised: Contract, used: Collection[str]) -> None:
    """Check that a release fires a hook.

    Args:
        promised: The contract of the release, or the closest one.
        used: The hooks for which a plugin has registered a callback.

    Raises:
        UsageError: The release has no such hook.
    """
    __tracebackhide__ = True
    # A Git revision may have hooks that the closest contract lacks.
    if hook in promised.hooks or (release != promised.release and hook in used):
        return
    suggestion = suggest(str(hook), promised, lambda other: other.hooks)
    listing = f"To list all hooks, run `hermes-sdk contract show {promised.release}`."
    raise UsageError(
        f"fire: Hermes {release} has no hook {hook!r}{suggestion}",
        fix=f"The plugins use these hooks: {_join(used)}. {listing}",
    )


def require_command(line: str, promised: Contract, known: Collection[str]) -> None:
    """Check that a line runs one of the `known` commands of plugins.

    Raises:
        UsageError: The line does not begin with a slash, or no plugin has the command.
    """
    __tracebackhide__ = True
    from hermes_sdk.llm.answers import expect

    expect("command: line", line, str)
    word = next(iter(line.split()), "")
    name = word.lower().lstrip("/")
    if word.startswith("/") and (name in known or line.split() == ["/new"]):
        return
    suggestion = suggest_name(f"/{name}", [f"/{one}" for one in known])
    if not word.startswith("/"):
        problem = f"{line!r} does not begin with a slash, so it is a message for the agent{suggestion}"
    elif name in promised.slash_commands:
        problem = f"/{name} is a built-in command of Hermes; only /new is available here"
    else:
        problem = f"no plugin has the command /{name}{suggestion}"
    raise UsageError(f"command: {problem}", fix=f"Commands of the plugins: {_join([f'/{one}' for one in known])}.")


def _join(names: Collection[str]) -> str:
    return ", ".join(names) or "none"
