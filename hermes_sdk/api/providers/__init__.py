"""Providers: the classes that do the work behind a feature of the host.

Each class represents the host's class of the same name during type checking; at run time a plugin inherits from the
host's, because the host ignores any other object with a warning::

    if TYPE_CHECKING:
        from hermes_sdk.api import ImageGenProvider
    else:
        from agent.image_gen_provider import ImageGenProvider

A subclass must define the abstract members and may replace the others, for which the text says what the host's class
does. Members without a mark are as old as their class. The host passes arguments by the names given here, and newer
releases add more, so keep ``**kwargs`` where it appears.
"""

from hermes_sdk.api.providers.conversation import ContextEngine
from hermes_sdk.api.providers.dashboard import (
    DashboardAuthProvider,
    InvalidCodeError,
    InvalidCredentialsError,
    LoginStart,
    ProviderError,
    RefreshExpiredError,
    Session,
    TokenPrincipal,
)
from hermes_sdk.api.providers.images import ImageGenProvider, VideoGenProvider
from hermes_sdk.api.providers.memory import MemoryPluginContext, MemoryProvider, RecallStatus
from hermes_sdk.api.providers.references import ContextCompletionItem, ContextReferenceProvider
from hermes_sdk.api.providers.secrets import ErrorKind, FetchResult, SecretSource
from hermes_sdk.api.providers.speech import TranscriptionProvider, TTSProvider
from hermes_sdk.api.providers.web import BrowserProvider, WebSearchProvider

__all__ = [
    "BrowserProvider",
    "ContextCompletionItem",
    "ContextEngine",
    "ContextReferenceProvider",
    "DashboardAuthProvider",
    "ErrorKind",
    "FetchResult",
    "ImageGenProvider",
    "InvalidCodeError",
    "InvalidCredentialsError",
    "LoginStart",
    "MemoryPluginContext",
    "MemoryProvider",
    "ProviderError",
    "RecallStatus",
    "RefreshExpiredError",
    "SecretSource",
    "Session",
    "TTSProvider",
    "TokenPrincipal",
    "TranscriptionProvider",
    "VideoGenProvider",
    "WebSearchProvider",
]
