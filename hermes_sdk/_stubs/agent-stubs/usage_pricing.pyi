"""Types of ``agent.usage_pricing``."""

from hermes_sdk.hosts.embedded.standins.modules.agent.usage_pricing import (
    BillingRoute as BillingRoute,
    CanonicalUsage as CanonicalUsage,
    CostResult as CostResult,
    estimate_usage_cost as estimate_usage_cost,
    get_pricing_entry as get_pricing_entry,
    has_known_pricing as has_known_pricing,
    normalize_usage as normalize_usage,
    resolve_billing_route as resolve_billing_route,
)
