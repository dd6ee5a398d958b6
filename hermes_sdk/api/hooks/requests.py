"""Hooks around requests to the provider, for turns and for auxiliary tasks.

All but ``transform_api_error_classification`` only observe; middleware changes requests.
"""

from typing import Any, NotRequired, Protocol, TypedDict, Unpack

from hermes_sdk.api.base import UncheckedMapping
from hermes_sdk.api.hooks.base import HookArguments

__all__ = [
    "ApiRequestErrorArguments",
    "ApiRequestErrorCallback",
    "ClassifyApiError",
    "PostApiRequestArguments",
    "PostApiRequestCallback",
    "PostAuxiliaryCallArguments",
    "PostAuxiliaryCallCallback",
    "PreApiRequestArguments",
    "PreApiRequestCallback",
    "PreAuxiliaryCallArguments",
    "PreAuxiliaryCallCallback",
    "TransformApiErrorClassificationArguments",
    "TransformApiErrorClassificationCallback",
]


class _ApiRequestArguments(HookArguments):
    """Arguments that the hooks around a request to the provider share.

    Attributes:
        task_id: Identifies the run of the agent.
        turn_id: Identifies the turn. Since 0.16.0.
        api_request_id: Identifies the request. Since 0.16.0.
        session_id: Identifies the session.
        platform: ``cli``, the gateway's platform, or ``subagent``.
        model: Name of the requested model.
        provider: The provider's name.
        base_url: Base URL of the provider.
        api_mode: The wire format, such as ``chat_completions``.
        api_call_count: The number of the request within the turn, from 1.
        started_at: Start of the request, in seconds since the epoch. Since 0.16.0.
    """

    task_id: str
    turn_id: str
    api_request_id: str
    session_id: str
    platform: str
    model: str
    provider: str
    base_url: str
    api_mode: str
    api_call_count: int
    started_at: float


class PreApiRequestArguments(_ApiRequestArguments):
    """Before each attempt of a request, retries included. Use middleware to change the request.

    Attributes:
        user_message: The user's message. Since 0.14.0.
        conversation_history: The messages so far. Since 0.14.0.
        request_messages: The messages as sent, unredacted. Since 0.14.0.
        message_count: Number of messages sent.
        tool_count: Number of tools offered.
        approx_input_tokens: Estimated input, in tokens.
        request_char_count: Characters of the messages.
        max_tokens: Limit of the response, in tokens; None for the provider's own.
        middleware_trace: Changes by ``llm_request`` middleware, one mapping each. Since 0.17.0.
        request: ``method`` and ``body``, shortened and redacted. Since 0.16.0.
        retry_count: Number of earlier attempts. Since 0.19.1.
        system_prompt: The system prompt. Since 0.20.1.
    """

    user_message: str | list[Any]
    conversation_history: list[dict[str, Any]]
    request_messages: list[Any]
    message_count: int
    tool_count: int
    approx_input_tokens: int
    request_char_count: int
    max_tokens: int | None
    middleware_trace: list[dict[str, Any]]
    request: dict[str, Any]
    retry_count: int
    system_prompt: str


class PreApiRequestCallback(Protocol):
    """A callback of ``pre_api_request``. Its return value is ignored."""

    def __call__(self, **kwargs: Unpack[PreApiRequestArguments]) -> None: ...


class PostApiRequestArguments(_ApiRequestArguments):
    """After each successful request.

    Attributes:
        api_duration: Duration of the attempt, in seconds.
        ended_at: End, in seconds since the epoch. Since 0.16.0.
        finish_reason: Why the model stopped, such as ``stop`` or ``tool_calls``.
        message_count: Number of messages sent.
        response_model: The model that answered, as the provider names it.
        response: ``model``, ``finish_reason``, ``assistant_message`` and ``usage``, shortened and redacted.
            Since 0.14.0.
        usage: Tokens by kind, such as ``input_tokens``, or None.
        assistant_message: The host's internal object for the response. Since 0.14.0.
        assistant_content_chars: Characters of the response.
        assistant_tool_call_count: Requested tool calls.
        moa_references: Statistics of each model in a mixture of agents, or None. Since 0.20.1.
        first_chunk_at: Arrival of the first chunk, in seconds since the epoch; None unless streamed. Since 0.21.3.
        context_length: The model's context length, in tokens, or None. Since 0.22.2.
    """

    api_duration: float
    ended_at: float
    finish_reason: str
    message_count: int
    response_model: str | None
    response: dict[str, Any]
    usage: dict[str, Any] | None
    assistant_message: Any
    assistant_content_chars: int
    assistant_tool_call_count: int
    moa_references: Any
    first_chunk_at: float | None
    context_length: int | None


class PostApiRequestCallback(Protocol):
    """A callback of ``post_api_request``. Its return value is ignored."""

    def __call__(self, **kwargs: Unpack[PostApiRequestArguments]) -> None: ...


class ApiRequestErrorArguments(_ApiRequestArguments):
    """After each attempt of a request that failed or was rejected. Since 0.16.0.

    When the last attempt fails, neither ``post_llm_call`` nor ``on_session_end`` follows.

    Attributes:
        api_duration: Duration of the attempt, in seconds.
        ended_at: End, in seconds since the epoch.
        status_code: The HTTP status, or None.
        retry_count: Number of earlier attempts.
        max_retries: Maximum number of attempts.
        retryable: Whether another attempt follows; None if undecided.
        reason: The host's name for the cause, or None.
        error: ``type`` and ``message``.
        request: ``method`` and ``body``, shortened and redacted.
    """

    api_duration: float
    ended_at: float
    status_code: int | None
    retry_count: int
    max_retries: int
    retryable: bool | None
    reason: str | None
    error: dict[str, Any]
    request: dict[str, Any]


class ApiRequestErrorCallback(Protocol):
    """A callback of ``api_request_error``. Its return value is ignored."""

    def __call__(self, **kwargs: Unpack[ApiRequestErrorArguments]) -> None: ...


class TransformApiErrorClassificationArguments(HookArguments):
    """After each failed request, before ``api_request_error``, to classify the failure. Since 0.20.1.

    Shell hooks cannot register for it.

    Attributes:
        provider: The provider's name.
        model: The model's name.
        status_code: The HTTP status, or None.
        error_type: The type of the exception.
        error_code: The provider's code for the error, or None.
        error_message: The text of the error.
        error_body: The body of the response, if any.
        error: The exception.
        approx_tokens: Estimated input, in tokens.
        context_length: The model's context length, in tokens.
        num_messages: Number of messages sent.
    """

    provider: str
    model: str
    status_code: int | None
    error_type: str
    error_code: str | None
    error_message: str
    error_body: Any
    error: Any
    approx_tokens: int
    context_length: int
    num_messages: int


class ClassifyApiError(TypedDict):
    """Classify a failure.

    Attributes:
        reason: The host's name for the cause, such as ``billing``; case-insensitive.
        retryable: Whether to try again.
        should_compress: Whether to shorten the conversation.
        should_rotate_credential: Whether to change the credential.
        should_fallback: Whether to change the model.
        message: Description, up to 500 characters.
        error_context: Further details.
    """

    reason: str
    retryable: NotRequired[bool]
    should_compress: NotRequired[bool]
    should_rotate_credential: NotRequired[bool]
    should_fallback: NotRequired[bool]
    message: NotRequired[str]
    error_context: NotRequired[dict[str, Any]]


class TransformApiErrorClassificationCallback(Protocol):
    """A callback of ``transform_api_error_classification``. Returns a classification, or None.

    The first mapping with a valid reason wins; a warning counts the others.
    """

    def __call__(
        self, **kwargs: Unpack[TransformApiErrorClassificationArguments]
    ) -> ClassifyApiError | UncheckedMapping | None: ...


class _AuxiliaryCallArguments(_ApiRequestArguments):
    """Arguments that the hooks around a request for an auxiliary task share.

    Attributes:
        aux_task: The auxiliary task, such as ``vision``; ``unknown`` for `PluginLlm` without a task.
        streaming: Whether the response is streamed.
        retry_count: Number of earlier attempts.
        message_count: Number of messages sent.
    """

    aux_task: str
    streaming: bool
    retry_count: int
    message_count: int


class PreAuxiliaryCallArguments(_AuxiliaryCallArguments):
    """Before each attempt of an auxiliary request. Since 0.21.5.

    Its turn and session are those that the task belongs to; empty outside a turn.

    Attributes:
        request_messages: The messages as sent, unredacted.
        system_prompt: The system prompt.
        tool_count: Number of tools offered.
        approx_input_tokens: Estimated input, in tokens.
        request_char_count: Characters of the messages.
        max_tokens: Limit of the response, in tokens; None for the provider's own.
        request: ``method`` and ``body``, shortened and redacted.
    """

    request_messages: list[Any]
    system_prompt: str
    tool_count: int
    approx_input_tokens: int
    request_char_count: int
    max_tokens: int | None
    request: dict[str, Any]


class PreAuxiliaryCallCallback(Protocol):
    """A callback of ``pre_auxiliary_call``. Its return value is ignored."""

    def __call__(self, **kwargs: Unpack[PreAuxiliaryCallArguments]) -> None: ...


class PostAuxiliaryCallArguments(_AuxiliaryCallArguments):
    """After each attempt of an auxiliary request. Since 0.21.5.

    Attributes:
        api_duration: Duration of the attempt, in seconds.
        ended_at: End, in seconds since the epoch.
        error: Type and text of the exception, or None.
        error_type: Type of the exception, or None.
        finish_reason: Why the model stopped; None after an error and for a streamed response.
        response_model: The model that answered; None like ``finish_reason``.
        response: ``model``, ``finish_reason``, ``assistant_message`` and ``usage``, shortened and redacted; None like
            ``finish_reason``.
        usage: Tokens by kind; None like ``finish_reason``.
        assistant_content_chars: Characters of the response.
        assistant_tool_call_count: Requested tool calls.
    """

    api_duration: float
    ended_at: float
    error: str | None
    error_type: str | None
    finish_reason: str | None
    response_model: str | None
    response: dict[str, Any] | None
    usage: dict[str, Any] | None
    assistant_content_chars: int
    assistant_tool_call_count: int


class PostAuxiliaryCallCallback(Protocol):
    """A callback of ``post_auxiliary_call``. Its return value is ignored."""

    def __call__(self, **kwargs: Unpack[PostAuxiliaryCallArguments]) -> None: ...
