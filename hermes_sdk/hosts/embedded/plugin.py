"""One plugin, as the host knows it: its manifest, and the record of what became of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hermes_sdk.hosts.interface import Status


@dataclass
class PluginManifest:
    """What the host keeps of a manifest; plugins see it as ``ctx.manifest``. Values are as untyped as the YAML is."""

    name: Any
    version: str = ""
    description: Any = ""
    author: Any = ""
    requires_env: Any = field(default_factory=list)
    provides_tools: Any = field(default_factory=list)
    provides_hooks: Any = field(default_factory=list)
    source: str = ""
    path: str | None = None
    kind: str = "standalone"
    key: Any = ""

    @property
    def lookup_key(self) -> Any:
        """The key that the host files this plugin under."""
        return self.key or self.name


@dataclass
class Plugin:
    """The host's record of one plugin; `credited` has the names that the host counts as its own, by kind (A39)."""

    manifest: PluginManifest
    raw: dict[str, Any]
    status: Status = "skipped"
    error: str | None = None
    failure: BaseException | None = None
    credited: dict[str, list[str]] = field(default_factory=dict)
