"""``gateway.platform_registry``: the registry of platforms that plugins see."""

from __future__ import annotations

from typing import Any, NamedTuple

from hermes_sdk.hosts.embedded.host_classes import Classes, derive_class, of_module
from hermes_sdk.hosts.embedded.providers.platforms import Platforms
from hermes_sdk.hosts.embedded.state import HostState


class Embedded(NamedTuple):
    """The parts of the host behind a registry."""

    state: HostState
    platforms: Platforms
    entry: Any


@of_module("gateway.platform_registry")
class PlatformRegistry:
    """Platforms of plugins; Hermes' own platforms and other members are not supported."""

    _embedded: Embedded

    def __init__(self) -> None:
        self._known: list[tuple[dict[str, Any], Any]]
        vars(self)["_known"] = []

    def __getattr__(self, name: str) -> Any:
        members = self._embedded.state.contract.section("classes")["PlatformRegistry"]["members"]
        if name in members or (name.startswith("_") and not name.startswith("__")):
            raise self._embedded.state.unsupported(f"read gateway.platform_registry.platform_registry.{name}")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __setattr__(self, name: str, value: Any) -> None:
        self._embedded.state.replaced.add(f"gateway.platform_registry.platform_registry.{name}")
        super().__setattr__(name, value)

    def is_registered(self, name: str) -> bool:
        """Return whether a platform is registered."""
        return self._find(name) is not None

    def get(self, name: str) -> Any:
        """Return the entry of a platform, or None."""
        found = self._find(name)
        if found is None:
            return None
        for known, entry in self._known:
            if known is found:
                return entry
        entry = self._embedded.entry(**{**found, "required_env": found.get("required_env") or []})
        self._known.append((found, entry))
        return entry

    def _find(self, name: str) -> dict[str, Any] | None:
        """Return the last registration of a platform by a plugin, or None.

        Raises:
            NotSupported: The platform is one of Hermes' own.
        """
        found = [registration for _, registration in self._embedded.platforms.entries if registration["name"] == name]
        if not found and self._embedded.platforms.is_shipped(name):
            raise self._embedded.state.unsupported(f"look up the platform {name!r}, which is Hermes' own")
        return found[-1] if found else None


def make_registry(state: HostState, platforms: Platforms) -> PlatformRegistry:
    """Create the registry of a host; `HostState.replaced` records changes of its entries by plugins."""

    def note_change(entry: Any, name: str, value: Any) -> None:
        if name in vars(entry):
            state.replaced.add(f"{name} of the platform {entry.name!r}")
        vars(entry)[name] = value

    entry = Classes(state, {}).make("PlatformEntry", __setattr__=note_change)
    return derive_class(PlatformRegistry, _embedded=Embedded(state, platforms, entry))()
