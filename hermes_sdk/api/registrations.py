"""Types of the arguments that register commands, auxiliary tasks, platforms and Slack actions."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

__all__ = ["AuxiliaryTaskDefaults", "CliHandler", "CliSetup", "CommandHandler", "PlatformOptions", "SlackActionHandler"]

CommandHandler = Callable[[str], str | Awaitable[str | None] | None]
"""Handler of a slash command, called with the stripped text after the command. It may be a coroutine function.

The returned text is shown to the user; None and empty text show nothing. For an exception, the CLI shows
``Plugin command error: …``, and the gateway treats the command as unknown.
"""

CliSetup = Callable[["ArgumentParser"], object]
"""Function that adds the options of a CLI command to its parser. An exception removes all later plugin commands."""

CliHandler = Callable[["Namespace"], object]
"""Handler of a CLI command, called with the parsed options.

Its return value is ignored and the exit status is 0; call ``sys.exit`` for another status. An exception prints a
traceback, and the exit status is 1.
"""

SlackActionHandler = Callable[[Any, Any, Any], Awaitable[object]]
"""A coroutine function called with ``ack``, ``body`` and ``action`` of slack_bolt; await ``ack()`` within 3 seconds."""


class AuxiliaryTaskDefaults(TypedDict, total=False):
    """Default settings of an auxiliary task. Those under ``auxiliary.<key>`` override them; other keys are allowed.

    Attributes:
        provider: ``auto`` for the user's own.
        model: Empty for the provider's default.
        base_url: URL of the API, instead of the provider's own.
        api_key: The API key for that URL.
        timeout: In seconds; 60 when absent.
        extra_body: Fields to add to each request.
    """

    provider: str
    model: str
    base_url: str
    api_key: str
    timeout: float
    extra_body: dict[str, Any]


class PlatformOptions(TypedDict, total=False):
    """Optional arguments of `PluginContext.register_platform`. Any other keyword raises TypeError.

    Attributes:
        is_connected: Returns whether a configuration is complete; by default, the platform is on if ``check_fn``
            returns true.
        setup_fn: Asks the user for the configuration.
        plugin_name: Name in listings; by default the manifest's.
        allowed_users_env: Variable that lists the allowed users, separated by commas.
        allow_all_env: Variable that allows everybody.
        max_message_length: In characters; 0 for no limit.
        pii_safe: Whether the host may hide personal data, such as phone numbers, from the model.
        emoji: Shown next to the label.
        allow_update_command: Whether ``/update`` is available.
        platform_hint: Description of the platform for the system prompt.
        env_enablement_fn: Returns settings from the environment.
        apply_yaml_config_fn: Returns further settings from the configuration and the platform's block.
        cron_deliver_env_var: Variable with the destination of scheduled messages.
        standalone_sender_fn: Sends a message without a running gateway.
        ensure_deps_fn: Installs dependencies if ``check_fn`` returns false. Since 0.20.1.
        parse_target_ref_fn: Parses a target such as ``#general`` into chat and thread. Since 0.20.1.
        validate_target_ref_fn: Returns whether a target is valid, or why not. Since 0.20.1.
        send_message_handler: Handles a complete call of the tool that sends messages. Since 0.20.1.
        trusted_inbound: Whether every message counts as authorised. Since 0.22.2.
        display_tier: Default amount of progress: ``high``, ``medium``, ``low`` or ``minimal``. Since 0.22.2.
        shared_env_prefixes: Prefixes of variables that the plugin's tools may read too. Since 0.22.2.
    """

    is_connected: Callable[[Any], bool] | None
    setup_fn: Callable[[], None] | None
    plugin_name: str
    allowed_users_env: str
    allow_all_env: str
    max_message_length: int
    pii_safe: bool
    emoji: str
    allow_update_command: bool
    platform_hint: str
    env_enablement_fn: Callable[[], dict[str, Any] | None] | None
    apply_yaml_config_fn: Callable[[dict[str, Any], dict[str, Any]], dict[str, Any] | None] | None
    cron_deliver_env_var: str
    standalone_sender_fn: Callable[..., Awaitable[dict[str, Any]]] | None
    ensure_deps_fn: Callable[[], bool] | None
    parse_target_ref_fn: Callable[[str], tuple[str, str | None] | None] | None
    validate_target_ref_fn: Callable[[str], bool | str] | None
    send_message_handler: Callable[[dict[str, Any], str, str, Any], Any] | None
    trusted_inbound: bool
    display_tier: str
    shared_env_prefixes: tuple[str, ...]
