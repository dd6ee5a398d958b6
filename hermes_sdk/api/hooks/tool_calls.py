"""Hooks around a tool call: before it, after it, and to replace its result."""

from typing import Any, Literal, NotRequired, Protocol, TypedDict, Unpack

from hermes_sdk.api.base import UncheckedMapping
from hermes_sdk.api.hooks.base import HookArguments

__all__ = [
    "ApproveToolCall",
    "BlockToolCall",
    "ModifyToolCall",
    "PostToolCallArguments",
    "PostToolCallCallback",
    "PreToolCallArguments",
    "PreToolCallCallback",
    "PreToolCallResult",
    "TransformTerminalOutputArguments",
    "TransformTerminalOutputCallback",
    "TransformToolResultArguments",
    "TransformToolResultCallback",
]


class _ToolCallArguments(HookArguments):
    """Arguments that the hooks around a tool call share.

    Attributes:
        tool_name: The tool's name.
        args: The arguments of the call.
        task_id: Identifies the run of the agent.
        session_id: Identifies the session.
        tool_call_id: Identifies the call; the model chose it.
        turn_id: Identifies the turn. Since 0.16.0.
        api_request_id: Identifies the request that resulted in the call. Since 0.16.0.
    """

    tool_name: str
    args: dict[str, Any]
    task_id: str
    session_id: str
    tool_call_id: str
    turn_id: str
    api_request_id: str


class PreToolCallArguments(_ToolCallArguments):
    """Before a tool call, after middleware and before approval; once per call that the model makes.

    ``args`` is the live mapping, not coerced yet: the tool receives a callback's changes to it. Not fired for a tool
    that the session lacks.

    Attributes:
        middleware_trace: Changes by ``tool_request`` middleware, one mapping each. Since 0.17.0.
    """

    middleware_trace: list[dict[str, Any]]


class BlockToolCall(TypedDict):
    """Do not run the tool; the model receives ``{"error": message}``.

    Attributes:
        action: Always ``block``.
        message: Reason for the model. If empty, the directive is ignored.
    """

    action: Literal["block"]
    message: str


class ApproveToolCall(TypedDict):
    """Ask a person whether the tool may run. If nobody can be asked, it does not. Since 0.18.1.

    Attributes:
        action: Always ``approve``.
        message: Text of the question.
        rule_key: Key of the stored answer "always"; by default the tool's name, for all its calls.
    """

    action: Literal["approve"]
    message: NotRequired[str]
    rule_key: NotRequired[str]


class ModifyToolCall(TypedDict):
    """Change arguments of the call. Since 0.20.2.

    The directives of several callbacks are merged in the order of registration; each callback sees the original
    arguments.

    Attributes:
        action: Always ``modify``.
        args: The arguments to replace; the others stay. If empty, the directive is ignored.
    """

    action: Literal["modify"]
    args: dict[str, Any]


PreToolCallResult = BlockToolCall | ApproveToolCall | ModifyToolCall
"""The first valid block or approval wins; from 0.21.5 a block wins over approvals. Anything else is ignored."""


class PreToolCallCallback(Protocol):
    """A callback of ``pre_tool_call``. Blocks or changes a call, or asks a person about it; None allows it.

    From 0.21.5 an exception blocks the call, and so does a timeout from 0.20.6.
    """

    def __call__(self, **kwargs: Unpack[PreToolCallArguments]) -> PreToolCallResult | UncheckedMapping | None: ...


class _FinishedToolCallArguments(_ToolCallArguments):
    """Arguments that the hooks after a tool call share.

    Attributes:
        result: The result: text, or a `MultimodalResult`.
        duration_ms: Duration with middleware, in whole milliseconds.
        status: ``ok``, ``error`` (a JSON object with a truthy ``error``), ``blocked``, ``cancelled`` or ``timeout``.
            Since 0.16.0.
        error_type: Type of the error, such as ``tool_error`` or ``plugin_block``; None on success. Since 0.16.0.
        error_message: Error message, or None. Since 0.16.0.
    """

    result: str | dict[str, Any]
    duration_ms: int
    status: str
    error_type: str | None
    error_message: str | None


class PostToolCallArguments(_FinishedToolCallArguments):
    """After a tool call; from 0.16.0 also after a blocked one and for the agent's own tools, such as ``todo``.

    ``result`` is from 0.20.2 on changed by ``transform_tool_result``, except for the agent's own tools; ``args`` are
    coerced.

    Attributes:
        middleware_trace: Changes by ``tool_request`` middleware, one mapping each. Since 0.17.0.
    """

    middleware_trace: list[dict[str, Any]]


class PostToolCallCallback(Protocol):
    """A callback of ``post_tool_call``. Its return value is ignored."""

    def __call__(self, **kwargs: Unpack[PostToolCallArguments]) -> None: ...


class TransformToolResultArguments(_FinishedToolCallArguments):
    """After a tool returned, to replace the result for the model; not for blocked calls.

    Fired before ``post_tool_call``; before 0.20.2 and for the agent's own tools (from 0.21.5) after it.
    """


class TransformToolResultCallback(Protocol):
    """A callback of ``transform_tool_result``. Returns the text that replaces the result, or None to keep it.

    The first text wins, including an empty one; every callback sees the original.
    """

    def __call__(self, **kwargs: Unpack[TransformToolResultArguments]) -> str | None: ...


class TransformTerminalOutputArguments(HookArguments):
    """Inside the tool ``terminal``, for a command in the foreground, before its output is truncated.

    Attributes:
        command: The command.
        output: Its output, both streams together; the size is already limited.
        returncode: Its exit status.
        task_id: Identifies the terminal's environment; ``default`` in CLI sessions.
        env_type: Type of the environment, such as ``local``.
        tool_call_id: Identifies the tool call. Since 0.21.4.
    """

    command: str
    output: str
    returncode: int
    task_id: str
    env_type: str
    tool_call_id: str


class TransformTerminalOutputCallback(Protocol):
    """A callback of ``transform_terminal_output``. Returns the text that replaces the output, or None to keep it.

    The first text wins, including an empty one; every callback sees the original.
    """

    def __call__(self, **kwargs: Unpack[TransformTerminalOutputArguments]) -> str | None: ...
