"""The settings, from environment variables or ``platforms.{{ cookiecutter.__package }}.extra``."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

ROOM = 340
"""Bytes of text that fit on a line of 512 bytes after the sender's name and host and the target."""

_TRUE = ("1", "on", "true", "yes")


@dataclass(frozen=True)
class Settings:
    """The settings of the platform.

    Attributes:
        server: ``{{ cookiecutter.__package | upper }}_SERVER``: the server, as ``name`` or ``name:port``.
        tls: ``{{ cookiecutter.__package | upper }}_TLS``: whether to use TLS, on by default.
        nick: ``{{ cookiecutter.__package | upper }}_NICK``: the agent's nick.
        channels: ``{{ cookiecutter.__package | upper }}_CHANNELS``: the channels that it joins, separated by commas.
        password: ``{{ cookiecutter.__package | upper }}_PASSWORD``: the server's password, never displayed.
    """

    server: str = ""
    tls: bool = True
    nick: str = "hermes"
    channels: tuple[str, ...] = ()
    password: str = field(default="", repr=False)

    @classmethod
    def read(cls, extra: Mapping[str, Any]) -> Settings:
        """Read the settings; environment variables override the configuration."""

        def text(name: str, default: str = "") -> str:
            given = extra.get(name)
            if isinstance(given, list):
                given = ",".join(map(str, cast("list[object]", given)))
            configured = str(given or "")
            variable = "{{ cookiecutter.__package | upper }}_" + name.upper()
            return os.environ.get(variable, "").strip() or configured.strip() or default

        return cls(
            server=text("server"),
            tls=text("tls", "true").lower() in _TRUE,
            nick=text("nick", "hermes"),
            channels=tuple(filter(None, (one.strip() for one in text("channels").split(",")))),
            password=os.environ.get("{{ cookiecutter.__package | upper }}_PASSWORD", ""),
        )

    @staticmethod
    def from_environment() -> dict[str, Any] | None:
        """Return the settings from the environment, with which Hermes enables the platform; None without a server."""
        found = Settings.read({})
        return {"server": found.server} if found.server else None

    @property
    def address(self) -> tuple[str, int]:
        """The name and the port of the server."""
        host, _, port = self.server.rpartition(":")
        if host and port.isdecimal():
            return host.strip("[]"), int(port)
        return self.server, 6697 if self.tls else 6667
