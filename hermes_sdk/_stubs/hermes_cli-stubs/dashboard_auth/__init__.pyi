"""Types of ``hermes_cli.dashboard_auth``."""

from hermes_sdk.api import (
    DashboardAuthProvider as DashboardAuthProvider,
    InvalidCodeError as InvalidCodeError,
    InvalidCredentialsError as InvalidCredentialsError,
    LoginStart as LoginStart,
    ProviderError as ProviderError,
    RefreshExpiredError as RefreshExpiredError,
    Session as Session,
    TokenPrincipal as TokenPrincipal,
)
