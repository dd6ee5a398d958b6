"""Signing in to the dashboard: the provider, its results and its exceptions.

All names are those of ``hermes_cli.dashboard_auth``.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Protocol

from hermes_sdk.api.base import host_dataclass, provided_by_host

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
    """Start of a login. Since 0.16.0.

    Attributes:
        redirect_url: URL to send the browser to.
        cookie_payload: Values of cookies to set, by name; they last up to ten minutes.
    """

    redirect_url: str
    cookie_payload: dict[str, str]


@host_dataclass
class Session:
    """A signed-in person. Since 0.16.0.

    Attributes:
        user_id: Identifies the person.
        email: The e-mail address.
        display_name: Display name.
        org_id: The organisation, or empty.
        provider: The name of the provider.
        expires_at: Expiry of the access token, in seconds since the epoch.
        access_token: Token that the browser sends with each request.
        refresh_token: Token that renews the session.
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
        scopes: Permissions of the service; empty if unspecified.
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
    """A refresh token is no longer valid; the person must sign in again. Since 0.16.0."""


class DashboardAuthProvider(Protocol):
    """Signs people in to the dashboard; base class ``hermes_cli.dashboard_auth.DashboardAuthProvider``. Since 0.16.0.

    Attributes:
        name: Identifies the provider; not empty.
        display_name: Display name; not empty.
        supports_password: Whether `complete_password_login` is implemented.
        supports_token: Whether `verify_token` is implemented. Since 0.18.0.
        supports_session: Whether people can sign in with the provider. Since 0.18.0.
    """

    name: str
    display_name: str
    supports_password: bool = False
    supports_token: bool = False
    supports_session: bool = True

    @abstractmethod
    def start_login(self, *, redirect_uri: str) -> LoginStart:
        """Start a login.

        Args:
            redirect_uri: URL to which the service redirects the person.

        Raises:
            ProviderError: The service cannot be reached.
        """
        ...

    @abstractmethod
    def complete_login(self, *, code: str, state: str, code_verifier: str, redirect_uri: str) -> Session:
        """Finish a login.

        Args:
            code: Authorization code from the service.
            state: State from the service.
            code_verifier: PKCE verifier from the cookies.
            redirect_uri: As in `start_login`.

        Raises:
            InvalidCodeError: The code or the state is wrong.
            ProviderError: The service cannot be reached.
        """
        ...

    @abstractmethod
    def verify_session(self, *, access_token: str) -> Session | None:
        """Return the session of an access token, or None; called for each request.

        Args:
            access_token: The access token.

        Raises:
            ProviderError: The service cannot be reached.
        """
        ...

    @abstractmethod
    def refresh_session(self, *, refresh_token: str) -> Session:
        """Renew a session.

        Args:
            refresh_token: The refresh token.

        Raises:
            RefreshExpiredError: The token is no longer valid.
            ProviderError: The service cannot be reached.
        """
        ...

    @abstractmethod
    def revoke_session(self, *, refresh_token: str) -> None:
        """Revoke a session if possible; must not raise.

        Args:
            refresh_token: The refresh token.
        """
        ...

    def complete_password_login(self, *, username: str, password: str) -> Session:
        """Sign a person in by password, if ``supports_password``; raises NotImplementedError by default.

        Args:
            username: The user name, as typed.
            password: The password. Take the same time for unknown user names.

        Raises:
            InvalidCredentialsError: The user name or the password is wrong.
            ProviderError: The service cannot be reached.
        """
        provided_by_host()

    def verify_token(self, *, token: str) -> TokenPrincipal | None:
        """Return the service that a token belongs to, or None. Since 0.18.0.

        Called if ``supports_token`` is true; raises NotImplementedError by default.

        Args:
            token: The token. Compare it in constant time.

        Raises:
            ProviderError: The tokens cannot be read.
        """
        provided_by_host()
