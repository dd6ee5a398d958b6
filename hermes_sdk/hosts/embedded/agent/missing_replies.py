"""What a user reads when a turn ends without a reply, or with a fragment of one."""

from __future__ import annotations

from hermes_sdk.hosts.embedded.state import HostState

EMPTY = "empty_response_exhausted"
NO_ROOM = "max_iterations_reached"
KEPT = "fallback_prior_turn_content"

_CAUSES = {EMPTY: "empty_response", NO_ROOM: "exit.max_iterations_reached", KEPT: f"exit.{KEPT}"}
_FRAGMENT = 24
_SENTENCE_ENDS = frozenset(".!?。！？`)")


def explain_missing_reply(reply: str, exit_reason: str, model: str, state: HostState) -> str:
    """Add to a reply why the turn ended, on releases that do so after plugins transformed it."""
    cause = _CAUSES.get(exit_reason.partition("(")[0])
    if cause is None or not state.behaviour.empty_replies_explained_last:
        return reply
    notice = state.wording(f"explainer.no_reply_prefixexplainer.{cause}", model=model)
    return complete_reply("" if reply.strip() == "(empty)" else reply, notice)


def complete_reply(reply: str, notice: str) -> str:
    """Add a notice to a reply that is a fragment at most."""
    text = reply.strip()
    return reply if len(text) > _FRAGMENT or text[-1:] in _SENTENCE_ENDS else f"{text}\n\n{notice}".strip()
