"""Shell hooks: what a command under ``hooks.<event>`` in ``config.yaml`` reads as JSON and may print as JSON.

For a command that is a Python program::

    payload: ToolShellHookPayload = json.load(sys.stdin)

Its exit status does not count. Printed JSON counts for the three hooks below; text that is not JSON leaves a warning in
the log. A command has 60 seconds, or its ``timeout``, at most 300.
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
    """What every shell hook reads.

    Attributes:
        hook_event_name: The hook.
        session_id: Identifies the session, that of the parent for subagents; empty if there is none.
        cwd: The directory that the host works in; empty when it is gone.
        extra: The other arguments of the hook, those of its type in `hermes_sdk.api.hooks`; what JSON cannot hold is
            text.
        profile: The active profile. Since 0.21.3.
    """

    hook_event_name: str
    session_id: str
    cwd: str
    extra: dict[str, Any]
    profile: str


class ToolShellHookPayload(_ShellHookPayload):
    """What ``pre_tool_call``, ``post_tool_call`` and ``transform_tool_result`` read.

    Attributes:
        tool_name: The tool's name.
        tool_input: The arguments of the call.
    """

    tool_name: str
    tool_input: dict[str, Any]


class OtherShellHookPayload(_ShellHookPayload):
    """What all other hooks read.

    Attributes:
        tool_name: Always None.
        tool_input: Always None.
    """

    tool_name: None
    tool_input: None


ShellHookPayload = ToolShellHookPayload | OtherShellHookPayload
"""What a shell hook reads; one that serves several hooks tests ``tool_name`` and ``tool_input`` for None."""


class BlockToolCallDecision(TypedDict):
    """Do not run the tool: `BlockToolCall` in other words.

    Attributes:
        decision: Always ``block``.
        reason: Why, for the model; ``Blocked by shell hook.`` when it is missing, from 0.15.0.
    """

    decision: Literal["block"]
    reason: NotRequired[str]


class ContinueTurnDecision(TypedDict):
    """Do not end the turn: `ContinueTurn` in other words.

    Attributes:
        decision: ``block`` in the sense of blocking the end, or ``continue``.
        reason: What is left to do, for the model. An empty one makes the host ignore the whole directive.
    """

    decision: Literal["continue", "block"]
    reason: str


class ModifyToolCallDecision(TypedDict):
    """Change arguments of the call: `ModifyToolCall` in other words. Since 0.20.2.

    Attributes:
        decision: Always ``modify``.
        tool_input: The arguments to replace; all others stay.
    """

    decision: Literal["modify"]
    tool_input: dict[str, Any]


PreToolCallShellOutput = (
    BlockToolCall | BlockToolCallDecision | ModifyToolCall | ModifyToolCallDecision | ApproveToolCall
)
"""What a shell hook of ``pre_tool_call`` may print. It can ask for approval from 0.22.2 on."""

PreVerifyShellOutput = ContinueTurn | ContinueTurnDecision
"""What a shell hook of ``pre_verify`` may print."""

PreLlmCallShellOutput = InjectContext
"""What a shell hook of ``pre_llm_call`` may print. Those of all other hooks only look on."""
