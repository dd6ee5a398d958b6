"""Web providers: search, page extraction and cloud browsers."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Protocol

from hermes_sdk.api.base import provided_by_host

__all__ = ["BrowserProvider", "WebSearchProvider"]


class _WebProvider(Protocol):
    """Members that both kinds of provider have; the host defines them twice."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Name that selects the provider in the configuration: lower case, without spaces."""
        ...

    @property
    def display_name(self) -> str:
        """Display name; by default ``name``."""
        provided_by_host()

    @abstractmethod
    def is_available(self) -> bool:
        """Return whether the provider is available; must not use the network."""
        ...

    def get_setup_schema(self) -> dict[str, Any]:
        """Return the row of ``hermes tools``: ``name``, ``badge``, ``tag``, and ``env_vars`` to ask for.

        Each of ``env_vars``, by default none, is a mapping with ``key``, ``prompt`` and ``url``.
        """
        provided_by_host()


class WebSearchProvider(_WebProvider, Protocol):
    """Searches the web or reads pages; base class ``agent.web_search_provider.WebSearchProvider``.

    ``web.backend``, or ``web.search_backend`` and ``web.extract_backend`` for one purpose, select it by its ``name``.
    Until 0.15.0 there were also ``crawl(url, **kwargs)`` and ``supports_crawl()``.
    """

    def is_keyless_available(self) -> bool:
        """Return whether to use it without credentials if no provider is configured; false by default. Since 0.20.6."""
        provided_by_host()

    def supports_search(self) -> bool:
        """Return whether the provider has `search`; true by default."""
        provided_by_host()

    def supports_extract(self) -> bool:
        """Return whether the provider has `extract`; false by default."""
        provided_by_host()

    def search(self, query: str, limit: int = 5) -> dict[str, Any]:
        """Search the web; raises NotImplementedError by default.

        Args:
            query: The query.
            limit: Maximum number of results.

        Returns:
            ``success`` and ``data``, whose ``web`` lists mappings with ``title``, ``url``, ``description`` and
            ``position``; or ``success`` false and ``error``.
        """
        provided_by_host()

    def extract(self, urls: list[str], **kwargs: Any) -> Any:
        """Extract the content of pages; raises NotImplementedError by default. It may be a coroutine function.

        Args:
            urls: The URLs.
            **kwargs: Arguments that later releases add, such as ``format``.

        Returns:
            A mapping for each page: ``url``, ``title``, ``content`` and ``raw_content``; and, if any,
            ``metadata`` or ``error``.
        """
        provided_by_host()


class BrowserProvider(_WebProvider, Protocol):
    """Runs browsers in the cloud; base class ``agent.browser_provider.BrowserProvider``. Since 0.15.0.

    ``browser.cloud_provider`` selects it by its ``name``.
    Until 0.21.3 there were also ``is_configured()`` and ``provider_name()``.
    """

    @abstractmethod
    def create_session(self, task_id: str) -> dict[str, object]:
        """Start a browser for a run of the agent.

        Args:
            task_id: Identifies the run.

        Returns:
            ``session_name``, ``bb_session_id`` (passed to `close_session`, for every service), ``cdp_url`` (a
            WebSocket URL) and ``features``.

        Raises:
            ValueError: Credentials are missing.
            RuntimeError: The service failed.
        """
        ...

    @abstractmethod
    def close_session(self, session_id: str) -> bool:
        """Stop a browser and return whether that succeeded; must not raise.

        Args:
            session_id: The service's id of the session.
        """
        ...

    @abstractmethod
    def emergency_cleanup(self, session_id: str) -> None:
        """Stop a browser while the process exits; must not raise.

        Args:
            session_id: The service's id of the session.
        """
        ...
