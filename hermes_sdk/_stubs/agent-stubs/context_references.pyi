"""Types of ``agent.context_references``."""

from hermes_sdk.api import (
    ContextCompletionItem as ContextCompletionItem,
    ContextReferenceProvider as ContextReferenceProvider,
)
from hermes_sdk.hosts.embedded.standins.modules.agent.context_references import (
    BUILTIN_PREFIXES as BUILTIN_PREFIXES,
    get_context_reference_providers as get_context_reference_providers,
    register_context_reference_provider as register_context_reference_provider,
)
