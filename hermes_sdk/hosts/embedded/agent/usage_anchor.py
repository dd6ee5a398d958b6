"""What the provider counted for the last request, to which later hosts add an estimate of what followed (G15)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from hermes_sdk.contract import Behaviour
from hermes_sdk.hosts.embedded.agent.token_estimate import estimate_messages

_IDENTITY = ("role", "content", "api_content", "tool_call_id", "tool_calls")


class UsageAnchor:
    """The tokens of the last answered request, which hold as long as the history begins with its messages."""

    def __init__(self, behaviour: Behaviour) -> None:
        self._behaviour = behaviour
        self._tokens = 0
        self._priced: list[str] = []

    def take(self, usage: Mapping[str, int], messages: Sequence[Mapping[str, Any]]) -> None:
        """Keep what an answer says about a request with these messages, if it counts them."""
        if usage.get("prompt_tokens", 0) > 0:
            self._tokens = usage["prompt_tokens"] + usage.get("output_tokens", 0)
            self._priced = [_identify(one) for one in messages]

    def drop(self) -> None:
        """Forget the request, whose messages were compressed."""
        self._priced = []

    def estimate(self, messages: Sequence[Mapping[str, Any]]) -> int | None:
        """Estimate the tokens of a history; None if it does not begin with the messages of the request."""
        count = len(self._priced)
        if not count or [_identify(one) for one in messages[:count]] != self._priced:
            return None
        new = messages[count:]
        if new and new[0]["role"] == "assistant":
            # The answer itself, which the provider has counted.
            new = new[1:]
        return self._tokens + estimate_messages(new, self._behaviour)


def _identify(message: Mapping[str, Any]) -> str:
    return json.dumps([message.get(key) for key in _IDENTITY], default=str)
