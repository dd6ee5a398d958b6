"""Stands in for ``agent.usage_pricing``: the tokens of a request, and what one of the user's own models costs."""

from hermes_sdk.hosts.embedded.host_classes import derive_class
from hermes_sdk.hosts.embedded.providers.prices import Prices
from hermes_sdk.hosts.embedded.providers.token_usage import CanonicalUsage
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

_manager = find_plugin_manager(__spec__)
_prices = Prices(_manager.state, _manager.registrations.model_providers)
BillingRoute = _prices.routes
globals()["CanonicalUsage"] = derive_class(CanonicalUsage, _embedded=_manager.state)
CostResult = _prices.results
estimate_usage_cost = _prices.estimate_usage_cost
get_pricing_entry = _prices.get_pricing_entry
has_known_pricing = _prices.has_known_pricing
normalize_usage = refused(__spec__, "normalize_usage")
resolve_billing_route = _prices.resolve_billing_route
