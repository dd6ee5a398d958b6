"""Names of the hooks, and the arguments of every hook."""

from typing import Literal

from hermes_sdk.api.base import OpenArguments

__all__ = ["HookArguments", "HookName"]

HookName = Literal[
    "agent_loop_stopped",
    "api_request_error",
    "gateway_platform_event",
    "kanban_task_blocked",
    "kanban_task_claimed",
    "kanban_task_completed",
    "on_human_input_request",
    "on_human_input_resolved",
    "on_interim_message",
    "on_kanban_dispatch_tick",
    "on_kanban_task_updated",
    "on_kanban_worker_exited",
    "on_kanban_worker_spawned",
    "on_kanban_worker_stale_claim",
    "on_room_member_activity",
    "on_session_end",
    "on_session_finalize",
    "on_session_reset",
    "on_session_start",
    "on_skill_lifecycle",
    "on_stream_delta",
    "on_stream_end",
    "on_stream_start",
    "post_api_request",
    "post_approval_response",
    "post_auxiliary_call",
    "post_gateway_admission",
    "post_llm_call",
    "post_tool_call",
    "pre_api_request",
    "pre_approval_request",
    "pre_auxiliary_call",
    "pre_command",
    "pre_gateway_dispatch",
    "pre_llm_call",
    "pre_tool_call",
    "pre_transcription",
    "pre_verify",
    "subagent_start",
    "subagent_stop",
    "transform_api_error_classification",
    "transform_llm_output",
    "transform_terminal_output",
    "transform_tool_result",
]
"""The hooks of the host. A name that it does not know is stored with a warning and never fired."""


class HookArguments(OpenArguments):
    """Arguments of every hook except ``gateway_platform_event``.

    Attributes:
        telemetry_schema_version: Schema version of the arguments, ``hermes.observer.v1``. Since 0.16.0.
    """

    telemetry_schema_version: str
