"""Stand-ins for modules of Hermes that plugins import, since Hermes itself is not installed.

`modules/` contains one file per stand-in, named after the module. `loading.standin_loader` offers them while a host is
open, and `plugin_manager` gives them access to it. Must not import `hosts.embedded.host`.
"""
