"""Types of the arguments that register commands, auxiliary tasks, platforms and Slack actions."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

__all__ = ["AuxiliaryTaskDefaults", "CliHandler", "CliSetup", "CommandHandler", "PlatformOptions", "SlackActionHandler"]

CommandHandler = Callable[[str], str | Awaitable[str | None] | None]
"""The function behind a slash command, called with what follows the command, stripped at both ends.

Its text is shown to the user; None and the empty text show nothing. It may be a coroutine function. An exception is
shown as ``Plugin command error: …`` in the CLI; the gateway then treats the command as unknown.
"""

CliSetup = Callable[["ArgumentParser"], object]
"""Adds the options of a CLI command to its parser. An exception here removes all later plugin commands."""

CliHandler = Callable[["Namespace"], object]
"""The function behind a CLI command, called with the parsed options.

What it returns is ignored and the exit status is 0; call ``sys.exit`` for another. An exception is a traceback and
exit status 1.
"""

SlackActionHandler = Callable[[Any, Any, Any], Awaitable[object]]
"""A coroutine function called with ``ack``, ``body`` and ``action`` of slack_bolt; await ``ack()`` within 3 seconds."""


class AuxiliaryTaskDefaults(TypedDict, total=False):
    """Settings of an auxiliary task where the user has none under ``auxiliary.<key>``; other keys are allowed.

    Attributes:
        provider: The provider's name; ``auto`` for the user's own.
        model: The model's name; empty for the provider's.
        base_url: The address of the provider's API, instead of its own.
        api_key: The API key for that address.
        timeout: In seconds; 60 when absent.
        extra_body: What to add to the body of each request.
    """

    provider: str
    model: str
    base_url: str
    api_key: str
    timeout: float
    extra_body: dict[str, Any]


class PlatformOptions(TypedDict, total=False):
    """Further facts about a platform. The host raises TypeError for a keyword that is not one of these.

    Attributes:
        is_connected: Returns whether a platform configuration is complete. Without it, the platform of an enabled
            plugin is on whenever ``check_fn`` returns true.
        setup_fn: Asks the user for the configuration.
        plugin_name: The plugin in listings; by default the name in the manifest.
        allowed_users_env: The environment variable that lists the allowed users, separated by commas.
        allow_all_env: The environment variable that allows everybody.
        max_message_length: The longest message in characters; 0 for no limit.
        pii_safe: Whether the host may hide personal data, such as phone numbers, where it tells the model about a chat.
        emoji: Shown next to the label.
        allow_update_command: Whether ``/update`` works there.
        platform_hint: What the system prompt says about the platform.
        env_enablement_fn: Returns settings from the environment, or None if there are none.
        apply_yaml_config_fn: Turns the whole configuration and the platform's block into more settings.
        cron_deliver_env_var: The environment variable that names where scheduled messages go.
        standalone_sender_fn: Sends a message without a running gateway.
        ensure_deps_fn: Installs what is missing when ``check_fn`` says no, before connecting. Since 0.20.1.
        parse_target_ref_fn: Parses a target such as ``#general`` into chat and thread, or returns None. Since 0.20.1.
        validate_target_ref_fn: Returns whether a target is valid, or a text that says why not. Since 0.20.1.
        send_message_handler: Delivers a whole request of the tool that sends messages. Since 0.20.1.
        trusted_inbound: Whether every message counts as authorised, as from a service without people. Since 0.22.2.
        display_tier: How much progress is shown by default: ``high``, ``medium``, ``low`` or ``minimal``. Since 0.22.2.
        shared_env_prefixes: Prefixes of environment variables that tools of the plugin need too. Since 0.22.2.
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
