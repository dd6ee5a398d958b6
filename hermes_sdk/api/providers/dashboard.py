"""Signing in to the dashboard: the provider, what its methods return, and what they raise.

All names are those of ``hermes_cli.dashboard_auth``.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Protocol

from hermes_sdk.api.base import host_dataclass, inherited

__all__ = [
    "DashboardAuthProvider",
    "InvalidCodeError",
    "InvalidCredentialsError",
    "LoginStart",
    "ProviderError",
    "RefreshExpiredError",
    "Session",
    "TokenPrincipal",
]


@host_dataclass
class LoginStart:
    """Where a person signs in. Since 0.16.0.

    Attributes:
        redirect_url: Where to send the browser.
        cookie_payload: Cookies to set by name, for at most ten minutes.
    """

    redirect_url: str
    cookie_payload: dict[str, str]


@host_dataclass
class Session:
    """A person who is signed in. Since 0.16.0.

    Attributes:
        user_id: Identifies the person.
        email: The e-mail address.
        display_name: Display name.
        org_id: The organisation, or empty.
        provider: The name of the provider.
        expires_at: When the access token ends, in seconds since 1970.
        access_token: What the browser sends with each request.
        refresh_token: What renews it.
    """

    user_id: str
    email: str
    display_name: str
    org_id: str
    provider: str
    expires_at: int
    access_token: str
    refresh_token: str


@host_dataclass
class TokenPrincipal:
    """A service that sent a valid token. Since 0.18.0.

    Attributes:
        principal: Identifies the service.
        provider: The name of the provider.
        scopes: What it may do; empty for no statement.
    """

    principal: str
    provider: str
    scopes: tuple[str, ...] = ()


class ProviderError(Exception):
    """The service behind the provider cannot be reached; the dashboard answers 503. Since 0.16.0."""


class InvalidCodeError(Exception):
    """The code or the state of a login is wrong; the dashboard answers 400. Since 0.16.0."""


class InvalidCredentialsError(Exception):
    """The user name or the password is wrong; the dashboard answers 401. Since 0.16.0."""


class RefreshExpiredError(Exception):
    """A refresh token is not valid any more; the person must sign in again. Since 0.16.0."""


class DashboardAuthProvider(Protocol):
    """Signs people in to the dashboard, as ``hermes_cli.dashboard_auth.DashboardAuthProvider``. Since 0.16.0.

    Attributes:
        name: Identifies it; not empty.
        display_name: Display name; not empty.
        supports_password: Whether `complete_password_login` is there.
        supports_token: Whether `verify_token` is there. Since 0.18.0.
        supports_session: Whether people sign in with it. Since 0.18.0.
    """

    name: str
    display_name: str
    supports_password: bool = False
    supports_token: bool = False
    supports_session: bool = True

    @abstractmethod
    def start_login(self, *, redirect_uri: str) -> LoginStart:
        """Begin a login.

        Args:
            redirect_uri: Where the person comes back.

        Raises:
            ProviderError: The service cannot be reached.
        """
        ...

    @abstractmethod
    def complete_login(self, *, code: str, state: str, code_verifier: str, redirect_uri: str) -> Session:
        """Finish a login.

        Args:
            code: What the service sent with the person.
            state: The state that it sent.
            code_verifier: The PKCE verifier from the cookies.
            redirect_uri: As at the start.

        Raises:
            InvalidCodeError: Code or state are wrong.
            ProviderError: The service cannot be reached.
        """
        ...

    @abstractmethod
    def verify_session(self, *, access_token: str) -> Session | None:
        """Return who sent a token, or None when it ran out or is unknown; called for each request.

        Args:
            access_token: The token of the session.

        Raises:
            ProviderError: The service cannot be reached.
        """
        ...

    @abstractmethod
    def refresh_session(self, *, refresh_token: str) -> Session:
        """Renew a session.

        Args:
            refresh_token: The token that renews it.

        Raises:
            RefreshExpiredError: The token is not valid.
            ProviderError: The service cannot be reached.
        """
        ...

    @abstractmethod
    def revoke_session(self, *, refresh_token: str) -> None:
        """End a session as well as possible; must not raise.

        Args:
            refresh_token: The token that renews it.
        """
        ...

    def complete_password_login(self, *, username: str, password: str) -> Session:
        """Sign a person in by password; called with ``supports_password``, raises NotImplementedError by default.

        Args:
            username: The name that was typed.
            password: The password. Take the same time for a name that does not exist.

        Raises:
            InvalidCredentialsError: One of both is wrong.
            ProviderError: The service cannot be reached.
        """
        inherited()

    def verify_token(self, *, token: str) -> TokenPrincipal | None:
        """Return which service sent a token, or None when it is not known. Since 0.18.0.

        It is called with ``supports_token``, and raises NotImplementedError by default.

        Args:
            token: The token. Compare it in constant time.

        Raises:
            ProviderError: The tokens cannot be read.
        """
        inherited()
