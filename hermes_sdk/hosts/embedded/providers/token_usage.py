"""Token usage of requests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from hermes_sdk.hosts.embedded.host_classes import of_module
from hermes_sdk.hosts.embedded.state import HostState


@of_module("agent.usage_pricing")
@dataclass(frozen=True)
class CanonicalUsage:
    """Token counts of a request."""

    _embedded: ClassVar[HostState]

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    reasoning_tokens: int = 0
    request_count: int = 1
    raw_usage: dict[str, Any] | None = None

    @property
    def prompt_tokens(self) -> int:
        """Return the number of tokens that the model read."""
        return self.input_tokens + self.cache_read_tokens + self.cache_write_tokens

    @property
    def total_tokens(self) -> int:
        """Return the number of tokens that the model read and wrote."""
        return self.prompt_tokens + self.output_tokens

    def __add__(self, other: object) -> CanonicalUsage:
        raise self._embedded.unsupported("add the tokens of requests")
