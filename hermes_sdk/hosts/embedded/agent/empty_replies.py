"""Answers of a model that say nothing: how it is helped along, and when it is given up."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hermes_sdk.contract import Behaviour
from hermes_sdk.hosts.embedded.agent import phrases
from hermes_sdk.hosts.embedded.agent.response import NormalizedResponse, history_message

HELPING = "_empty_recovery_synthetic"
"""Marks messages that only help the model along."""

_MOST = 3
_MOST_THOUGHTS = 2


class Nothing:
    """Helps the model of one turn along.

    Args:
        messages: The history of the session.
        user: The message that the turn answers.
        add: Adds a message to the history, and stores it.
        behaviour: What the release does.

    Attributes:
        told_to_use_results: Whether the model was told to make something of the results that it has.
    """

    def __init__(
        self,
        messages: list[dict[str, Any]],
        user: Mapping[str, Any],
        add: Callable[[dict[str, Any]], None],
        behaviour: Behaviour,
    ) -> None:
        self._messages = messages
        self._user = user
        self._add = add
        self._behaviour = behaviour
        self._count = 0
        self._thoughts = 0
        self.told_to_use_results = False

    def after(self, answer: NormalizedResponse) -> str | None:
        """Help the model along, or give up with a reply."""
        message = history_message(answer, answer.finish_reason)
        used_tools = any(one["role"] == "tool" for one in self._messages[-5:])
        thought = bool(answer.reasoning or answer.reasoning_content or "<think>" in (answer.content or ""))
        if used_tools and not self.told_to_use_results and "<think>" not in (answer.content or ""):
            self.told_to_use_results = True
            self._messages.append({**message, "content": "(empty)", HELPING: True})
            self._messages.append({"role": "user", "content": phrases.USE_RESULTS, HELPING: True})
            return None
        if thought and self._thoughts < _MOST_THOUGHTS:
            self._thoughts += 1
            self._messages.append({**message, "finish_reason": "incomplete", "_thinking_prefill": True})
            return None
        if self._count < _MOST:
            self._count += 1
            return None
        if self.told_to_use_results:
            # With what helped the model along go the tool calls that it made nothing of.
            while self._messages[-1] is not self._user:
                self._messages.pop()
        if self._messages[-1]["role"] != "assistant" and self._behaviour.empty_reply_kept:
            self._add({"role": "assistant", "content": "(empty)"})
        return phrases.NO_REPLY if self._behaviour.turn_end_explained else "(empty)"
