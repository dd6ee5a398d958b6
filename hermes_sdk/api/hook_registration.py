"""The type of `PluginContext.register_hook`, which depends on the hook."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Protocol, cast, overload

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hermes_sdk.api import hooks
    from hermes_sdk.api.base import KnownNameForThisCallback
    from hermes_sdk.api.services import PluginRegistration


class HookRegistration(Protocol):
    """`PluginContext.register_hook`: the name of the hook decides what the callback gets and may return."""

    @overload
    def __call__(
        self, hook_name: Literal["pre_tool_call"], callback: hooks.PreToolCallCallback
    ) -> PluginRegistration | None: ...
    @overload
    def __call__(
        self, hook_name: Literal["post_tool_call"], callback: hooks.PostToolCallCallback
    ) -> PluginRegistration | None: ...
    @overload
    def __call__(
        self, hook_name: Literal["transform_tool_result"], callback: hooks.TransformToolResultCallback
    ) -> PluginRegistration | None: ...
    @overload
    def __call__(
        self, hook_name: Literal["transform_terminal_output"], callback: hooks.TransformTerminalOutputCallback
    ) -> PluginRegistration | None: ...
    @overload
    def __call__(
        self, hook_name: Literal["pre_llm_call"], callback: hooks.PreLlmCallCallback
    ) -> PluginRegistration | None: ...
    @overload
    def __call__(
        self, hook_name: Literal["post_llm_call"], callback: hooks.PostLlmCallCallback
    ) -> PluginRegistration | None: ...
    @overload
    def __call__(
        self, hook_name: Literal["transform_llm_output"], callback: hooks.TransformLlmOutputCallback
    ) -> PluginRegistration | None: ...
    @overload
    def __call__(
        self, hook_name: Literal["pre_verify"], callback: hooks.PreVerifyCallback
    ) -> PluginRegistration | None: ...
    @overload
    def __call__(
        self, hook_name: Literal["pre_api_request"], callback: hooks.PreApiRequestCallback
    ) -> PluginRegistration | None: ...
    @overload
    def __call__(
        self, hook_name: Literal["post_api_request"], callback: hooks.PostApiRequestCallback
    ) -> PluginRegistration | None: ...
    @overload
    def __call__(
        self, hook_name: Literal["api_request_error"], callback: hooks.ApiRequestErrorCallback
    ) -> PluginRegistration | None: ...
    @overload
    def __call__(
        self, hook_name: Literal["on_session_start"], callback: hooks.OnSessionStartCallback
    ) -> PluginRegistration | None: ...
    @overload
    def __call__(
        self, hook_name: Literal["on_session_end"], callback: hooks.OnSessionEndCallback
    ) -> PluginRegistration | None: ...
    @overload
    def __call__(
        self, hook_name: Literal["on_session_finalize"], callback: hooks.OnSessionFinalizeCallback
    ) -> PluginRegistration | None: ...
    @overload
    def __call__(
        self, hook_name: Literal["on_session_reset"], callback: hooks.OnSessionResetCallback
    ) -> PluginRegistration | None: ...
    @overload
    def __call__(
        self, hook_name: Literal["subagent_start"], callback: hooks.SubagentStartCallback
    ) -> PluginRegistration | None: ...
    @overload
    def __call__(
        self, hook_name: Literal["subagent_stop"], callback: hooks.SubagentStopCallback
    ) -> PluginRegistration | None: ...
    @overload
    def __call__(
        self, hook_name: Literal["pre_gateway_dispatch"], callback: hooks.PreGatewayDispatchCallback
    ) -> PluginRegistration | None: ...
    @overload
    def __call__(
        self, hook_name: Literal["pre_approval_request"], callback: hooks.PreApprovalRequestCallback
    ) -> PluginRegistration | None: ...
    @overload
    def __call__(
        self, hook_name: Literal["post_approval_response"], callback: hooks.PostApprovalResponseCallback
    ) -> PluginRegistration | None: ...
    @overload
    def __call__(
        self, hook_name: Literal["kanban_task_claimed"], callback: hooks.KanbanTaskClaimedCallback
    ) -> PluginRegistration | None: ...
    @overload
    def __call__(
        self, hook_name: Literal["kanban_task_completed"], callback: hooks.KanbanTaskCompletedCallback
    ) -> PluginRegistration | None: ...
    @overload
    def __call__(
        self, hook_name: Literal["kanban_task_blocked"], callback: hooks.KanbanTaskBlockedCallback
    ) -> PluginRegistration | None: ...
    @overload
    def __call__(
        self, hook_name: Literal["on_human_input_request"], callback: hooks.OnHumanInputRequestCallback
    ) -> PluginRegistration | None: ...
    @overload
    def __call__(
        self, hook_name: Literal["on_human_input_resolved"], callback: hooks.OnHumanInputResolvedCallback
    ) -> PluginRegistration | None: ...
    @overload
    def __call__(
        self, hook_name: Literal["pre_auxiliary_call"], callback: hooks.PreAuxiliaryCallCallback
    ) -> PluginRegistration | None: ...
    @overload
    def __call__(
        self, hook_name: Literal["post_auxiliary_call"], callback: hooks.PostAuxiliaryCallCallback
    ) -> PluginRegistration | None: ...
    @overload
    def __call__(
        self, hook_name: Literal["pre_command"], callback: hooks.PreCommandCallback
    ) -> PluginRegistration | None: ...
    @overload
    def __call__(
        self, hook_name: Literal["gateway_platform_event"], callback: hooks.GatewayPlatformEventCallback
    ) -> PluginRegistration | None: ...
    @overload
    def __call__(
        self, hook_name: Literal["agent_loop_stopped"], callback: hooks.AgentLoopStoppedCallback
    ) -> PluginRegistration | None: ...
    @overload
    def __call__(
        self, hook_name: Literal["on_room_member_activity"], callback: hooks.OnRoomMemberActivityCallback
    ) -> PluginRegistration | None: ...
    @overload
    def __call__(
        self, hook_name: Literal["post_gateway_admission"], callback: hooks.PostGatewayAdmissionCallback
    ) -> PluginRegistration | None: ...
    @overload
    def __call__(
        self, hook_name: Literal["on_kanban_task_updated"], callback: hooks.OnKanbanTaskUpdatedCallback
    ) -> PluginRegistration | None: ...
    @overload
    def __call__(
        self, hook_name: Literal["on_kanban_worker_spawned"], callback: hooks.OnKanbanWorkerSpawnedCallback
    ) -> PluginRegistration | None: ...
    @overload
    def __call__(
        self, hook_name: Literal["on_kanban_worker_exited"], callback: hooks.OnKanbanWorkerExitedCallback
    ) -> PluginRegistration | None: ...
    @overload
    def __call__(
        self, hook_name: Literal["on_kanban_worker_stale_claim"], callback: hooks.OnKanbanWorkerStaleClaimCallback
    ) -> PluginRegistration | None: ...
    @overload
    def __call__(
        self, hook_name: Literal["on_kanban_dispatch_tick"], callback: hooks.OnKanbanDispatchTickCallback
    ) -> PluginRegistration | None: ...
    @overload
    def __call__(
        self,
        hook_name: Literal["transform_api_error_classification"],
        callback: hooks.TransformApiErrorClassificationCallback,
    ) -> PluginRegistration | None: ...
    @overload
    def __call__(
        self, hook_name: Literal["on_skill_lifecycle"], callback: hooks.OnSkillLifecycleCallback
    ) -> PluginRegistration | None: ...
    @overload
    def __call__(
        self, hook_name: Literal["on_stream_start"], callback: hooks.OnStreamStartCallback
    ) -> PluginRegistration | None: ...
    @overload
    def __call__(
        self, hook_name: Literal["on_stream_delta"], callback: hooks.OnStreamDeltaCallback
    ) -> PluginRegistration | None: ...
    @overload
    def __call__(
        self, hook_name: Literal["on_stream_end"], callback: hooks.OnStreamEndCallback
    ) -> PluginRegistration | None: ...
    @overload
    def __call__(
        self, hook_name: Literal["on_interim_message"], callback: hooks.OnInterimMessageCallback
    ) -> PluginRegistration | None: ...
    @overload
    def __call__(
        self, hook_name: Literal["pre_transcription"], callback: hooks.PreTranscriptionCallback
    ) -> PluginRegistration | None: ...
    @overload
    def __call__(
        self, hook_name: Sequence[KnownNameForThisCallback], callback: Callable[..., object]
    ) -> PluginRegistration | None: ...


def with_callback_of_hook(method: Callable[[Any, Any, Any], PluginRegistration | None]) -> HookRegistration:
    """Present a method to type checkers as a `HookRegistration`; editors then show its docstring, not overloads."""
    return cast("HookRegistration", method)
