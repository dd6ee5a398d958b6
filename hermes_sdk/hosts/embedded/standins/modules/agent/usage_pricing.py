"""Stands in for ``agent.usage_pricing``: how many tokens a request used; what says the price is refused."""

from hermes_sdk.hosts.embedded.host_classes import of_host
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

globals()["CanonicalUsage"] = of_host(CanonicalUsage, _embedded=find_plugin_manager(__spec__).state)
BillingRoute = refused(__spec__, "BillingRoute")
CostResult = refused(__spec__, "CostResult")
estimate_usage_cost = refused(__spec__, "estimate_usage_cost")
get_pricing_entry = refused(__spec__, "get_pricing_entry")
has_known_pricing = refused(__spec__, "has_known_pricing")
normalize_usage = refused(__spec__, "normalize_usage")
resolve_billing_route = refused(__spec__, "resolve_billing_route")
