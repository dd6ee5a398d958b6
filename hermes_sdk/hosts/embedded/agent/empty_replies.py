"""Recovery from empty answers of a model, and when the turn gives up."""

from __future__ import annotations

from hermes_sdk.hosts.embedded.agent.response import NormalizedResponse, make_history_message
from hermes_sdk.hosts.embedded.agent.turn_history import HELPS_MODEL, TurnHistory
from hermes_sdk.hosts.embedded.state import HostState

_MOST = 3
_MOST_THOUGHTS = 2
_LONGEST_QUOTE = 500
_EMPTY = "(empty)"


class EmptyReplies:
    """Recovers from the empty answers in one turn.

    `asked_to_use_results` says whether the model was asked to continue from its tool results.
    """

    def __init__(self, history: TurnHistory, state: HostState) -> None:
        self._history = history
        self._state = state
        self._count = 0
        self._thoughts = 0
        self.asked_to_use_results = False

    def recover(self, answer: NormalizedResponse) -> str | None:
        """Prepare the next attempt and return None, or give up and return the reply."""
        messages = self._history.messages
        message = make_history_message(answer, answer.finish_reason)
        used_tools = any(one["role"] == "tool" for one in messages[-5:])
        has_tag = "<think>" in (answer.content or "")
        if used_tools and not self.asked_to_use_results and not has_tag:
            self.asked_to_use_results = True
            self._history.append({**message, "content": _EMPTY, HELPS_MODEL: True})
            prompt = self._state.wording("turn.use_results")
            self._history.append({"role": "user", "content": prompt, HELPS_MODEL: True})
            return None
        if (answer.reasoning or answer.reasoning_content or has_tag) and self._thoughts < _MOST_THOUGHTS:
            self._thoughts += 1
            self._history.append({**message, "finish_reason": "incomplete", "_thinking_prefill": True})
            return None
        if self._count < _MOST:
            self._count += 1
            return None
        if self.asked_to_use_results and not self._state.behaviour.unused_results_kept:
            # Drop the tool calls whose results it ignored together with the recovery messages.
            while messages[-1] is not self._history.user:
                messages.pop()
        if messages[-1]["role"] != "assistant" and self._state.behaviour.empty_reply_kept:
            self._history.add({"role": "assistant", "content": _EMPTY})
        if self._state.behaviour.empty_replies_explained_last:
            return _EMPTY
        thoughts = answer.reasoning or answer.reasoning_content
        if thoughts and self._state.behaviour.thoughts_quoted:
            cut = f"{thoughts[:_LONGEST_QUOTE]}..." if len(thoughts) > _LONGEST_QUOTE else thoughts
            return self._state.wording("turn.thoughts_alone", thoughts=cut)
        return self._state.wording("turn.no_reply")
