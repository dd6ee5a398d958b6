"""Stands in for ``agent.web_search_provider``."""

from __future__ import annotations

import os
from typing import Any, NoReturn

from hermes_sdk.hosts.embedded.host_classes import Classes
from hermes_sdk.hosts.embedded.providers.backend_defaults import Backend
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager

__all__ = ["WebSearchProvider", "get_provider_env"]

_host = find_plugin_manager(__spec__)


class _Search(Backend):
    """Searches the web, reads pages, or both."""

    def is_keyless_available(self) -> bool:
        return False

    def supports_search(self) -> bool:
        return True

    def supports_extract(self) -> bool:
        return False

    def search(self: Any, **_: Any) -> NoReturn:
        raise NotImplementedError(f"{self.name} does not support search (override supports_search)")

    def extract(self: Any, **_: Any) -> NoReturn:
        raise NotImplementedError(f"{self.name} does not support extract (override supports_extract)")


WebSearchProvider = Classes(_host.state, globals()).made("WebSearchProvider", _Search)


def get_provider_env(name: str) -> str:
    """Return a variable of the process, or else of the home's ``.env``; stripped, empty without one."""
    return (os.environ.get(name) or _host.state.home.env.get(name) or "").strip()
