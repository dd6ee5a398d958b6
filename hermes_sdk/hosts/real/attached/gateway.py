"""The gateway of a host: the messages of users, the adapters of plugins and the event hooks."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import functools
import importlib
import weakref
from collections.abc import Callable, Container, Iterator
from typing import Any

from ...in_worker.adapter_recording import AdapterRecorder
from ...in_worker.recording import Recording

_OF_SOURCE = ("chat_id", "chat_name", "chat_type", "thread_id", "user_id", "user_name")
"""Fields of the source of a message that a scenario has too."""

_NOT_OF_USERS = frozenset(
    {
        "guild_id",
        "message_id",
        "message_type",
        "platform",
        "platform_update_id",
        "raw_message",
        "source",
        "text",
        "timestamp",
    }
)
"""Fields that a replay makes itself, or that only adapters read."""

_TEXT = ("command", "text")
_OF_PROGRESS = "send_progress_messages"


class GatewayRecorder:
    """Records gateways. `platforms` has the names of those that plugins of the user register."""

    def __init__(self, recording: Recording, platforms: Container[str]) -> None:
        self._recording = recording
        self._platforms = platforms

    def attach_runner(self, run: Any) -> None:
        """Record the adapters that a gateway makes; `run` is the module of its class."""
        create = run.GatewayRunner._create_adapter
        base = importlib.import_module("gateway.platforms.base").BasePlatformAdapter
        adapters = AdapterRecorder(base, self._recording, _ignore, _ignore)

        @functools.wraps(create)
        def wrapper(runner: Any, platform: Any, *args: Any, **kwargs: Any) -> Any:
            adapter = create(runner, platform, *args, **kwargs)
            with contextlib.suppress(Exception):
                if adapter is not None:
                    name = str(platform.value)
                    if name in self._platforms:
                        plain = {method: getattr(adapter, method) for method in ("send", "edit_message")}
                        adapters.attach(name, adapter)
                        _leave_out_progress(adapter, plain)
                    self._record_messages(name, adapter, runner)
            return adapter

        run.GatewayRunner._create_adapter = wrapper

    def attach_hooks(self, hooks: Any) -> None:
        """Record the handlers of event hooks; `hooks` is the module of their registry."""
        discover = hooks.HookRegistry.discover_and_load

        @functools.wraps(discover)
        def wrapper(registry: Any, *args: Any, **kwargs: Any) -> Any:
            result = discover(registry, *args, **kwargs)
            with contextlib.suppress(Exception):
                for handlers in registry._handlers.values():
                    handlers[:] = map(self._record_handler, handlers)
            return result

        hooks.HookRegistry.discover_and_load = wrapper

    def _record_handler(self, handle: Callable[..., Any]) -> Callable[..., Any]:
        if hasattr(handle, "__wrapped__"):
            return handle

        @functools.wraps(handle)
        def handler(event_type: str, context: Any) -> Any:
            return self._recording.call("gateway_hook", event_type, handle, (event_type, context), {})

        return handler

    def _record_messages(self, platform: str, adapter: Any, runner: Any) -> None:
        take = adapter.handle_message
        seen = weakref.WeakValueDictionary[int, Any]()

        @functools.wraps(take)
        async def wrapper(event: Any, *args: Any, **kwargs: Any) -> Any:
            with contextlib.suppress(Exception):
                # A gateway that still starts keeps a message, and hands it over again.
                if not getattr(event, "internal", False) and seen.get(id(event)) is not event:
                    seen[id(event)] = event
                    state = _describe_state(event.source, runner)
                    self._recording.add("message", platform, thread="", arguments=_describe(event, platform), **state)
            return await take(event, *args, **kwargs)

        vars(adapter)["handle_message"] = wrapper


def _describe(event: Any, platform: str) -> dict[str, Any]:
    """Return a message as in a scenario; ``beyond`` lists what a scenario cannot say of it."""
    fields = {name: getattr(event.source, name, None) for name in _OF_SOURCE}
    known = {name: str(value) for name, value in fields.items() if value}
    named = {"message_id": str(event.message_id)} if event.message_id else {}
    beyond = [name for value in (event, event.source) for name in _list_set(value, _OF_SOURCE)]
    if str(getattr(event.message_type, "value", "text")) not in _TEXT:
        beyond.append("message_type")
    return {"platform": platform, **known, **named, "text": str(event.text or ""), "beyond": beyond}


def _describe_state(source: Any, runner: Any) -> dict[str, Any]:
    """Return what a replay must know of the gateway when a message arrives."""
    key = str(runner._session_key_for_source(source))
    state = {
        "key": key,
        "busy": sorted(key for adapter in runner.adapters.values() for key in adapter._active_sessions),
        "continued": False,
        "paired": False,
    }
    # Not every release has them.
    with contextlib.suppress(Exception):
        state["continued"] = bool(runner.session_store.peek_session_id(key))
    with contextlib.suppress(Exception):
        state["paired"] = bool(runner.pairing_store.is_approved(source.platform.value, source.user_id))
    return state


def _list_set(value: Any, known: Container[str]) -> Iterator[str]:
    """Yield the names of the fields of a dataclass that do not have their default value."""
    for field in dataclasses.fields(value):
        if field.name.startswith("_") or field.name in _NOT_OF_USERS or field.name in known:
            continue
        default = field.default
        if field.default_factory is not dataclasses.MISSING:
            default = field.default_factory()
        if getattr(value, field.name) not in (default, None):
            yield field.name


def _leave_out_progress(adapter: Any, plain: dict[str, Callable[..., Any]]) -> None:
    """Do not record the messages that announce running tools, which come at random."""
    for name, method in plain.items():
        recorded = getattr(adapter, name)
        vars(adapter)[name] = _choose(recorded, method)


def _choose(recorded: Callable[..., Any], plain: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(plain)
    async def wrapper(*args: Any, **kwargs: Any) -> Any:
        return await (plain if _announces_tools() else recorded)(*args, **kwargs)

    return wrapper


def _announces_tools() -> bool:
    task = asyncio.current_task()
    return task is not None and _OF_PROGRESS in getattr(task.get_coro(), "__qualname__", "")


def _ignore(*_: object) -> None:
    """Events have it."""
