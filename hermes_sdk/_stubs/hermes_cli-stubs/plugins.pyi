"""Types of ``hermes_cli.plugins``."""

from hermes_sdk.api import (
    PluginContext as PluginContext,
    PluginManifest as PluginManifest,
    PluginToolOverrideError as PluginToolOverrideError,
)
from hermes_sdk.hosts.embedded.standins.modules.hermes_cli.plugins import (
    ENTRY_POINTS_GROUP as ENTRY_POINTS_GROUP,
    OBSERVER_SCHEMA_VERSION as OBSERVER_SCHEMA_VERSION,
    VALID_HOOKS as VALID_HOOKS,
    VALID_MIDDLEWARE as VALID_MIDDLEWARE,
    PluginManager as PluginManager,
    discover_plugins as discover_plugins,
    get_plugin_command_handler as get_plugin_command_handler,
    get_plugin_commands as get_plugin_commands,
    get_plugin_manager as get_plugin_manager,
    has_hook as has_hook,
    has_middleware as has_middleware,
    invoke_hook as invoke_hook,
    resolve_plugin_command_result as resolve_plugin_command_result,
)
