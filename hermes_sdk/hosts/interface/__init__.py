"""What every host offers: the interfaces of a host, its gateway and its chats, and the values that they exchange.

Everything above `hosts` works with these names. Must not import any host.
"""

from __future__ import annotations

from hermes_sdk.hosts.interface.errors import HostExited, NotSupported, TimeLimitExceeded
from hermes_sdk.hosts.interface.host import Chat, Gateway, Host
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
)
from hermes_sdk.hosts.interface.surfaces import SURFACES, Surface, SurfaceName
from hermes_sdk.hosts.interface.values import (
    ALLOW_ALL,
    CliResult,
    HookCall,
    HookCalls,
    LogRecord,
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
]
