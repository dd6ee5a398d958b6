"""Processing of an adapter's messages, in one task per session; messages that arrive meanwhile are pending."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import logging
import os
from typing import Any

from hermes_sdk.hosts.embedded.gateway.adapter.delivery import deliver_command_reply, deliver_reply
from hermes_sdk.hosts.embedded.gateway.adapter.pending_messages import TextDebounce, merge_pending
from hermes_sdk.hosts.embedded.gateway.adapter.sending import thread_metadata
from hermes_sdk.hosts.embedded.gateway.session_keys import session_key

_log = logging.getLogger("gateway.platforms.base")

_STOPS = frozenset({"new", "reset", "stop"})
_CANCEL_SECONDS = 5.0
_CALLBACK_SECONDS = 30.0
_CANCEL_ROUNDS = 5


class Processing:
    """Members of an adapter that process messages; `AdapterClasses` provides `_is_builtin`."""

    def _init_processing(self: Any) -> None:
        self._active_sessions: dict[str, asyncio.Event] = {}
        self._pending_messages: dict[str, Any] = {}
        self._session_tasks: dict[str, asyncio.Task[None]] = {}
        self._background_tasks: set[asyncio.Task[None]] = set()
        self._expected_cancelled_tasks: set[asyncio.Task[None]] = set()
        self._busy_text_mode = os.environ.get("HERMES_GATEWAY_BUSY_TEXT_MODE", "").strip().lower() or "interrupt"
        self._text_debounce: dict[str, TextDebounce] = {}
        self._tells_dropped = False
        self._post_delivery_callbacks: dict[str, tuple[int | None, Any]] = {}

    async def handle_message(self: Any, event: Any) -> None:
        if not self._message_handler:
            if self._gateway.state.behaviour.dropped_messages_logged and not self._tells_dropped:
                self._tells_dropped = True
                _log.error("[%s] Dropping inbound message: no gateway message handler is installed.", self.name)
            return
        key = session_key(event.source, self.config.extra)
        self._heal_stale_session_lock(key)
        if key not in self._active_sessions:
            started = self._start_session_processing(event, key)
            if hasattr(event, "_gateway_accepted"):
                event._gateway_accepted = started
            return
        command = event.get_command()
        if command and self._is_builtin(command):
            await self._bypass_queue(event, key, command)
        elif not await self._pass_to_busy_handler(event, key):
            is_text = event.message_type.value == "text"
            if self._busy_text_mode == "queue" and is_text and not event.internal and event.text.strip():
                self._debounce_text(key, event)
            else:
                merge_pending(self._pending_messages, key, event, merge_text=is_text)

    def _debounce_text(self: Any, key: str, event: Any) -> None:
        """Merge consecutive texts of one user."""
        debounce = self._text_debounce.get(key)
        if debounce is None or not debounce.add(event):
            self._flush_text(key)
            self._text_debounce[key] = TextDebounce(event, lambda: self._flush_text(key))

    def _flush_text(self: Any, key: str) -> None:
        debounce = self._text_debounce.pop(key, None)
        if debounce is not None:
            debounce.timer.cancel()
            merge_pending(self._pending_messages, key, debounce.event, merge_text=True)

    async def _pass_to_busy_handler(self: Any, event: Any, key: str) -> bool:
        if self._busy_session_handler is None:
            return False
        try:
            return bool(await self._busy_session_handler(event, key))
        except Exception as error:
            _log.error("[%s] Busy-session handler failed: %s", self.name, error, exc_info=True)
            return False

    async def _bypass_queue(self: Any, event: Any, key: str, command: str) -> None:
        """Answer a built-in command during a turn."""
        try:
            if command in _STOPS:
                await self._dispatch_active_session_command(event, key, command)
            else:
                await deliver_command_reply(self, event, await self._message_handler(event))
        except Exception as error:
            _log.error("[%s] Command '/%s' dispatch failed: %s", self.name, command, error, exc_info=True)

    async def _dispatch_active_session_command(self: Any, event: Any, session_key: str, cmd: str) -> None:
        """End the current turn, and continue with the pending message."""
        running, guard = self._active_sessions.get(session_key), asyncio.Event()
        self._active_sessions[session_key] = guard
        try:
            await deliver_command_reply(self, event, await self._message_handler(event))
            await self.cancel_session_processing(session_key, release_guard=False, discard_pending=False)
        except Exception:
            if self._active_sessions.get(session_key) is guard and session_key in self._session_tasks and running:
                self._active_sessions[session_key] = running
            else:
                self._release_session_guard(session_key, guard=guard)
            raise
        self._flush_text(session_key)
        waiting = self._pending_messages.pop(session_key, None)
        self._release_session_guard(session_key, guard=guard)
        if waiting is not None:
            self._start_session_processing(waiting, session_key)

    def _heal_stale_session_lock(self: Any, session_key: str) -> bool:
        task = self._session_tasks.get(session_key)
        if session_key not in self._active_sessions or task is None or not task.done():
            return False
        _log.warning("[%s] Healing stale session lock for %s (owner task is done/absent)", self.name, session_key)
        for kept in (self._active_sessions, self._pending_messages, self._session_tasks):
            kept.pop(session_key, None)
        return True

    def _release_session_guard(self: Any, session_key: str, *, guard: asyncio.Event | None = None) -> None:
        if guard is None or self._active_sessions.get(session_key) is guard:
            self._active_sessions.pop(session_key, None)

    def _start_session_processing(
        self: Any, event: Any, session_key: str, *, interrupt_event: asyncio.Event | None = None
    ) -> bool:
        self._active_sessions[session_key] = interrupt_event or asyncio.Event()
        self._spawn(event, session_key)
        return True

    def _spawn(self: Any, event: Any, session_key: str) -> None:
        task = asyncio.create_task(self._process_message_background(event, session_key))
        self._session_tasks[session_key] = task
        self._background_tasks.add(task)
        task.add_done_callback(self._background_tasks.discard)
        task.add_done_callback(self._expected_cancelled_tasks.discard)

    async def _process_message_background(self: Any, event: Any, session_key: str) -> None:
        guard = self._active_sessions.setdefault(session_key, asyncio.Event())
        chat, metadata = event.source.chat_id, thread_metadata(event.source)
        typing = None
        if getattr(self.config, "typing_indicator", True):
            typing = asyncio.create_task(self._keep_typing(chat, metadata=metadata, stop_event=guard))
        try:
            await self._process(event, session_key, guard)
            self._flush_text(session_key)
            if self._start_pending(session_key, guard):
                await self._stop_typing_refresh(chat, typing, metadata=metadata)
        except asyncio.CancelledError:
            expected = asyncio.current_task() in self._expected_cancelled_tasks
            await self._report_outcome(event, "CANCELLED" if expected else "FAILURE")
            raise
        except Exception as error:
            await self._report_outcome(event, "FAILURE")
            _log.error("[%s] Error handling message: %s", self.name, error, exc_info=True)
            self._swallow(error)
            await self._report_error(event, error)
        finally:
            await self._stop_typing_refresh(chat, typing, metadata=metadata)
            await self._run_post_delivery_callback(session_key, guard)
            await self._stop_typing_refresh(chat, None, metadata=metadata, stop_attempts=1)
            self._finish_task(session_key, guard)

    async def _process(self: Any, event: Any, key: str, guard: asyncio.Event) -> None:
        await self._run_processing_hook("on_processing_start", event)
        response = await self._message_handler(event)
        if response and guard.is_set() and key in self._pending_messages:
            _log.info("[%s] Suppressing stale response for interrupted session %s", self.name, key)
            response = None
        delivered = await deliver_reply(self, self._gateway, event, response) if response else True
        await self._report_outcome(event, "SUCCESS" if delivered else "FAILURE")

    async def _report_outcome(self: Any, event: Any, outcome: str) -> None:
        await self._run_processing_hook("on_processing_complete", event, self._outcomes[outcome])

    async def _report_error(self: Any, event: Any, error: Exception) -> None:
        detail = str(error)[:300] or "no details available"
        kind = type(error).__name__
        text = self._wording("gateway.notify.turn_error_detailed", kind=kind, detail=detail)
        try:
            await self.send(chat_id=event.source.chat_id, content=text, metadata=thread_metadata(event.source))
        except Exception as failed:
            _log.error("[%s] Failed to send error notification to user: %s", self.name, failed, exc_info=True)

    def _start_pending(self: Any, key: str, guard: asyncio.Event) -> bool:
        """Start processing the pending message; return False if there is none."""
        waiting = self._pending_messages.pop(key, None)
        if waiting is None:
            return False
        guard.clear()
        self._spawn(waiting, key)
        return True

    def _finish_task(self: Any, key: str, guard: asyncio.Event) -> None:
        if self._session_tasks.get(key) is not asyncio.current_task():
            return
        # Messages may have arrived while typing was stopped and callbacks ran.
        self._flush_text(key)
        if not self._start_pending(key, guard):
            self._cleanup_finished_session_task(key, guard)

    def _cleanup_finished_session_task(self: Any, session_key: str, interrupt_event: asyncio.Event | None) -> None:
        self._release_session_guard(session_key, guard=interrupt_event)
        if session_key not in self._active_sessions:
            self._session_tasks.pop(session_key, None)

    async def _run_processing_hook(self: Any, hook_name: str, *args: Any, **kwargs: Any) -> None:
        try:
            await getattr(self, hook_name)(*args, **kwargs)
        except Exception as error:
            _log.warning("[%s] %s hook failed: %s", self.name, hook_name, error)

    def register_post_delivery_callback(
        self: Any, session_key: str, callback: Any, *, generation: int | None = None
    ) -> None:
        if not session_key or not callable(callback):
            return
        before, earlier = self._post_delivery_callbacks.get(session_key, (None, None))
        if before is not None and generation is not None and generation < before:
            return
        if earlier and (before is None or generation is None or before == generation):
            callback = _chain(earlier, callback)
        self._post_delivery_callbacks[session_key] = (generation, callback)

    def pop_post_delivery_callback(self: Any, session_key: str, *, generation: int | None = None) -> Any:
        of, callback = self._post_delivery_callbacks.get(session_key, (None, None))
        if callback is None or (generation is not None and of != generation):
            return None
        del self._post_delivery_callbacks[session_key]
        return callback

    async def _run_post_delivery_callback(self: Any, key: str, guard: asyncio.Event) -> None:
        generation = getattr(guard, "_hermes_run_generation", None)
        callback = self.pop_post_delivery_callback(key, generation=generation)
        with contextlib.suppress(Exception):
            result = callback and callback()
            if inspect.isawaitable(result):
                await asyncio.wait_for(result, _CALLBACK_SECONDS)

    async def cancel_session_processing(
        self: Any, session_key: str, *, release_guard: bool = True, discard_pending: bool = True
    ) -> None:
        task = self._session_tasks.pop(session_key, None)
        if task is not None and not task.done():
            self._expected_cancelled_tasks.add(task)
            task.cancel()
            await asyncio.wait({task}, timeout=_CANCEL_SECONDS)
        if discard_pending:
            self._pending_messages.pop(session_key, None)
        if release_guard:
            self._release_session_guard(session_key)

    async def cancel_background_tasks(self: Any) -> None:
        for _ in range(_CANCEL_ROUNDS):
            tasks = [task for task in self._background_tasks if not task.done()]
            if not tasks:
                break
            for task in tasks:
                self._expected_cancelled_tasks.add(task)
                task.cancel()
            await asyncio.wait(tasks, timeout=_CANCEL_SECONDS)
        for kept in (self._background_tasks, self._expected_cancelled_tasks):
            kept.clear()
        for kept in (self._session_tasks, self._pending_messages, self._active_sessions):
            kept.clear()

    async def interrupt_session_activity(self: Any, session_key: str, chat_id: str, metadata: Any = None) -> None:
        guard = self._active_sessions.get(session_key)
        if session_key and guard is not None:
            guard.set()
        with contextlib.suppress(Exception):
            await self._stop_typing_with_metadata(chat_id, metadata)

    def has_pending_interrupt(self: Any, session_key: str) -> bool:
        return session_key in self._active_sessions and self._active_sessions[session_key].is_set()

    def get_pending_message(self: Any, session_key: str) -> Any:
        return self._pending_messages.pop(session_key, None)


def _chain(*callbacks: Any) -> Any:
    async def both() -> None:
        for callback in callbacks:
            with contextlib.suppress(Exception):
                result = callback()
                if inspect.isawaitable(result):
                    await result

    return both
