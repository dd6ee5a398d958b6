"""The suite for platforms of the gateway."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any, ClassVar

from hermes_sdk.hosts.interface import ALLOW_ALL
from hermes_sdk.testing.suites.contract import Contract
from hermes_sdk.testing.suites.transport import Served, Transport

_SECRET = re.compile("KEY|PASSWORD|SECRET|TOKEN")


class PlatformContract(Contract):
    """What the host demands of a platform and its adapter; see `Contract` for the attributes of all suites.

    Attributes:
        platform: The platform under test. Default: the only one that the plugin registers.
        transport: The class of what the adapter connects to; without it, rules about a connection are skipped.
        patience: Seconds that a message, or a new connection, may take.
    """

    suite = "platform"
    platform: ClassVar[str] = ""
    transport: ClassVar[type[Transport] | None] = None
    patience: ClassVar[float] = 2.0

    @classmethod
    def beside(cls, stack: ExitStack) -> tuple[Mapping[str, str], Mapping[str, Any]]:
        """Start the transport."""
        if cls.transport is None:
            return ALLOW_ALL, {"variables": sorted(cls.environment), "transport": None}
        transport = cls.transport()
        stack.callback(transport.close)
        served = stack.enter_context(Served(transport))
        variables = {**transport.environment, **cls.environment}
        named = {value for name, value in variables.items() if value and _SECRET.search(name)}
        told = {
            **served.settings,
            "chats": list(transport.chats),
            "nowhere": transport.nowhere,
            "secrets": sorted({*transport.secrets, *named}),
            "limit": transport.limit,
        }
        return {**ALLOW_ALL, **variables}, {"variables": sorted(variables), "transport": told}

    @classmethod
    def settings(cls, name: str) -> dict[str, Any]:  # noqa: ARG003
        """Return which platform to test, how it is configured, and how long to wait."""
        blocks = [cls.config.get("gateway", {}).get("platforms", {}), cls.config.get("platforms", {})]
        configured = {name: block for one in blocks for name, block in one.items()}
        return {"platform": cls.platform, "configured": configured, "patience": cls.patience}
