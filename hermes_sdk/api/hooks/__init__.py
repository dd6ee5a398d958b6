"""Hooks: for each its keyword arguments, what a callback may return, and the callback itself.

A callback is called synchronously and with keywords only; it names those that it wants and ends in ``**kwargs``. An
Exception that it raises is logged as a warning and hidden; the next callback runs. Callbacks run in the order of
registration, and all of them run. A coroutine function is of no use: nobody awaits it.

Identifiers that the host does not know are empty strings. Arguments without a mark exist since 0.13.0 or, where the
hook is younger, since the hook does.
"""

from hermes_sdk.api.hooks.approvals import (
    PostApprovalResponseArguments,
    PostApprovalResponseCallback,
    PreApprovalRequestArguments,
    PreApprovalRequestCallback,
)
from hermes_sdk.api.hooks.base import HookArguments, HookName
from hermes_sdk.api.hooks.gateway import (
    AllowMessage,
    PreGatewayDispatchArguments,
    PreGatewayDispatchCallback,
    PreGatewayDispatchResult,
    RewriteMessage,
    SkipMessage,
)
from hermes_sdk.api.hooks.kanban import (
    KanbanTaskBlockedArguments,
    KanbanTaskBlockedCallback,
    KanbanTaskClaimedArguments,
    KanbanTaskClaimedCallback,
    KanbanTaskCompletedArguments,
    KanbanTaskCompletedCallback,
)
from hermes_sdk.api.hooks.requests import (
    ApiRequestErrorArguments,
    ApiRequestErrorCallback,
    PostApiRequestArguments,
    PostApiRequestCallback,
    PreApiRequestArguments,
    PreApiRequestCallback,
)
from hermes_sdk.api.hooks.sessions import (
    OnSessionEndArguments,
    OnSessionEndCallback,
    OnSessionFinalizeArguments,
    OnSessionFinalizeCallback,
    OnSessionResetArguments,
    OnSessionResetCallback,
    OnSessionStartArguments,
    OnSessionStartCallback,
    SubagentStartArguments,
    SubagentStartCallback,
    SubagentStopArguments,
    SubagentStopCallback,
)
from hermes_sdk.api.hooks.tool_calls import (
    ApproveToolCall,
    BlockToolCall,
    PostToolCallArguments,
    PostToolCallCallback,
    PreToolCallArguments,
    PreToolCallCallback,
    PreToolCallResult,
    TransformTerminalOutputArguments,
    TransformTerminalOutputCallback,
    TransformToolResultArguments,
    TransformToolResultCallback,
)
from hermes_sdk.api.hooks.turns import (
    ContinueTurn,
    InjectContext,
    PostLlmCallArguments,
    PostLlmCallCallback,
    PreLlmCallArguments,
    PreLlmCallCallback,
    PreLlmCallResult,
    PreVerifyArguments,
    PreVerifyCallback,
    TransformLlmOutputArguments,
    TransformLlmOutputCallback,
)

__all__ = [
    "AllowMessage",
    "ApiRequestErrorArguments",
    "ApiRequestErrorCallback",
    "ApproveToolCall",
    "BlockToolCall",
    "ContinueTurn",
    "HookArguments",
    "HookName",
    "InjectContext",
    "KanbanTaskBlockedArguments",
    "KanbanTaskBlockedCallback",
    "KanbanTaskClaimedArguments",
    "KanbanTaskClaimedCallback",
    "KanbanTaskCompletedArguments",
    "KanbanTaskCompletedCallback",
    "OnSessionEndArguments",
    "OnSessionEndCallback",
    "OnSessionFinalizeArguments",
    "OnSessionFinalizeCallback",
    "OnSessionResetArguments",
    "OnSessionResetCallback",
    "OnSessionStartArguments",
    "OnSessionStartCallback",
    "PostApiRequestArguments",
    "PostApiRequestCallback",
    "PostApprovalResponseArguments",
    "PostApprovalResponseCallback",
    "PostLlmCallArguments",
    "PostLlmCallCallback",
    "PostToolCallArguments",
    "PostToolCallCallback",
    "PreApiRequestArguments",
    "PreApiRequestCallback",
    "PreApprovalRequestArguments",
    "PreApprovalRequestCallback",
    "PreGatewayDispatchArguments",
    "PreGatewayDispatchCallback",
    "PreGatewayDispatchResult",
    "PreLlmCallArguments",
    "PreLlmCallCallback",
    "PreLlmCallResult",
    "PreToolCallArguments",
    "PreToolCallCallback",
    "PreToolCallResult",
    "PreVerifyArguments",
    "PreVerifyCallback",
    "RewriteMessage",
    "SkipMessage",
    "SubagentStartArguments",
    "SubagentStartCallback",
    "SubagentStopArguments",
    "SubagentStopCallback",
    "TransformLlmOutputArguments",
    "TransformLlmOutputCallback",
    "TransformTerminalOutputArguments",
    "TransformTerminalOutputCallback",
    "TransformToolResultArguments",
    "TransformToolResultCallback",
]
