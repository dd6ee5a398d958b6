"""Stands in for ``agent.usage_pricing``: how many tokens a request used; what says the price is refused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager
from hermes_sdk.hosts.embedded.standins.refused import refused

__all__ = [
    "BillingRoute",
    "CanonicalUsage",
    "CostResult",
    "estimate_usage_cost",
    "get_pricing_entry",
    "has_known_pricing",
    "normalize_usage",
    "resolve_billing_route",
]

_state = find_plugin_manager(__spec__).state


@dataclass(frozen=True)
class CanonicalUsage:
    """The tokens of a request."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    reasoning_tokens: int = 0
    request_count: int = 1
    raw_usage: dict[str, Any] | None = None

    @property
    def prompt_tokens(self) -> int:
        """What the model read."""
        return self.input_tokens + self.cache_read_tokens + self.cache_write_tokens

    @property
    def total_tokens(self) -> int:
        """What the model read and wrote."""
        return self.prompt_tokens + self.output_tokens

    def __add__(self, other: object) -> CanonicalUsage:
        raise _state.unsupported("add the tokens of requests")


BillingRoute = refused(__spec__, "BillingRoute")
CostResult = refused(__spec__, "CostResult")
estimate_usage_cost = refused(__spec__, "estimate_usage_cost")
get_pricing_entry = refused(__spec__, "get_pricing_entry")
has_known_pricing = refused(__spec__, "has_known_pricing")
normalize_usage = refused(__spec__, "normalize_usage")
resolve_billing_route = refused(__spec__, "resolve_billing_route")
