"""Hooks around the approval of a dangerous command. They observe."""

from typing import NotRequired, Protocol, Unpack

from hermes_sdk.api.hooks.base import HookArguments


class PreApprovalRequestArguments(HookArguments):
    """When a dangerous command needs a decision; in smart mode (the default from 0.19.0) sometimes twice for one.

    Attributes:
        command: The command; redacted on the surfaces ``smart`` and ``gateway``.
        description: Why it is dangerous.
        pattern_key: The rule that it matched first.
        pattern_keys: All rules that it matched.
        session_key: Identifies the chat; ``default`` in the CLI.
        surface: Who is asked: ``cli``, ``gateway``, ``smart`` or ``mcp-elicitation/<server>``.
        turn_id: Identifies the turn. Since 0.16.0.
        tool_call_id: Identifies the tool call. Since 0.16.0.
    """

    command: str
    description: str
    pattern_key: str
    pattern_keys: list[str]
    session_key: str
    surface: str
    turn_id: str
    tool_call_id: str


class PreApprovalRequestCallback(Protocol):
    """A callback of ``pre_approval_request``. Looks on; what it returns is ignored."""

    def __call__(self, **kwargs: Unpack[PreApprovalRequestArguments]) -> None: ...


class PostApprovalResponseArguments(PreApprovalRequestArguments):
    """After the decision; not when ``smart`` hands the question on to a person.

    Attributes:
        choice: ``once``, ``session``, ``always``, ``deny``, ``timeout``, ``smart_approve`` or ``smart_deny``; from
            0.22.2 also ``cancelled`` for a question that was withdrawn.
        decided_by: ``aux_llm`` when a model decided, else absent. Since 0.19.0.
        cancelled: Why a question was withdrawn, else absent. Since 0.22.2.
    """

    choice: str
    decided_by: NotRequired[str]
    cancelled: NotRequired[str]


class PostApprovalResponseCallback(Protocol):
    """A callback of ``post_approval_response``. Looks on; what it returns is ignored."""

    def __call__(self, **kwargs: Unpack[PostApprovalResponseArguments]) -> None: ...
