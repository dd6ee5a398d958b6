"""The distribution ``hermes-agent`` of the release for `importlib.metadata`, while a host is open."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from hermes_sdk.hosts.embedded.process.child_packages import HOST, format_metadata
from hermes_sdk.hosts.embedded.state import HostState

if TYPE_CHECKING:
    from importlib.metadata import Distribution


class HostDistribution:
    """Finder on `sys.meta_path` for the distribution of Hermes; it finds no modules."""

    def __init__(self, state: HostState) -> None:
        self._state = state

    def find_spec(self, *_: object) -> None:
        """Find no module."""

    def find_distributions(self, context: Any) -> Iterator[Distribution]:
        """Find the distribution, unless the search is limited to certain directories."""
        searched = re.sub(r"[-_.]+", "-", context.name or HOST).lower()
        if searched == HOST and "path" not in vars(context):
            yield _make_distribution(self._state)


def _make_distribution(state: HostState) -> Distribution:
    # Imported on demand: few plugins need it, and the import takes longer than the start of a host.
    from importlib.metadata import Distribution

    class Installed(Distribution):
        def read_text(self, filename: str) -> str | None:
            return format_metadata(state.contract) if filename == "METADATA" else None

        def locate_file(self, path: Any) -> Any:
            raise state.unsupported(f"locate {path} in the distribution {HOST}")

        @property
        def requires(self) -> list[str]:
            raise state.unsupported(f"list what the distribution {HOST} requires")

    return Installed()
