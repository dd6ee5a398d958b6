"""``session_search``, ``clarify`` and ``delegate_task``, without other sessions and without a user."""

from __future__ import annotations

from typing import Any

from hermes_sdk.hosts.embedded.approval.prompts import asker
from hermes_sdk.hosts.embedded.builtins.tool import (
    ToolContext,
    answer,
    array,
    boolean,
    integer,
    record,
    refuse,
    string,
    tool,
)

_LINK_HINT = "Write the `link` of a session as it is. Read around a match with its session_id and match_message_id."


@tool(
    "Find what was said in earlier sessions.",
    query=string("What to look for; leave it out for the latest sessions."),
    limit=integer("How many sessions.", default=3),
    sort=string("Which come first.", enum=["newest", "oldest"]),
    role_filter=string("Whose messages."),
    detail=string("How much to show of each session."),
)
def session_search(args: dict[str, Any], context: ToolContext) -> str:
    """Answer as if this session were the only one in the home."""
    query = args.get("query")
    if not query:
        message = context.state.wording("session_search.none")
        return answer(success=True, mode="browse", results=[], count=0, message=message)
    return answer(
        success=True,
        mode="discover",
        query=query,
        **_tell_detail(args, context),
        results=[],
        count=0,
        sessions_searched=0,
        **({"link_hint": _LINK_HINT} if context.behaviour.questions_listed else {}),
    )


def _tell_detail(args: dict[str, Any], context: ToolContext) -> dict[str, str]:
    wanted = args.get("detail")
    full = isinstance(wanted, str) and wanted.strip().lower() == "full"
    return {"detail": "full" if full else "adaptive"} if context.behaviour.session_search_detail else {}


@tool(
    "Ask the user a question.",
    question=string("The question.", required=True),
    choices=array(string(), "Answers to choose from.", maxItems=4),
    questions=array(record(), "Several questions."),
)
def clarify(args: dict[str, Any], context: ToolContext) -> str:
    """Answer without a user to ask.

    Raises:
        NotSupported: The call has a list of questions.
    """
    if context.behaviour.questions_listed and isinstance(args.get("questions"), list) and args["questions"]:
        raise context.state.unsupported("ask several questions")
    question, choices = args.get("question"), args.get("choices")
    if context.behaviour.questions_required or not isinstance(question, str) or not question.strip():
        return refuse(context.state.wording("clarify.no_question"))
    if choices is not None and not isinstance(choices, list):
        return refuse("choices must be a list of strings.")
    if asker.get() is not None:
        raise context.state.unsupported("let a model ask a user in a chat")
    return refuse("Clarify tool is not available in this execution context.")


_CONTEXT = string("What has to be known for it.")
_ROLE = string("Whether it may delegate in turn.", enum=["leaf", "orchestrator"])


@tool(
    "Let sessions of their own do parts of the work.",
    action=string("What to do: 'spawn'."),
    goal=string("What is to be done."),
    context=_CONTEXT,
    tasks=array(
        record(goal=string("What is to be done.", required=True), context=_CONTEXT, role=_ROLE),
        "Several tasks that are done side by side.",
    ),
    role=_ROLE,
    background=boolean("Without effect."),
)
def delegate_task(_args: dict[str, Any], _: ToolContext) -> str:
    """Answer outside of a session; within one, the agent loop runs the children."""
    return refuse("delegate_task requires a parent agent context.")
