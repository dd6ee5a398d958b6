"""Types of ``agent.web_search_provider``."""

from hermes_sdk.api import WebSearchProvider as WebSearchProvider
from hermes_sdk.hosts.embedded.standins.modules.agent.web_search_provider import get_provider_env as get_provider_env
