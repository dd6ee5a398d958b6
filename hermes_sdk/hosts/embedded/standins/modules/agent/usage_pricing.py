"""Stands in for ``agent.usage_pricing``: token usage, and the cost of requests to local models."""

from hermes_sdk.hosts.embedded.host_classes import derive_class
from hermes_sdk.hosts.embedded.providers.prices import Prices
from hermes_sdk.hosts.embedded.providers.token_usage import CanonicalUsage
from hermes_sdk.hosts.embedded.standins.placeholders import make_placeholder
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager

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

_manager = find_plugin_manager(__spec__)
_prices = Prices(_manager.state, _manager.registrations.model_providers)
BillingRoute = _prices.routes
globals()["CanonicalUsage"] = derive_class(CanonicalUsage, _embedded=_manager.state)
CostResult = _prices.results
estimate_usage_cost = _prices.estimate_usage_cost
get_pricing_entry = _prices.get_pricing_entry
has_known_pricing = _prices.has_known_pricing
normalize_usage = make_placeholder(__spec__, "normalize_usage")
resolve_billing_route = _prices.resolve_billing_route
