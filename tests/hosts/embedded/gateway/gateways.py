"""Embedded gateways for tests, with a platform ``echo`` whose adapter stores sent messages."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent, indent

from hermes_sdk.hosts.embedded.host import EmbeddedHost
from hermes_sdk.hosts.interface import ALLOW_ALL, Gateway

ADAPTER = """
import asyncio
from gateway.config import Platform
from gateway.platforms.base import BasePlatformAdapter, MessageEvent, SendResult

class Adapter(BasePlatformAdapter):
    def __init__(self, config): super().__init__(config, Platform("echo"))
    async def connect(self, **more):
        self._mark_connected()
        return True
    async def disconnect(self): self._mark_disconnected()
    async def send(self, chat_id, content, reply_to=None, metadata=None): return SendResult(True, "sent")
    async def get_chat_info(self, chat_id): return {}
"""

Start = Callable[..., EmbeddedHost]


def open_gateway(start: Start, register: str = "", *, adapter: str = "", **options: object) -> Gateway:
    """Start a host with the platform, and its gateway.

    Args:
        start: The fixture of that name.
        register: Lines of the plugin's ``register``.
        adapter: Lines of the adapter's class.
        **options: Additional options of the host.
    """
    return start_host(start, register, adapter=adapter, **options).gateway()


def start_host(start: Start, register: str = "", *, adapter: str = "", **options: object) -> EmbeddedHost:
    """Start a host with the platform; see `open_gateway`."""
    lines = indent(dedent(register), "    ")
    body = f"{ADAPTER}{indent(dedent(adapter), '    ')}\ndef register(ctx):\n{lines}\n"
    body += '    ctx.register_platform(name="echo", label="Echo", adapter_factory=Adapter, check_fn=lambda: True)\n'
    manifest = "name: p\nkind: platform\n"
    return start(body, manifest=manifest, environment=ALLOW_ALL, **options)
