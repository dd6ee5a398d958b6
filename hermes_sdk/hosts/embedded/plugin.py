"""One plugin, as the host knows it: its manifest, and the record of what became of it."""

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
    """Fields of a manifest, which plugins see as ``ctx.manifest``. Values are as untyped as the YAML is.

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
            """Later releases have more fields, see `manifest_class`."""

    @property
    def lookup_key(self) -> Any:
        """The key that the host files this plugin under."""
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
    # Without a text, `dataclasses` would make one of the signature, which takes long.
    own = {"__module__": PluginManifest.__module__, "__doc__": PluginManifest.__doc__}
    return make_dataclass("PluginManifest", fields, bases=(PluginManifest,), namespace=own)


@dataclass
class Plugin:
    """The host's record of one plugin.

    `credited` has the names that the host counts as its own, by kind (A39), `refused` what it tried while it loaded and
    is not modelled.
    """

    manifest: PluginManifest
    raw: dict[str, Any]
    status: Status = "skipped"
    error: str | None = None
    failure: BaseException | None = None
    credited: dict[str, list[str]] = field(default_factory=dict)
    refused: frozenset[str] = frozenset()
