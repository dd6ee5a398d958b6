"""What a plugin is written against: ``ctx``, and the types of all that goes in and out of it.

A plugin needs this package for type checking only::

    if TYPE_CHECKING:
        from hermes_sdk.api import PluginContext

    def register(ctx: PluginContext) -> None: ...

It describes release 0.19.0 and says what older ones lack with ``Since``; the contract data of all releases proves it.
It imports the standard library and nothing else of this project, and each module only when one of its names is used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hermes_sdk.api.commands import CliHandler, CliSetup, CommandHandler
    from hermes_sdk.api.context import PluginContext
    from hermes_sdk.api.hooks import (
        AllowMessage,
        ApiRequestErrorArguments,
        ApiRequestErrorCallback,
        ApproveToolCall,
        BlockToolCall,
        ContinueTurn,
        HookArguments,
        HookName,
        InjectContext,
        KanbanTaskBlockedArguments,
        KanbanTaskBlockedCallback,
        KanbanTaskClaimedArguments,
        KanbanTaskClaimedCallback,
        KanbanTaskCompletedArguments,
        KanbanTaskCompletedCallback,
        OnSessionEndArguments,
        OnSessionEndCallback,
        OnSessionFinalizeArguments,
        OnSessionFinalizeCallback,
        OnSessionResetArguments,
        OnSessionResetCallback,
        OnSessionStartArguments,
        OnSessionStartCallback,
        PostApiRequestArguments,
        PostApiRequestCallback,
        PostApprovalResponseArguments,
        PostApprovalResponseCallback,
        PostLlmCallArguments,
        PostLlmCallCallback,
        PostToolCallArguments,
        PostToolCallCallback,
        PreApiRequestArguments,
        PreApiRequestCallback,
        PreApprovalRequestArguments,
        PreApprovalRequestCallback,
        PreGatewayDispatchArguments,
        PreGatewayDispatchCallback,
        PreGatewayDispatchResult,
        PreLlmCallArguments,
        PreLlmCallCallback,
        PreLlmCallResult,
        PreToolCallArguments,
        PreToolCallCallback,
        PreToolCallResult,
        PreVerifyArguments,
        PreVerifyCallback,
        RewriteMessage,
        SkipMessage,
        SubagentStartArguments,
        SubagentStartCallback,
        SubagentStopArguments,
        SubagentStopCallback,
        TransformLlmOutputArguments,
        TransformLlmOutputCallback,
        TransformTerminalOutputArguments,
        TransformTerminalOutputCallback,
        TransformToolResultArguments,
        TransformToolResultCallback,
    )
    from hermes_sdk.api.llm import (
        LlmImageDataInput,
        LlmImageUrlInput,
        LlmInput,
        LlmTextInput,
        PluginLlm,
        PluginLlmCompleteResult,
        PluginLlmStructuredResult,
        PluginLlmUsage,
    )
    from hermes_sdk.api.manifest import PluginManifest
    from hermes_sdk.api.middleware import (
        LlmExecutionArguments,
        LlmExecutionMiddleware,
        LlmRequestArguments,
        LlmRequestMiddleware,
        LlmRequestResult,
        MiddlewareArguments,
        MiddlewareKind,
        NextCall,
        ToolExecutionArguments,
        ToolExecutionMiddleware,
        ToolRequestArguments,
        ToolRequestMiddleware,
        ToolRequestResult,
    )
    from hermes_sdk.api.platforms import PlatformOptions, SlackActionHandler
    from hermes_sdk.api.providers import (
        BrowserProvider,
        ContextEngine,
        DashboardAuthProvider,
        ImageGenProvider,
        SecretSource,
        TranscriptionProvider,
        TTSProvider,
        VideoGenProvider,
        WebSearchProvider,
    )
    from hermes_sdk.api.tools import (
        AsyncToolHandler,
        MultimodalResult,
        ToolHandler,
        ToolHandlerArguments,
        ToolHandlerResult,
        ToolParameters,
        ToolSchema,
    )

__all__ = [
    "AllowMessage",
    "ApiRequestErrorArguments",
    "ApiRequestErrorCallback",
    "ApproveToolCall",
    "AsyncToolHandler",
    "BlockToolCall",
    "BrowserProvider",
    "CliHandler",
    "CliSetup",
    "CommandHandler",
    "ContextEngine",
    "ContinueTurn",
    "DashboardAuthProvider",
    "HookArguments",
    "HookName",
    "ImageGenProvider",
    "InjectContext",
    "KanbanTaskBlockedArguments",
    "KanbanTaskBlockedCallback",
    "KanbanTaskClaimedArguments",
    "KanbanTaskClaimedCallback",
    "KanbanTaskCompletedArguments",
    "KanbanTaskCompletedCallback",
    "LlmExecutionArguments",
    "LlmExecutionMiddleware",
    "LlmImageDataInput",
    "LlmImageUrlInput",
    "LlmInput",
    "LlmRequestArguments",
    "LlmRequestMiddleware",
    "LlmRequestResult",
    "LlmTextInput",
    "MiddlewareArguments",
    "MiddlewareKind",
    "MultimodalResult",
    "NextCall",
    "OnSessionEndArguments",
    "OnSessionEndCallback",
    "OnSessionFinalizeArguments",
    "OnSessionFinalizeCallback",
    "OnSessionResetArguments",
    "OnSessionResetCallback",
    "OnSessionStartArguments",
    "OnSessionStartCallback",
    "PlatformOptions",
    "PluginContext",
    "PluginLlm",
    "PluginLlmCompleteResult",
    "PluginLlmStructuredResult",
    "PluginLlmUsage",
    "PluginManifest",
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
    "SecretSource",
    "SkipMessage",
    "SlackActionHandler",
    "SubagentStartArguments",
    "SubagentStartCallback",
    "SubagentStopArguments",
    "SubagentStopCallback",
    "TTSProvider",
    "ToolExecutionArguments",
    "ToolExecutionMiddleware",
    "ToolHandler",
    "ToolHandlerArguments",
    "ToolHandlerResult",
    "ToolParameters",
    "ToolRequestArguments",
    "ToolRequestMiddleware",
    "ToolRequestResult",
    "ToolSchema",
    "TranscriptionProvider",
    "TransformLlmOutputArguments",
    "TransformLlmOutputCallback",
    "TransformTerminalOutputArguments",
    "TransformTerminalOutputCallback",
    "TransformToolResultArguments",
    "TransformToolResultCallback",
    "VideoGenProvider",
    "WebSearchProvider",
]

_MODULES = ("context", "tools", "commands", "manifest", "llm", "middleware", "platforms", "providers", "hooks")


def __getattr__(name: str) -> Any:
    if name in __all__:
        for module in _MODULES:
            names = vars(import_module(f"{__name__}.{module}"))
            if name in names:
                return names[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
