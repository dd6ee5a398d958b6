"""Types of ``agent.secret_sources``."""

from hermes_sdk.api import (
    ErrorKind as ErrorKind,
    FetchResult as FetchResult,
    SecretSource as SecretSource,
)
