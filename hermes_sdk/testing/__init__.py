"""What a plugin's own tests use. Must not import `check`, `scaffold` or `cli`.

The fixtures ``hermes`` and ``hermes_gateway`` come with the pytest plugin; `Host` and `Gateway` are their types. The
model is scripted with `say`, `call`, `fail` and `interrupt`::

    def test_it(hermes: Host) -> None:
        hermes.llm.script(call("add", a=1, b=2), say("three"))
        assert hermes.chat("What is 1 + 2?").reply == "three"

A subclass of a contract suite, such as `MemoryProviderContract`, brings a test for each rule that the host has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hermes_sdk.hosts.interface import Gateway, Host, ToolResult, Turn

if TYPE_CHECKING:
    from hermes_sdk.llm import call, fail, interrupt, say
    from hermes_sdk.testing.suites.engine import ContextEngineContract
    from hermes_sdk.testing.suites.image import ImageGenProviderContract
    from hermes_sdk.testing.suites.memory import MemoryProviderContract
    from hermes_sdk.testing.suites.model import ModelProviderContract
    from hermes_sdk.testing.suites.platform import PlatformContract
    from hermes_sdk.testing.suites.plugin import PluginContract
    from hermes_sdk.testing.suites.transport import Received, TcpTransport, Transport

__all__ = [
    "ContextEngineContract",
    "Gateway",
    "Host",
    "ImageGenProviderContract",
    "MemoryProviderContract",
    "ModelProviderContract",
    "PlatformContract",
    "PluginContract",
    "Received",
    "TcpTransport",
    "ToolResult",
    "Transport",
    "Turn",
    "call",
    "fail",
    "interrupt",
    "say",
]

_SUITES = {
    "ContextEngineContract": "engine",
    "ImageGenProviderContract": "image",
    "MemoryProviderContract": "memory",
    "ModelProviderContract": "model",
    "PlatformContract": "platform",
    "PluginContract": "plugin",
    "Received": "transport",
    "TcpTransport": "transport",
    "Transport": "transport",
}


def __getattr__(name: str) -> Any:
    if name in ("call", "fail", "interrupt", "say"):
        from hermes_sdk import llm

        return getattr(llm, name)
    if name in _SUITES:
        from importlib import import_module

        return getattr(import_module(f"hermes_sdk.testing.suites.{_SUITES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
