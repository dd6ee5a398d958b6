"""Types of ``hermes_cli.dashboard_auth.base``."""

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
from hermes_sdk.hosts.embedded.standins.modules.hermes_cli.dashboard_auth.base import (
    assert_protocol_compliance as assert_protocol_compliance,
)
