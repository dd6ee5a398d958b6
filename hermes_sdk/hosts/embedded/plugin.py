"""The host's records of a plugin: its manifest and its state."""

from __future__ import annotations

import ast
import copy
import functools
from dataclasses import dataclass, field, make_dataclass
from typing import TYPE_CHECKING, Any

from hermes_sdk.contract import Contract

if TYPE_CHECKING:
    from hermes_sdk.hosts.interface import Status


@dataclass
class PluginManifest:
    """Fields of a manifest, which plugins see as ``ctx.manifest``. Values have any type that the YAML has.

    `manifest_class` adds the fields of newer releases.
    """

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

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Return a field of later releases; see `manifest_class`."""

    @property
    def lookup_key(self) -> Any:
        """The key of this plugin in the host."""
        return self.key or self.name


@functools.cache
def manifest_class(contract: Contract) -> type[PluginManifest]:
    """Return the class of manifests with the fields of a release."""
    if not contract.behaviour.manifest_fields_read:
        return PluginManifest
    known = PluginManifest.__dataclass_fields__
    more = [one for one in contract.section("dataclasses")["PluginManifest"]["fields"] if one["name"] not in known]
    copies = (functools.partial(copy.copy, ast.literal_eval(one["default"])) for one in more)
    fields = [(one["name"], Any, field(default_factory=make)) for one, make in zip(more, copies, strict=True)]
    # Without a docstring, `dataclasses` would generate one from the signature, which is slow.
    own = {"__module__": PluginManifest.__module__, "__doc__": PluginManifest.__doc__}
    return make_dataclass("PluginManifest", fields, bases=(PluginManifest,), namespace=own)


@dataclass
class Plugin:
    """The host's record of one plugin.

    `credited` contains the names with which the host credits the plugin, by kind (A39); `refused` contains the
    unsupported actions of the plugin while it loaded.
    """

    manifest: PluginManifest
    raw: dict[str, Any]
    status: Status = "skipped"
    error: str | None = None
    failure: BaseException | None = None
    credited: dict[str, list[str]] = field(default_factory=dict)
    refused: frozenset[str] = frozenset()
