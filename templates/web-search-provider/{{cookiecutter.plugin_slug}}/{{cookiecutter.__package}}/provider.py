"""The provider, which Hermes calls when the agent searches the web."""

from __future__ import annotations

import os
from typing import Any

from agent.web_search_provider import WebSearchProvider

from . import service

VARIABLE = "{{ cookiecutter.__package | upper }}_URL"


class Search(WebSearchProvider):
    """Searches with the service at the configured address."""

    @property
    def name(self) -> str:
        """The name that `web.search_backend` selects."""
        return "{{ cookiecutter.plugin_slug }}"

    @property
    def display_name(self) -> str:
        """The display name."""
        return "{{ cookiecutter.plugin_name }}"

    def is_available(self) -> bool:
        """Return whether the address is set."""
        return bool(os.environ.get(VARIABLE))

    def get_setup_schema(self) -> dict[str, Any]:
        """Return the entry in `hermes tools`."""
        asked = [{"key": VARIABLE, "prompt": "Address of the search service"}]
        return {"name": self.display_name, "badge": "", "tag": "Your own service", "env_vars": asked}

    def search(self, query: str, limit: int = 5) -> dict[str, Any]:
        """Search the web."""
        try:
            found = service.search(os.environ.get(VARIABLE, ""), query, limit)
        except service.Failed as error:
            return {"success": False, "error": str(error)}
        return {"success": True, "data": {"web": found}}
