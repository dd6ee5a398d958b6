"""{{ cookiecutter.plugin_name }}, a platform for Hermes Agent. `register` is where Hermes starts.

People talk to the agent in private messages, and by its name in channels.

Everything is set in the environment; `settings` lists the variables. A nick proves nothing on a network where
anybody may take it: let the server ask for a password, or reserve the nicks that are allowed to write.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .adapter import IrcAdapter, send_once
from .settings import ROOM, Settings

if TYPE_CHECKING:
    from hermes_sdk.api import PlatformConfig, PluginContext


def register(ctx: PluginContext) -> None:
    """Register the platform; nothing else happens before the gateway asks for an adapter."""
    ctx.register_platform(
        name="{{ cookiecutter.__package }}",
        label="IRC",
        adapter_factory=IrcAdapter,
        check_fn=lambda: True,  # The adapter needs only the standard library.
        validate_config=_is_complete,
        is_connected=_is_complete,
        required_env=["{{ cookiecutter.__package | upper }}_SERVER"],
        env_enablement_fn=Settings.from_environment,
        allowed_users_env="{{ cookiecutter.__package | upper }}_ALLOWED_USERS",
        allow_all_env="{{ cookiecutter.__package | upper }}_ALLOW_ALL",
        cron_deliver_env_var="{{ cookiecutter.__package | upper }}_HOME_CHAT",
        standalone_sender_fn=send_once,
        max_message_length=ROOM,
        platform_hint="You are on IRC: plain text in short lines, without Markdown.",
        emoji="💬",
    )


def _is_complete(config: PlatformConfig) -> bool:
    return bool(Settings.read(config.extra).server)
