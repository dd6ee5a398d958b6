"""Lookup of the open host for stand-ins."""

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
        raise ImportError("This stand-in can be imported only while an embedded host is open, under its Hermes name.")
    return plugins
