"""Prices of requests: local models have no price, and the prices of other models are not modelled."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from hermes_sdk.hosts.embedded.helpers.texts import base_url_hostname
from hermes_sdk.hosts.embedded.host_classes import derive_class, of_module
from hermes_sdk.hosts.embedded.providers.model_providers import ModelProviders
from hermes_sdk.hosts.embedded.providers.token_usage import CanonicalUsage
from hermes_sdk.hosts.embedded.state import HostState

_OWN = frozenset({"custom", "local"})
_NEAR = frozenset({"", "localhost", "127.0.0.1"})


@of_module("agent.usage_pricing")
@dataclass(frozen=True)
class BillingRoute:
    """The provider that bills a request."""

    provider: str
    model: str
    base_url: str = ""
    billing_mode: str = "unknown"


@of_module("agent.usage_pricing")
@dataclass(frozen=True)
class CostResult:
    """The cost of a request."""

    amount_usd: Decimal | None
    status: str
    source: str
    label: str
    fetched_at: datetime | None = None
    pricing_version: str | None = None
    notes: tuple[str, ...] = ()


class Prices:
    """Price functions for the providers ``custom`` and ``local``, unless their address is on another machine.

    Attributes:
        routes: `BillingRoute` of this host.
        results: `CostResult` of this host.
    """

    def __init__(self, state: HostState, providers: ModelProviders) -> None:
        self._state = state
        self._providers = providers
        self.routes = derive_class(BillingRoute)
        self.results = derive_class(CostResult)

    def resolve_billing_route(
        self, model_name: str, provider: str | None = None, base_url: str | None = None
    ) -> BillingRoute:
        """Return the provider that bills a request."""
        name = (provider or "").strip().lower()
        if name not in _OWN or base_url_hostname(base_url) not in _NEAR or self._providers.find(name):
            raise self._state.unsupported("name the price of a model that is not the user's own")
        return self.routes(name, (model_name or "").strip(), base_url or "")

    def get_pricing_entry(
        self,
        model_name: str,
        provider: str | None = None,
        base_url: str | None = None,
        api_key: str | None = None,  # noqa: ARG002
    ) -> None:
        """Return the price of a model, or None."""
        self.resolve_billing_route(model_name, provider, base_url)

    def has_known_pricing(
        self,
        model_name: str,
        provider: str | None = None,
        base_url: str | None = None,
        api_key: str | None = None,  # noqa: ARG002
    ) -> bool:
        """Return whether a model has a price."""
        self.resolve_billing_route(model_name, provider, base_url)
        return False

    def estimate_usage_cost(
        self,
        model_name: str,
        usage: CanonicalUsage,  # noqa: ARG002
        *,
        provider: str | None = None,
        base_url: str | None = None,
        api_key: str | None = None,  # noqa: ARG002
    ) -> CostResult:
        """Return the cost of a request."""
        self.resolve_billing_route(model_name, provider, base_url)
        return self.results(None, "unknown", "none", "n/a")
