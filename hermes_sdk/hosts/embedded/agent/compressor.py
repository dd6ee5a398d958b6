"""The host's own context engine, which is modelled only as long as it finds nothing to compress (G15)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hermes_sdk.hosts.embedded.agent.memory import Memory
from hermes_sdk.hosts.embedded.agent.settings import Settings
from hermes_sdk.hosts.embedded.state import HostState

_THRESHOLD = 0.5
_LEAST_TOKENS = 64_000
_INCOMPRESSIBLE = 7
"""A number of messages that the host leaves as they are: those that it protects at both ends, and one more."""
_MOST_IDLE = 2
"""So often in a row the host tries in vain."""


class Compressor:
    """Counts the tokens of a session, and refuses to go on where the host would summarise its messages."""

    def __init__(self, settings: Settings) -> None:
        section = settings.section("compression")
        share = section.get("threshold", _THRESHOLD)
        share = share if isinstance(share, int | float) else _THRESHOLD
        self._length = settings.context_length
        self._is_enabled = settings.compresses
        self._threshold = max(int(settings.context_length * share), _LEAST_TOKENS)
        self._tokens = self._idle = 0

    @property
    def occupancy(self) -> tuple[int, int]:
        """How many tokens the context holds, and how many of them the last request took."""
        return self._length, self._tokens

    def count_usage(self, usage: Mapping[str, int] | None) -> None:
        """Count the tokens of an answer."""
        self._tokens = (usage or {}).get("prompt_tokens", 0)
        if 0 < self._tokens < self._threshold:
            self._idle = 0

    def compress(self, history: Sequence[dict[str, Any]], memory: Memory | None, state: HostState) -> None:
        """Compress the messages of a session if the last request was too long.

        Raises:
            NotSupported: There is something to compress.
        """
        if not self._is_enabled or self._tokens < self._threshold or self._idle == _MOST_IDLE:
            return
        if len(history) > _INCOMPRESSIBLE:
            raise state.unsupported("compress a conversation that is too long")
        self._idle += 1
        if memory and state.behaviour.compressed_aside:
            raise state.unsupported("ask a memory provider what to keep when it compresses a conversation")
        if memory:
            memory.prepare_compression([*history])
