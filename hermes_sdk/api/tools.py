"""Tools: arguments of `PluginContext.register_tool`, and arguments and results of handlers."""

from collections.abc import Coroutine
from typing import Any, Literal, NotRequired, Protocol, TypedDict, Unpack

from hermes_sdk.api.base import OpenArguments

__all__ = [
    "AsyncToolHandler",
    "MultimodalResult",
    "PluginToolOverrideError",
    "ToolHandler",
    "ToolHandlerArguments",
    "ToolHandlerResult",
    "ToolParameters",
    "ToolSchema",
]


class PluginToolOverrideError(PermissionError):
    """Error of `PluginContext.register_tool`; the host's class is in ``hermes_cli.plugins``. Since 0.18.0."""


# "$defs" is not an identifier, so the class syntax cannot express it.
_Definitions = TypedDict("_Definitions", {"$defs": dict[str, Any]}, total=False)


class ToolParameters(_Definitions):
    """The arguments of a tool: a JSON Schema whose top level is an object.

    The host coerces text that a model sends for a declared ``integer``, ``number``, ``boolean``, ``array`` or
    ``object``. It removes ``anyOf``, ``oneOf``, ``allOf``, ``enum`` and ``not`` from the top level of the schema, and
    names in ``required`` that have no property. Pass a generated schema through ``typing.cast``.

    Attributes:
        type: Always ``object``.
        properties: The JSON Schema of each argument.
        required: Arguments that a model must send.
        additionalProperties: Whether others are allowed, or a schema for them.
        title: Display title.
        description: Description of the arguments.
    """

    type: Literal["object"]
    properties: dict[str, Any]
    required: NotRequired[list[str]]
    additionalProperties: NotRequired[bool | dict[str, Any]]
    title: NotRequired[str]
    description: NotRequired[str]


class ToolSchema(TypedDict):
    """Description of a tool for the model.

    Pass the bare function: the host wraps it in ``{"type": "function", "function": …}``. A wrapped schema reaches the
    model without description and parameters.

    Attributes:
        name: Ignored; ``register_tool`` gives the name.
        description: When and how to use the tool, for the model.
        parameters: The arguments.
    """

    name: NotRequired[str]
    description: str
    parameters: ToolParameters


class ToolHandlerArguments(OpenArguments, total=False):
    """Keyword arguments of a handler, in addition to the arguments of the call.

    None is guaranteed: in a turn, the host passes the first three; ``dispatch_tool`` passes those of its caller.

    Attributes:
        task_id: Identifies the run of the agent.
        session_id: Identifies the session. Since 0.17.0.
        user_task: The user's original task; None in an ordinary turn.
        enabled_tools: Tools of the session, for a tool named ``execute_code`` instead of ``user_task``.
        parent_agent: The live agent, with ``dispatch_tool`` in an interactive CLI session.
    """

    task_id: str | None
    session_id: str | None
    user_task: str | None
    enabled_tools: list[str] | None
    parent_agent: object


class MultimodalResult(TypedDict):
    """A tool result with other content than text; ``"_multimodal": True`` marks it as such.

    Attributes:
        _multimodal: Marks the mapping as such; without it the result is an error.
        content: Content parts of the OpenAI chat API, such as ``{"type": "text", "text": "…"}``.
        text_summary: Text for a model without vision.
    """

    _multimodal: Literal[True]
    content: list[dict[str, Any]]
    text_summary: NotRequired[str]


ToolHandlerResult = str | MultimodalResult
"""Result of a handler. Text, by convention JSON, reaches the model unchanged; ``{"error": …}`` counts as a failure.

From 0.19.0, any other type reaches the model as the error ``tool_result_contract``; earlier releases pass it on.
"""


class ToolHandler(Protocol):
    """Handler of a tool, called as ``handler(args, **kwargs)``.

    An exception becomes the result ``{"error": "[TOOL_ERROR] Tool execution failed: …"}`` (without the prefix before
    0.14.0); SystemExit and KeyboardInterrupt end the host.
    """

    def __call__(self, args: dict[str, Any], /, **kwargs: Unpack[ToolHandlerArguments]) -> ToolHandlerResult: ...


class AsyncToolHandler(Protocol):
    """A `ToolHandler` that is a coroutine function; register it with ``is_async=True``.

    The host runs it to completion on its own event loop, with a timeout of 300 seconds if a loop is already running.
    """

    def __call__(
        self, args: dict[str, Any], /, **kwargs: Unpack[ToolHandlerArguments]
    ) -> Coroutine[Any, Any, ToolHandlerResult]: ...
