"""Recording of a gateway: messages of users, adapters of plugins, and event hooks."""

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

_SOURCE_FIELDS = ("chat_id", "chat_name", "chat_type", "thread_id", "user_id", "user_name")
"""Fields of a message's source that scenarios also have."""

_IGNORED_FIELDS = frozenset(
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
"""Fields that a replay creates itself, or that only adapters read."""

_TEXT_TYPES = ("command", "text")
_PROGRESS_FUNCTION = "send_progress_messages"


class GatewayRecorder:
    """Recorder of gateways; `platforms` contains the names of the platforms that the user's plugins register."""

    def __init__(self, recording: Recording, platforms: Container[str]) -> None:
        self._recording = recording
        self._platforms = platforms

    def attach_runner(self, run: Any) -> None:
        """Record the adapters that a gateway creates; `run` is the module with its class."""
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
                        _skip_progress(adapter, plain)
                    self._record_messages(name, adapter, runner)
            return adapter

        run.GatewayRunner._create_adapter = wrapper

    def attach_hooks(self, hooks: Any) -> None:
        """Record the handlers of event hooks; `hooks` is the module with their registry."""
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
                # During its start, a gateway queues messages and passes them to the adapter again.
                if not getattr(event, "internal", False) and seen.get(id(event)) is not event:
                    seen[id(event)] = event
                    state = _describe_state(event.source, runner)
                    self._recording.add("message", platform, thread="", arguments=_describe(event, platform), **state)
            return await take(event, *args, **kwargs)

        vars(adapter)["handle_message"] = wrapper


def _describe(event: Any, platform: str) -> dict[str, Any]:
    """Return a message as in a scenario; ``beyond`` lists the fields that a scenario cannot express."""
    fields = {name: getattr(event.source, name, None) for name in _SOURCE_FIELDS}
    known = {name: str(value) for name, value in fields.items() if value}
    named = {"message_id": str(event.message_id)} if event.message_id else {}
    beyond = [name for value in (event, event.source) for name in _list_changed_fields(value, _SOURCE_FIELDS)]
    if str(getattr(event.message_type, "value", "text")) not in _TEXT_TYPES:
        beyond.append("message_type")
    return {"platform": platform, **known, **named, "text": str(event.text or ""), "beyond": beyond}


def _describe_state(source: Any, runner: Any) -> dict[str, Any]:
    """Return the state of the gateway at the arrival of a message, as far as a replay needs it."""
    key = str(runner._session_key_for_source(source))
    state = {
        "key": key,
        "busy": sorted(key for adapter in runner.adapters.values() for key in adapter._active_sessions),
        "continued": False,
        "paired": False,
    }
    # Some releases do not have these attributes.
    with contextlib.suppress(Exception):
        state["continued"] = bool(runner.session_store.peek_session_id(key))
    with contextlib.suppress(Exception):
        state["paired"] = bool(runner.pairing_store.is_approved(source.platform.value, source.user_id))
    return state


def _list_changed_fields(value: Any, known: Container[str]) -> Iterator[str]:
    """Yield the names of the fields of a dataclass that differ from their defaults."""
    for field in dataclasses.fields(value):
        if field.name.startswith("_") or field.name in _IGNORED_FIELDS or field.name in known:
            continue
        default = field.default
        if field.default_factory is not dataclasses.MISSING:
            default = field.default_factory()
        if getattr(value, field.name) not in (default, None):
            yield field.name


def _skip_progress(adapter: Any, plain: dict[str, Callable[..., Any]]) -> None:
    """Do not record messages that announce running tools, because their timing is random."""
    for name, method in plain.items():
        recorded = getattr(adapter, name)
        vars(adapter)[name] = _wrap_method(recorded, method)


def _wrap_method(recorded: Callable[..., Any], plain: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(plain)
    async def wrapper(*args: Any, **kwargs: Any) -> Any:
        return await (plain if _announces_tools() else recorded)(*args, **kwargs)

    return wrapper


def _announces_tools() -> bool:
    task = asyncio.current_task()
    return task is not None and _PROGRESS_FUNCTION in getattr(task.get_coro(), "__qualname__", "")


def _ignore(*_: object) -> None:
    """Do nothing, because events contain the same data."""
