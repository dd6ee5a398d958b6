"""``session_search``, ``clarify`` and ``delegate_task``, for a home without other sessions."""

from __future__ import annotations

from typing import Any

from hermes_sdk.hosts.embedded.approval.prompts import ClarifyingQuestion, asker, strip_recommended
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

_UNAVAILABLE = "Clarify tool is not available in this execution context."
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
    """Return an empty result, as in a home without other sessions."""
    query = args.get("query")
    if not query:
        message = context.state.wording("session_search.none")
        return answer(success=True, mode="browse", results=[], count=0, message=message)
    return answer(
        success=True,
        mode="discover",
        query=query,
        **_report_detail(args, context),
        results=[],
        count=0,
        sessions_searched=0,
        **({"link_hint": _LINK_HINT} if context.behaviour.questions_listed else {}),
    )


def _report_detail(args: dict[str, Any], context: ToolContext) -> dict[str, str]:
    detail = args.get("detail")
    full = isinstance(detail, str) and detail.strip().lower() == "full"
    return {"detail": "full" if full else "adaptive"} if context.behaviour.session_search_detail else {}


_QUESTION = string("The question.", required=True)
_MAX_CHOICES = 4
_MAX_QUESTIONS = 5
_CHOICES = array(string(), "Answers to choose from.", maxItems=_MAX_CHOICES)


@tool(
    "Ask the user a question.",
    question=_QUESTION,
    choices=_CHOICES,
    questions=array(record(question=_QUESTION, choices=_CHOICES), "Several questions.", maxItems=_MAX_QUESTIONS),
)
def clarify(args: dict[str, Any], context: ToolContext) -> str:
    """Ask the user of a chat; outside a chat there is nobody to ask.

    Raises:
        NotSupported: The release accepts both a question and a list, or a question or choice is not text.
    """
    behaviour, questions = context.behaviour, args.get("questions")
    if behaviour.questions_required:
        return _ask_all(questions, context) if questions else refuse(context.state.wording("clarify.no_question"))
    if behaviour.questions_listed and isinstance(questions, list) and questions:
        raise context.state.unsupported("ask several questions")
    question, choices = args.get("question"), args.get("choices")
    if not isinstance(question, str) or not question.strip():
        return refuse(context.state.wording("clarify.no_question"))
    if choices is not None and not isinstance(choices, list):
        return refuse("choices must be a list of strings.")
    current = asker.get()
    if current is None:
        return refuse(_UNAVAILABLE)
    if behaviour.questions_listed:
        raise context.state.unsupported("let a model ask a user in a chat")
    one = _parse_question({"question": question, "choices": choices}, context)
    answers = current.clarify([one])
    response = answers.notice or answers.given[0] or ""
    if behaviour.first_choice_recommended:
        response = strip_recommended(response)
    return answer(question=one.text, choices_offered=one.choices or None, user_response=response.strip())


def _ask_all(questions: Any, context: ToolContext) -> str:
    if not isinstance(questions, list) or len(questions) > _MAX_QUESTIONS:
        raise context.state.unsupported(f"ask other than 1 to {_MAX_QUESTIONS} questions")
    parsed = [_parse_question(one, context) for one in questions]
    current = asker.get()
    if current is None:
        return refuse(_UNAVAILABLE)
    answers = current.clarify(parsed)
    responses = []
    for number, one in enumerate(parsed):
        is_asked = number < len(answers.given)
        text = strip_recommended(answers.given[number] or "") if is_asked else ""
        status = "answered" if text else "skipped" if is_asked else "unanswered"
        about = {"question": one.text, "choices_offered": one.choices or None}
        responses.append({**about, "status": status, "user_response": text or None})
    if answers.notice:
        return answer(responses=responses, outcome="timed_out", notice=answers.notice)
    return answer(responses=responses, outcome="submitted")


def _parse_question(entry: Any, context: ToolContext) -> ClarifyingQuestion:
    question, choices = (entry.get("question"), entry.get("choices") or []) if isinstance(entry, dict) else ("", [])
    texts = [question, *choices] if isinstance(choices, list) else []
    stripped = [one.strip() for one in texts if isinstance(one, str) and one.strip()]
    if not texts or len(stripped) < len(texts):
        raise context.state.unsupported("ask something other than a text with texts to choose from")
    return ClarifyingQuestion(stripped[0], stripped[1 : 1 + _MAX_CHOICES])


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
    """Return an error; within a session, the agent loop runs the call instead."""
    return refuse("delegate_task requires a parent agent context.")
