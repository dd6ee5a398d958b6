"""Public interface of hosts: hosts, gateways, chats, and the values that they exchange.

Everything above `hosts` uses these names, which are loaded on first use. The package must not import a host.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hermes_sdk.hosts.interface.errors import REFUSAL, HostExited, NotSupported, TimeLimitExceeded
    from hermes_sdk.hosts.interface.host import Chat, Gateway, Host
    from hermes_sdk.hosts.interface.log import LogRecord
    from hermes_sdk.hosts.interface.memory import DRAIN_LIMIT, PREFETCH_LIMIT
    from hermes_sdk.hosts.interface.report import (
        PROVIDER_CATEGORIES,
        CallableFacts,
        Failure,
        HostKind,
        Inspection,
        Place,
        PluginFacts,
        Registration,
        Report,
        Status,
        find_form,
    )
    from hermes_sdk.hosts.interface.surfaces import SURFACES, Surface, SurfaceName
    from hermes_sdk.hosts.interface.values import (
        ALLOW_ALL,
        CliResult,
        HookCall,
        HookCalls,
        Message,
        OnSwallowed,
        RawTurn,
        Sent,
        Swallowed,
        ToolResult,
        Turn,
        TurnToolCall,
        Unsupported,
    )

__all__ = [
    "ALLOW_ALL",
    "DRAIN_LIMIT",
    "PREFETCH_LIMIT",
    "PROVIDER_CATEGORIES",
    "REFUSAL",
    "SURFACES",
    "CallableFacts",
    "Chat",
    "CliResult",
    "Failure",
    "Gateway",
    "HookCall",
    "HookCalls",
    "Host",
    "HostExited",
    "HostKind",
    "Inspection",
    "LogRecord",
    "Message",
    "NotSupported",
    "OnSwallowed",
    "Place",
    "PluginFacts",
    "RawTurn",
    "Registration",
    "Report",
    "Sent",
    "Status",
    "Surface",
    "SurfaceName",
    "Swallowed",
    "TimeLimitExceeded",
    "ToolResult",
    "Turn",
    "TurnToolCall",
    "Unsupported",
    "find_form",
]

_MODULES = {
    "ALLOW_ALL": "values",
    "DRAIN_LIMIT": "memory",
    "PREFETCH_LIMIT": "memory",
    "PROVIDER_CATEGORIES": "report",
    "SURFACES": "surfaces",
    "CallableFacts": "report",
    "Chat": "host",
    "CliResult": "values",
    "Failure": "report",
    "Gateway": "host",
    "HookCall": "values",
    "HookCalls": "values",
    "Host": "host",
    "HostExited": "errors",
    "HostKind": "report",
    "Inspection": "report",
    "LogRecord": "log",
    "Message": "values",
    "NotSupported": "errors",
    "OnSwallowed": "values",
    "Place": "report",
    "PluginFacts": "report",
    "REFUSAL": "errors",
    "RawTurn": "values",
    "Registration": "report",
    "Report": "report",
    "find_form": "report",
    "Sent": "values",
    "Status": "report",
    "Surface": "surfaces",
    "SurfaceName": "surfaces",
    "Swallowed": "values",
    "TimeLimitExceeded": "errors",
    "ToolResult": "values",
    "Turn": "values",
    "TurnToolCall": "values",
    "Unsupported": "values",
}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
