"""The way from a stand-in to the host that is open."""

from __future__ import annotations

from importlib.machinery import ModuleSpec

from hermes_sdk.hosts.embedded.loading.manager import PluginManager


def find_plugin_manager(spec: ModuleSpec | None) -> PluginManager:
    """Return the plugin manager of the host that imported a stand-in, given the stand-in's ``__spec__``.

    Raises:
        ImportError: The stand-in was not imported under its name while an embedded host was open.
    """
    plugins = spec.loader_state if spec else None
    if not isinstance(plugins, PluginManager):
        raise ImportError("A stand-in is only there while an embedded host is open, under its name on the host.")
    return plugins
