"""Hooks around approvals of dangerous commands and other questions to people. They only observe."""

from typing import NotRequired, Protocol, Unpack

from hermes_sdk.api.hooks.base import HookArguments

__all__ = [
    "OnHumanInputRequestArguments",
    "OnHumanInputRequestCallback",
    "OnHumanInputResolvedArguments",
    "OnHumanInputResolvedCallback",
    "PostApprovalResponseArguments",
    "PostApprovalResponseCallback",
    "PreApprovalRequestArguments",
    "PreApprovalRequestCallback",
]


class PreApprovalRequestArguments(HookArguments):
    """When a dangerous command needs a decision; in smart mode (the default from 0.19.0) up to twice.

    Attributes:
        command: The command; redacted on the surfaces ``smart`` and ``gateway``.
        description: Why it is dangerous.
        pattern_key: The rule that it matched first.
        pattern_keys: All rules that it matched.
        session_key: Identifies the chat; ``default`` in the CLI.
        surface: Who is asked: ``cli``, ``gateway``, ``smart``, ``mcp-elicitation/<server>`` or
            ``transport:<name>``.
        turn_id: Identifies the turn. Since 0.16.0.
        tool_call_id: Identifies the tool call. Since 0.16.0.
        session_id: Identifies the session, if any. Since 0.20.1.
        request_id: Identifies the request to an approval transport, else absent. Since 0.20.1.
        request_digest: Its digest, absent like ``request_id``. Since 0.20.1.
        coalesced: True if an open question's answer also applies here, else absent. Since 0.20.1.
    """

    command: str
    description: str
    pattern_key: str
    pattern_keys: list[str]
    session_key: str
    surface: str
    turn_id: str
    tool_call_id: str
    session_id: NotRequired[str]
    request_id: NotRequired[str]
    request_digest: NotRequired[str]
    coalesced: NotRequired[bool]


class PreApprovalRequestCallback(Protocol):
    """A callback of ``pre_approval_request``. Its return value is ignored."""

    def __call__(self, **kwargs: Unpack[PreApprovalRequestArguments]) -> None: ...


class PostApprovalResponseArguments(PreApprovalRequestArguments):
    """After the decision; not when ``smart`` passes the question to a person.

    Attributes:
        choice: ``once``, ``session``, ``always``, ``deny``, ``timeout``, ``smart_approve`` or ``smart_deny``; from
            0.21.4 also ``cancelled`` (withdrawn).
        decided_by: ``aux_llm`` when a model decided, else absent. Since 0.19.0.
        cancelled: Why a question was withdrawn, else absent. Since 0.21.4.
    """

    choice: str
    decided_by: NotRequired[str]
    cancelled: NotRequired[str]


class PostApprovalResponseCallback(Protocol):
    """A callback of ``post_approval_response``. Its return value is ignored."""

    def __call__(self, **kwargs: Unpack[PostApprovalResponseArguments]) -> None: ...


class OnHumanInputRequestArguments(HookArguments):
    """Before the host asks a person and waits: an approval, a question of the agent, a password. Since 0.22.2.

    For a dangerous command it comes before ``pre_approval_request``.

    Attributes:
        kind: Kind of question, such as ``approval`` or ``clarify``.
        request_id: Identifies the question.
        session_id: Identifies the session.
        session_key: Identifies the chat.
        platform: ``cli`` or the gateway's platform.
        prompt: The question, redacted; for an approval the command.
    """

    kind: str
    request_id: str
    session_id: str
    session_key: str
    platform: str
    prompt: str


class OnHumanInputRequestCallback(Protocol):
    """A callback of ``on_human_input_request``. Its return value is ignored."""

    def __call__(self, **kwargs: Unpack[OnHumanInputRequestArguments]) -> None: ...


class OnHumanInputResolvedArguments(OnHumanInputRequestArguments):
    """When the host no longer waits for the person. Since 0.22.2.

    Attributes:
        outcome: Such as the choice, ``timeout`` or ``error``; never what the person typed.
    """

    outcome: str


class OnHumanInputResolvedCallback(Protocol):
    """A callback of ``on_human_input_resolved``. Its return value is ignored."""

    def __call__(self, **kwargs: Unpack[OnHumanInputResolvedArguments]) -> None: ...
