"""Stands in for ``gateway.platforms.webhook``: an adapter that plugins derive from; making one is refused."""

from __future__ import annotations

from importlib import import_module

from hermes_sdk.hosts.embedded.standins.refused import refused

__all__ = ["WebhookAdapter"]

WebhookAdapter = refused(__spec__, "WebhookAdapter", import_module("gateway.platforms.base").BasePlatformAdapter)
