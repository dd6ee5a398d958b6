"""Names of a stand-in that are not modelled."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.machinery import ModuleSpec
from typing import Any

from hermes_sdk.hosts.embedded.refused_names import refuse_name
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager


def refused(spec: ModuleSpec | None, name: str, base: type = object, members: Iterable[str] = ()) -> Any:
    """Return a name of the stand-in with this ``__spec__`` whose call is refused; see `refuse_name`."""
    return refuse_name(find_plugin_manager(spec).state, spec.name if spec else "", name, base, members)
