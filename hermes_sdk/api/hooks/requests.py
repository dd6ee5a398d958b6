"""Hooks around a request to the provider. They observe; middleware changes requests."""

from typing import Any, Protocol, Unpack

from hermes_sdk.api.hooks.base import HookArguments


class _ApiRequestArguments(HookArguments):
    """What the hooks around a request to the provider share.

    Attributes:
        task_id: Identifies the run of the agent.
        turn_id: Identifies the turn. Since 0.16.0.
        api_request_id: Identifies the request. Since 0.16.0.
        session_id: Identifies the session.
        platform: ``cli``, the gateway's platform, or ``subagent``.
        model: The model asked for.
        provider: The provider's name.
        base_url: The provider's address.
        api_mode: The wire format, such as ``chat_completions``.
        api_call_count: Which request of the turn this is, from 1.
        started_at: When the request started, in seconds since the epoch. Since 0.16.0.
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
        user_message: What the user said in this turn. Since 0.14.0.
        conversation_history: The messages so far. Since 0.14.0.
        request_messages: The messages as they are sent, with nothing redacted. Since 0.14.0.
        message_count: How many messages are sent.
        tool_count: How many tools are offered.
        approx_input_tokens: The host's estimate of the input, in tokens.
        request_char_count: The size of the messages, in characters.
        max_tokens: The limit of the response, in tokens; None for the provider's own.
        middleware_trace: What ``llm_request`` middleware did, one mapping for each change. Since 0.17.0.
        request: ``method`` and ``body``, shortened and with credentials redacted. Since 0.16.0.
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


class PreApiRequestCallback(Protocol):
    """A callback of ``pre_api_request``. Looks on; what it returns is ignored."""

    def __call__(self, **kwargs: Unpack[PreApiRequestArguments]) -> None: ...


class PostApiRequestArguments(_ApiRequestArguments):
    """After each successful request.

    Attributes:
        api_duration: How long the request took, in seconds.
        ended_at: When it ended, in seconds since the epoch. Since 0.16.0.
        finish_reason: Why the model stopped, such as ``stop`` or ``tool_calls``.
        message_count: How many messages were sent.
        response_model: The model that answered, as the provider names it.
        response: ``model``, ``finish_reason``, ``assistant_message`` and ``usage``, shortened and with credentials
            redacted. Since 0.14.0.
        usage: Counts of tokens by kind, such as ``input_tokens``; None when the provider sent none.
        assistant_message: The host's own object for the response. Since 0.14.0.
        assistant_content_chars: The size of the response's text, in characters.
        assistant_tool_call_count: How many tool calls the model asks for.
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


class PostApiRequestCallback(Protocol):
    """A callback of ``post_api_request``. Looks on; what it returns is ignored."""

    def __call__(self, **kwargs: Unpack[PostApiRequestArguments]) -> None: ...


class ApiRequestErrorArguments(_ApiRequestArguments):
    """After each attempt of a request that failed or was refused. Since 0.16.0.

    When the last attempt fails, neither ``post_llm_call`` nor ``on_session_end`` follows.

    Attributes:
        api_duration: How long the attempt took, in seconds.
        ended_at: When it ended, in seconds since the epoch.
        status_code: The HTTP status, or None.
        retry_count: How many attempts came before.
        max_retries: How many attempts the host makes.
        retryable: Whether another attempt follows; None when that is not decided.
        reason: The host's name for the cause, or None.
        error: ``type`` and ``message``.
        request: ``method`` and ``body``, shortened and with credentials redacted.
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
    """A callback of ``api_request_error``. Looks on; what it returns is ignored."""

    def __call__(self, **kwargs: Unpack[ApiRequestErrorArguments]) -> None: ...
