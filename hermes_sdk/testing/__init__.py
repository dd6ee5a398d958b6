"""Fixtures and contract suites for a plugin's tests. Must not import `check`, `scaffold` or `cli`.

The fixtures ``hermes`` and ``hermes_gateway`` come with the pytest plugin; `Host` and `Gateway` are their types. The
model is scripted with `say`, `call`, `fail` and `interrupt`::

    def test_it(hermes: Host) -> None:
        hermes.llm.script(call("add", a=1, b=2), say("three"))
        assert hermes.chat("What is 1 + 2?").reply == "three"

A subclass of a contract suite, such as `MemoryProviderContract`, contains a test for each rule of the host.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hermes_sdk.hosts.interface import Gateway, Host, ToolResult, Turn

if TYPE_CHECKING:
    from hermes_sdk.llm import call, fail, interrupt, say
    from hermes_sdk.testing.suites.kinds import (
        ContextEngineContract,
        ImageGenProviderContract,
        MemoryProviderContract,
        ModelProviderContract,
        PlatformContract,
        PluginContract,
    )
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


def __getattr__(name: str) -> Any:
    if name in ("call", "fail", "interrupt", "say"):
        from hermes_sdk import llm

        return getattr(llm, name)
    if name in ("Received", "TcpTransport", "Transport"):
        from hermes_sdk.testing.suites import transport

        return getattr(transport, name)
    if name in __all__:
        from hermes_sdk.testing.suites import kinds

        return getattr(kinds, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
