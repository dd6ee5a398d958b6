"""Hooks: keyword arguments, return values and callback type of each.

Hermes passes keyword arguments only. Name those that you need and end the signature with ``**kwargs``, which releases
before 0.20.1 require. An Exception is logged as a warning and swallowed. Every callback runs, in the order of
registration. Coroutine functions are awaited from 0.21.3; before, their values are lost. Return values without a
description are ignored.

From 0.20.6 the hooks of turns, tool calls and requests run on a thread of the host, which abandons a callback after
``plugins.hook_callback_timeout`` (30 seconds).

Every hook except ``gateway_platform_event`` gets ``telemetry_schema_version`` (``hermes.observer.v1``) from 0.16.0.
Unknown identifiers are empty strings. Arguments without a release are as old as their hook.
"""

from hermes_sdk.api.hooks.approvals import *
from hermes_sdk.api.hooks.base import *
from hermes_sdk.api.hooks.chats import *
from hermes_sdk.api.hooks.gateway import *
from hermes_sdk.api.hooks.kanban import *
from hermes_sdk.api.hooks.requests import *
from hermes_sdk.api.hooks.sessions import *
from hermes_sdk.api.hooks.skills import *
from hermes_sdk.api.hooks.streams import *
from hermes_sdk.api.hooks.tool_calls import *
from hermes_sdk.api.hooks.transcription import *
from hermes_sdk.api.hooks.turns import *
