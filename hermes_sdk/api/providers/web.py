"""Providers of the web: searching and reading it, and browsers in the cloud."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Protocol

from hermes_sdk.api.base import inherited

__all__ = ["BrowserProvider", "WebSearchProvider"]


class _WebProvider(Protocol):
    """What both kinds share; the host has it twice."""

    @property
    @abstractmethod
    def name(self) -> str:
        """What the configuration selects it by: lower case, without spaces; ``-`` is allowed."""
        ...

    @property
    def display_name(self) -> str:
        """Display name; by default ``name``."""
        inherited()

    @abstractmethod
    def is_available(self) -> bool:
        """Return whether it can be used now; must not use the network."""
        ...

    def get_setup_schema(self) -> dict[str, Any]:
        """Return its row in ``hermes tools``: ``name``, ``badge``, ``tag``, and ``env_vars`` to ask for.

        Each of ``env_vars`` is a mapping with ``key``, ``prompt`` and ``url``; there are none by default.
        """
        inherited()


class WebSearchProvider(_WebProvider, Protocol):
    """Searches the web or reads pages; base class ``agent.web_search_provider.WebSearchProvider``.

    ``web.backend``, or ``web.search_backend`` and ``web.extract_backend`` for one purpose, select it by its ``name``.
    Until 0.15.0 there were also ``crawl(url, **kwargs)`` and ``supports_crawl()``.
    """

    def is_keyless_available(self) -> bool:
        """Return whether it works without credentials if no provider is configured; false by default. Since 0.20.6."""
        inherited()

    def supports_search(self) -> bool:
        """Return whether the provider has `search`; true by default."""
        inherited()

    def supports_extract(self) -> bool:
        """Return whether the provider has `extract`; false by default."""
        inherited()

    def search(self, query: str, limit: int = 5) -> dict[str, Any]:
        """Search the web; raises NotImplementedError by default.

        Args:
            query: What to look for.
            limit: The most results to return.

        Returns:
            ``success`` and ``data``, whose ``web`` lists mappings with ``title``, ``url``, ``description`` and
            ``position``; or ``success`` false and ``error``.
        """
        inherited()

    def extract(self, urls: list[str], **kwargs: Any) -> Any:
        """Read pages; may be a coroutine function. Raises NotImplementedError by default.

        Args:
            urls: The addresses of the pages.
            **kwargs: What later releases add, such as ``format``.

        Returns:
            A mapping for each page: ``url``, ``title``, ``content`` and ``raw_content``; and, if any,
            ``metadata`` or ``error``.
        """
        inherited()


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
            ``session_name``, ``bb_session_id`` (what `close_session` gets, whatever the service), ``cdp_url`` (a
            WebSocket address) and ``features``.

        Raises:
            ValueError: Credentials are missing.
            RuntimeError: The service failed.
        """
        ...

    @abstractmethod
    def close_session(self, session_id: str) -> bool:
        """Stop a browser, and say whether that worked; must not raise.

        Args:
            session_id: The service's own id.
        """
        ...

    @abstractmethod
    def emergency_cleanup(self, session_id: str) -> None:
        """Stop a browser while the process ends; must not raise.

        Args:
            session_id: The service's own id.
        """
        ...
