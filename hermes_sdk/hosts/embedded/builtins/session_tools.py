"""``session_search``, ``clarify`` and ``delegate_task`` as far as they need no other session and no person."""

from __future__ import annotations

from typing import Any

from hermes_sdk.hosts.embedded.builtins.tool import Builtin, Turnside, answer, refusal


def _search(args: dict[str, Any], side: Turnside) -> str:
    """Answer as on a home where this session is the only one."""
    query, modes = args.get("query"), side.behaviour.session_search_modes
    if not query:
        advice = (
            "Pass a query= to search, or session_id+around_message_id to scroll."
            if modes
            else "Use a keyword query to search specific topics."
        )
        message = f"Showing 0 most recent sessions. {advice}"
        return answer(success=True, mode="browse" if modes else "recent", results=[], count=0, message=message)
    # The session itself holds the query by then, and is found and left out.
    itself = side.behaviour.session_search_finds_itself
    end = {"sessions_searched": 0} if itself else {"message": "No matching sessions found."}
    return answer(success=True, **({"mode": "discover"} if modes else {}), query=query, results=[], count=0, **end)


def _clarify(args: dict[str, Any], _: Turnside) -> str:
    question, choices = args.get("question"), args.get("choices")
    if not isinstance(question, str) or not question.strip():
        return refusal("Question text is required.")
    if choices is not None and not isinstance(choices, list):
        return refusal("choices must be a list of strings.")
    return refusal("Clarify tool is not available in this execution context.")


def _delegate(_args: dict[str, Any], _: Turnside) -> str:
    """Answer outside of a session; within one, the agent loop runs the children."""
    return refusal("delegate_task requires a parent agent context.")


_ROLE = {"type": "string", "enum": ["leaf", "orchestrator"], "description": "Whether it may delegate in turn."}

TOOLS = {
    "session_search": Builtin(
        "Find what was said in earlier sessions.",
        {
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "What to look for; leave it out for the latest sessions."},
                "limit": {"type": "integer", "description": "How many sessions.", "default": 3},
                "sort": {"type": "string", "enum": ["newest", "oldest"], "description": "Which come first."},
                "session_id": {"type": "string", "description": "The session to read in."},
                "around_message_id": {"type": "integer", "description": "The message to read around."},
                "window": {"type": "integer", "description": "How many messages on either side.", "default": 5},
                "role_filter": {"type": "string", "description": "Whose messages."},
                "profile": {"type": "string", "description": "Which profile's sessions."},
            },
            "required": [],
        },
        _search,
    ),
    "clarify": Builtin(
        "Ask the user a question.",
        {
            "type": "object",
            "properties": {
                "question": {"type": "string", "description": "The question."},
                "choices": {
                    "type": "array",
                    "items": {"type": "string"},
                    "maxItems": 4,
                    "description": "Answers to choose from.",
                },
            },
            "required": ["question"],
        },
        _clarify,
    ),
    "delegate_task": Builtin(
        "Let sessions of their own do parts of the work.",
        {
            "type": "object",
            "properties": {
                "goal": {"type": "string", "description": "What is to be done."},
                "context": {"type": "string", "description": "What has to be known for it."},
                "tasks": {
                    "type": "array",
                    "description": "Several tasks that are done side by side.",
                    "items": {
                        "type": "object",
                        "properties": {
                            "goal": {"type": "string", "description": "What is to be done."},
                            "context": {"type": "string", "description": "What has to be known for it."},
                            "role": _ROLE,
                        },
                        "required": ["goal"],
                    },
                },
                "role": _ROLE,
                "background": {"type": "boolean", "description": "Without effect."},
            },
            "required": [],
        },
        _delegate,
    ),
}
