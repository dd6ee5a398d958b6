"""Middleware: callbacks that change or wrap tool calls and model requests. Since 0.17.0.

Callbacks get keyword arguments only and must accept ``**kwargs``. Those of the two request kinds are chained from
0.22.2 on; before, each receives the same copy, and the last valid result wins. Those of the two execution kinds nest in
the order of registration, the first one outermost.
"""

from typing import Any, Literal, NotRequired, Protocol, TypedDict, Unpack

from hermes_sdk.api.base import OpenArguments, UncheckedMapping

__all__ = [
    "LlmExecutionArguments",
    "LlmExecutionMiddleware",
    "LlmRequestArguments",
    "LlmRequestMiddleware",
    "LlmRequestResult",
    "MiddlewareArguments",
    "MiddlewareKind",
    "NextCall",
    "ToolExecutionArguments",
    "ToolExecutionMiddleware",
    "ToolRequestArguments",
    "ToolRequestMiddleware",
    "ToolRequestResult",
]

MiddlewareKind = Literal["llm_execution", "llm_request", "tool_execution", "tool_request"]
"""The kinds of middleware. A kind that the host does not know is stored with a warning and never called."""


class MiddlewareArguments(OpenArguments):
    """Arguments of every middleware.

    Attributes:
        telemetry_schema_version: Schema version of the identifiers, ``hermes.observer.v1``.
        middleware_schema_version: Schema version of the other arguments, ``hermes.middleware.v1``.
        task_id: Identifies the run of the agent.
        session_id: Identifies the session.
        turn_id: Identifies the turn.
        api_request_id: Identifies the request to the provider.
    """

    telemetry_schema_version: str
    middleware_schema_version: str
    task_id: str
    session_id: str
    turn_id: str
    api_request_id: str


class _ToolMiddlewareArguments(MiddlewareArguments):
    """Arguments that the middleware of tools shares.

    Attributes:
        tool_name: The tool's name.
        args: The current arguments.
        original_args: The arguments as the model sent them.
        tool_call_id: Identifies the call.
    """

    tool_name: str
    args: dict[str, Any]
    original_args: dict[str, Any]
    tool_call_id: str


class ToolRequestArguments(_ToolMiddlewareArguments):
    """Before a tool call, its hooks, coercion and approval. Changes to the copy ``args`` apply, but are not traced."""


class ToolRequestResult(TypedDict):
    """New arguments for the tool; the last result wins.

    Attributes:
        args: The new arguments.
        source: Shown to hooks in ``middleware_trace``, like ``reason`` and ``name``.
        reason: Reason for the change.
        name: Name of the change.
    """

    args: dict[str, Any]
    source: NotRequired[str]
    reason: NotRequired[str]
    name: NotRequired[str]


class ToolRequestMiddleware(Protocol):
    """A callback of ``tool_request``. Return None to change nothing."""

    def __call__(self, **kwargs: Unpack[ToolRequestArguments]) -> ToolRequestResult | UncheckedMapping | None: ...


class NextCall(Protocol):
    """Continues the execution with the next middleware or, after the last one, with the tool or request itself.

    Call it once; a second call raises RuntimeError. Without a call, nothing is executed and the callback's return value
    is the result. Exceptions of the execution are raised here.
    """

    def __call__(self, payload: dict[str, Any] | None = None, /) -> Any:
        """Continue with this payload, or with the current one if it is None, and return the result."""
        ...


class ToolExecutionArguments(_ToolMiddlewareArguments):
    """Around the execution of a tool; with parallel calls, twice for each tool of the registry.

    Attributes:
        next_call: Continues; pass arguments to replace the current ones.
    """

    next_call: NextCall


class ToolExecutionMiddleware(Protocol):
    """A callback of ``tool_execution``. Its return value becomes the tool's result, even None."""

    def __call__(self, **kwargs: Unpack[ToolExecutionArguments]) -> Any: ...


class _LlmMiddlewareArguments(MiddlewareArguments):
    """Arguments that the middleware of the model shares.

    Attributes:
        request: The current request.
        original_request: The request as the host built it.
        platform: ``cli``, the gateway's platform, or ``subagent``.
        model: The model.
        provider: The provider's name.
        base_url: Base URL of the provider.
        api_mode: The wire format, such as ``chat_completions``.
        api_call_count: The number of the request within the turn, from 1.
    """

    request: dict[str, Any]
    original_request: dict[str, Any]
    platform: str
    model: str
    provider: str
    base_url: str
    api_mode: str
    api_call_count: int


class LlmRequestArguments(_LlmMiddlewareArguments):
    """Before a request to the model. ``request`` is a copy; changes made to it in place are sent, but not traced."""


class LlmRequestResult(TypedDict):
    """New request to send; the last result wins.

    Attributes:
        request: The new request.
        source: Shown to hooks in ``middleware_trace``, like ``reason`` and ``name``.
        reason: Reason for the change.
        name: Name of the change.
    """

    request: dict[str, Any]
    source: NotRequired[str]
    reason: NotRequired[str]
    name: NotRequired[str]


class LlmRequestMiddleware(Protocol):
    """A callback of ``llm_request``. Return None to change nothing."""

    def __call__(self, **kwargs: Unpack[LlmRequestArguments]) -> LlmRequestResult | UncheckedMapping | None: ...


class LlmExecutionArguments(_LlmMiddlewareArguments):
    """Around a request to the model.

    Attributes:
        next_call: Continues; pass a request to replace the current one.
        middleware_trace: Changes by ``llm_request`` middleware, one mapping each.
    """

    next_call: NextCall
    middleware_trace: list[dict[str, Any]]


class LlmExecutionMiddleware(Protocol):
    """A callback of ``llm_execution``. Its return value becomes the provider's response."""

    def __call__(self, **kwargs: Unpack[LlmExecutionArguments]) -> Any: ...
