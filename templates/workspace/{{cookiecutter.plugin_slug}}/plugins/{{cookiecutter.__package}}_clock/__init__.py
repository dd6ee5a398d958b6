"""Tells the time in a session, a plugin for Hermes Agent. Hermes calls `register`."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

if TYPE_CHECKING:
    from hermes_sdk.api import PluginContext


def tell(zone: str) -> str:
    """Return the time for the slash command, in the given zone, such as Asia/Tokyo, or in the local one."""
    try:
        now = datetime.now(ZoneInfo(zone.strip())) if zone.strip() else datetime.now().astimezone()
    except (OSError, ValueError, LookupError):
        return f"There is no time zone {zone.strip()!r}; there is Asia/Tokyo, for example."
    return f"{now:%H:%M} ({now.tzname()})"


def register(ctx: PluginContext) -> None:
    """Register the command. Hermes calls it once, when it loads the plugin."""
    ctx.register_command(
        "{{ cookiecutter.plugin_slug }}-clock",
        handler=tell,
        description="Tell the time",
    )
