"""Shell hooks: JSON input and output of the commands under ``hooks.<event>`` in ``config.yaml``.

In a Python program::

    payload: ToolShellHookPayload = json.load(sys.stdin)

The exit status is ignored. The host reads printed JSON for the three hooks below; it logs a warning for other text. The
timeout is 60 seconds, or the ``timeout`` of the command, up to 300 seconds.
"""

from typing import Any, Literal, NotRequired, TypedDict

from hermes_sdk.api.hooks.tool_calls import ApproveToolCall, BlockToolCall, ModifyToolCall
from hermes_sdk.api.hooks.turns import ContinueTurn, InjectContext

__all__ = [
    "BlockToolCallDecision",
    "ContinueTurnDecision",
    "ModifyToolCallDecision",
    "OtherShellHookPayload",
    "PreLlmCallShellOutput",
    "PreToolCallShellOutput",
    "PreVerifyShellOutput",
    "ShellHookPayload",
    "ToolShellHookPayload",
]


class _ShellHookPayload(TypedDict):
    """Input of every shell hook.

    Attributes:
        hook_event_name: Name of the hook.
        session_id: Identifies the session, that of the parent for subagents; empty if there is none.
        cwd: Working directory of the host; empty if it no longer exists.
        extra: The other arguments of the hook, as in its type in `hermes_sdk.api.hooks`; values that JSON cannot
            represent become text.
        profile: The active profile. Since 0.21.3.
    """

    hook_event_name: str
    session_id: str
    cwd: str
    extra: dict[str, Any]
    profile: str


class ToolShellHookPayload(_ShellHookPayload):
    """Input of shell hooks for ``pre_tool_call``, ``post_tool_call`` and ``transform_tool_result``.

    Attributes:
        tool_name: The tool's name.
        tool_input: The arguments of the call.
    """

    tool_name: str
    tool_input: dict[str, Any]


class OtherShellHookPayload(_ShellHookPayload):
    """Input of shell hooks for all other hooks.

    Attributes:
        tool_name: Always None.
        tool_input: Always None.
    """

    tool_name: None
    tool_input: None


ShellHookPayload = ToolShellHookPayload | OtherShellHookPayload
"""Input of any shell hook. A command for several hooks can compare ``tool_name`` and ``tool_input`` with None."""


class BlockToolCallDecision(TypedDict):
    """Do not run the tool; same as `BlockToolCall`.

    Attributes:
        decision: Always ``block``.
        reason: Reason for the model; ``Blocked by shell hook.`` when it is missing, from 0.15.0.
    """

    decision: Literal["block"]
    reason: NotRequired[str]


class ContinueTurnDecision(TypedDict):
    """Do not end the turn; same as `ContinueTurn`.

    Attributes:
        decision: ``continue``, or ``block``, which blocks the end of the turn.
        reason: Remaining work, for the model. If it is empty, the host ignores the whole directive.
    """

    decision: Literal["continue", "block"]
    reason: str


class ModifyToolCallDecision(TypedDict):
    """Change arguments of the call; same as `ModifyToolCall`. Since 0.20.2.

    Attributes:
        decision: Always ``modify``.
        tool_input: The arguments to replace; all others stay unchanged.
    """

    decision: Literal["modify"]
    tool_input: dict[str, Any]


PreToolCallShellOutput = (
    BlockToolCall | BlockToolCallDecision | ModifyToolCall | ModifyToolCallDecision | ApproveToolCall
)
"""Output of a shell hook for ``pre_tool_call``. It can ask for approval from 0.22.2 on."""

PreVerifyShellOutput = ContinueTurn | ContinueTurnDecision
"""Output of a shell hook for ``pre_verify``."""

PreLlmCallShellOutput = InjectContext
"""Output of a shell hook for ``pre_llm_call``. Output for all other hooks is ignored."""
