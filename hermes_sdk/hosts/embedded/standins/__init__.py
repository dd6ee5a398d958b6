"""Stand-ins for the modules of the host that plugins import, so that a plugin finds them with nothing of Hermes here.

`modules/` holds one file a stand-in, by the name of the module that it stands in for. `loading.standin_loader` offers
them as long as a host is open, and `plugin_manager` is how they reach it. Must not import `hosts.embedded.host`.
"""
