"""The names of the hooks, and what every hook gets."""

from typing import Literal

from hermes_sdk.api.base import OpenArguments

HookName = Literal[
    "api_request_error",
    "kanban_task_blocked",
    "kanban_task_claimed",
    "kanban_task_completed",
    "on_session_end",
    "on_session_finalize",
    "on_session_reset",
    "on_session_start",
    "post_api_request",
    "post_approval_response",
    "post_llm_call",
    "post_tool_call",
    "pre_api_request",
    "pre_approval_request",
    "pre_gateway_dispatch",
    "pre_llm_call",
    "pre_tool_call",
    "pre_verify",
    "subagent_start",
    "subagent_stop",
    "transform_llm_output",
    "transform_terminal_output",
    "transform_tool_result",
]
"""The hooks of the host. A name that it does not know is stored with a warning and never fired."""


class HookArguments(OpenArguments):
    """What every hook gets.

    Attributes:
        telemetry_schema_version: The version of the arguments' shape, ``hermes.observer.v1``. Since 0.16.0.
    """

    telemetry_schema_version: str
