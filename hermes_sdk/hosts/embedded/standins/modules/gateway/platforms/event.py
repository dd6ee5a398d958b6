"""Stands in for ``gateway.platforms.event``: the messages that adapters pass on."""

from __future__ import annotations

from importlib import import_module

__all__ = ["MessageEvent", "MessageType", "ProcessingOutcome"]

_base = import_module("gateway.platforms.base")
MessageEvent = _base.MessageEvent
MessageType = _base.MessageType
ProcessingOutcome = _base.ProcessingOutcome
