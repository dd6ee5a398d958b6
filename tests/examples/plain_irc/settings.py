"""What can be set, each as a variable of the environment or as a key of ``platforms.plain_irc.extra``."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

ROOM = 340
"""Bytes of text that fit on a line: the server puts our name, our host and the target before them, up to 512 in all."""

_TRUE = ("1", "on", "true", "yes")


@dataclass(frozen=True)
class Settings:
    """The settings of the platform.

    Attributes:
        server: ``PLAIN_IRC_SERVER``: its name, or ``name:port``; 6697 by default, and 6667 without TLS.
        tls: ``PLAIN_IRC_TLS``: off only where it says so.
        nick: ``PLAIN_IRC_NICK``: what the agent is called.
        channels: ``PLAIN_IRC_CHANNELS``: where it is, separated by commas.
        password: ``PLAIN_IRC_PASSWORD``: what the server asks for; only in the environment, and never shown.
    """

    server: str = ""
    tls: bool = True
    nick: str = "hermes"
    channels: tuple[str, ...] = ()
    password: str = field(default="", repr=False)

    @classmethod
    def read(cls, extra: Mapping[str, Any]) -> Settings:
        """Read the settings; the environment goes before the configuration."""

        def text(name: str, default: str = "") -> str:
            given = extra.get(name)
            if isinstance(given, list):
                given = ",".join(map(str, cast("list[object]", given)))
            configured = str(given or "")
            return os.environ.get(f"PLAIN_IRC_{name.upper()}", "").strip() or configured.strip() or default

        return cls(
            server=text("server"),
            tls=text("tls", "true").lower() in _TRUE,
            nick=text("nick", "hermes"),
            channels=tuple(filter(None, (one.strip() for one in text("channels").split(",")))),
            password=os.environ.get("PLAIN_IRC_PASSWORD", ""),
        )

    @staticmethod
    def found() -> dict[str, Any] | None:
        """What the environment says, for the host to switch the platform on by; None when it says nothing."""
        found = Settings.read({})
        return {"server": found.server} if found.server else None

    @property
    def address(self) -> tuple[str, int]:
        """The name and the port of the server."""
        host, _, port = self.server.rpartition(":")
        if host and port.isdecimal():
            return host.strip("[]"), int(port)
        return self.server, 6697 if self.tls else 6667
