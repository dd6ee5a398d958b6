"""The base class of adapters, ``gateway.platforms.base.BasePlatformAdapter``."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import logging
import re
from typing import Any

from hermes_sdk.hosts.embedded.gateway.adapter import media
from hermes_sdk.hosts.embedded.gateway.adapter.processing import Processing
from hermes_sdk.hosts.embedded.gateway.adapter.sending import Sending
from hermes_sdk.hosts.embedded.host_classes import Defaults

_log = logging.getLogger("gateway.platforms.base")

_PLAIN = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*(?:[,;:.!?]? [^\W\d_]+(?:['-][^\W\d_]+)*)*[.!?]?")
"""Text that Hermes passes to text-to-speech unchanged."""


class Adapter(Processing, Sending, Defaults):
    """Default members of an adapter, which connects one platform."""

    idle = frozenset(
        {
            "abort_streaming_tts",
            "begin_streaming_tts",
            "create_handoff_thread",
            "finish_streaming_tts",
            "on_processing_start",
            "send_typing",
            "stop_typing",
            "streaming_overflow_limit",
            "toolsets_for_source",
            "write_streaming_tts",
        }
    )

    async def on_processing_complete(self: Any, **_: Any) -> None:
        if getattr(self, "_OK_EMOJI", None) or getattr(self, "_FAIL_EMOJI", None):
            raise self._gateway.state.unsupported("react to a message with the emoji of an adapter")

    def supports_streaming_tts(self) -> bool:
        return False

    def send_path_degraded(self) -> bool:
        return False

    def format_tool_preview(self, preview: Any, **_: Any) -> Any:
        return preview.text

    def message_len_fn_for_chat(self: Any, **_: Any) -> Any:
        return self.message_len_fn

    def set_platform_event_handler(self: Any, handler: Any) -> None:
        self._platform_event_handler = handler

    def set_reaction_handler(self: Any, handler: Any) -> None:
        self._reaction_handler = handler

    async def emit_warning(
        self: Any, chat_id: str, content: str, reply_to: Any, metadata: Any, logical_platform: Any
    ) -> Any:
        if not self.warning_notifications_enabled(logical_platform, chat_id=chat_id, metadata=metadata):
            return None
        return await self.send(chat_id, content, reply_to=reply_to, metadata=metadata)

    def warning_notifications_enabled(self: Any, **_: Any) -> bool:
        if "suppress_warning_notifications" in repr(self._gateway.state.config.read().get("display")):
            raise self._gateway.state.unsupported("suppress the warnings of an adapter")
        return True

    _gateway: Any
    """The `AdapterClasses` of the host, with its state."""

    def __init__(self: Any, config: Any, platform: Any) -> None:
        self.config, self.platform = config, platform
        self._running = False
        self._message_handler = self._fatal_error_handler = self._topic_recovery_fn = None
        self._busy_session_handler = self._authorization_check = None
        self._fatal_error_code = self._fatal_error_message = None
        self._fatal_error_retryable = True
        self._typing_paused: set[str] = set()
        self._status_text: dict[str, str] = {}
        self._deletions: set[asyncio.Task[None]] = set()
        self._wired: set[tuple[Any, str]] | None = None
        self._wired_client: Any = None
        self._init_processing()

    def _unwrap_ephemeral(self: Any, response: Any) -> tuple[Any, int]:
        """Return the text of a reply, and the seconds until its deletion, or 0."""
        if not isinstance(response, self._gateway.EphemeralReply):
            return response, 0
        seconds = response.ttl_seconds
        if seconds is None:
            display = self._gateway.state.config.read().get("display")
            seconds = display.get("ephemeral_system_ttl", 0) if isinstance(display, dict) else 0
        deletes = type(self).delete_message is not self._gateway.BasePlatformAdapter.delete_message
        return response.text, seconds if deletes and isinstance(seconds, int) else 0

    def _schedule_ephemeral_delete(self: Any, chat_id: str, message_id: str, ttl_seconds: int) -> None:
        async def delete() -> None:
            await asyncio.sleep(max(1, ttl_seconds))
            with contextlib.suppress(Exception):
                await self.delete_message(chat_id=chat_id, message_id=message_id)

        task = asyncio.get_running_loop().create_task(delete())
        self._deletions.add(task)
        task.add_done_callback(self._deletions.discard)

    def _wire_plugin_handlers(self: Any, native: Any = None) -> None:
        """Call each handler factory of plugins once with the native client (N92)."""
        if "register_platform_handler" not in self._gateway.state.contract.context:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute '_wire_plugin_handlers'")
        if self._wired is None or self._wired_client is not native:
            self._wired, self._wired_client = set(), native
        for platform, factory, plugin in self._gateway.platform_handlers.entries:
            key = (plugin, getattr(factory, "__qualname__", None) or repr(factory))
            if platform == self.platform.value and key not in self._wired:
                self._wired.add(key)
                try:
                    factory(native, self)
                except Exception as error:
                    _log.exception("[%s] Plugin '%s' handler factory raised: %s", self.name, plugin, error)
                    self._gateway.state.swallow(_log.name, error)

    def rewire_plugin_handlers(self: Any) -> None:
        if self._wired is not None:
            self._wire_plugin_handlers(self._wired_client)

    async def _notify_fatal_error(self: Any) -> None:
        result = self._fatal_error_handler and self._fatal_error_handler(self)
        if inspect.isawaitable(result):
            await result

    def _is_sender_authorized(
        self: Any, user_id: str | None, chat_type: str | None = None, chat_id: str | None = None
    ) -> bool | None:
        if not user_id or self._authorization_check is None:
            return None
        try:
            return bool(self._authorization_check(user_id, chat_type, chat_id))
        except Exception:
            _log.warning(
                "[%s] Authorization check raised for user %s; treating as unknown", self.name, user_id, exc_info=True
            )
            return None

    def name(self: Any) -> str:
        return str(self.platform.value.title())

    def is_connected(self: Any) -> bool:
        return bool(self._running)

    def has_fatal_error(self: Any) -> bool:
        return self._fatal_error_message is not None

    def fatal_error_message(self: Any) -> Any:
        return self._fatal_error_message

    def fatal_error_code(self: Any) -> Any:
        return self._fatal_error_code

    def fatal_error_retryable(self: Any) -> Any:
        return self._fatal_error_retryable

    def _mark_connected(self: Any) -> None:
        self._running, self._fatal_error_retryable = True, True
        self._fatal_error_code = self._fatal_error_message = None

    def _mark_disconnected(self: Any) -> None:
        self._running = False

    def _set_fatal_error(self: Any, code: str, message: str, *, retryable: bool) -> None:
        self._running, self._fatal_error_retryable = False, retryable
        self._fatal_error_code, self._fatal_error_message = code, message

    def set_message_handler(self: Any, handler: Any) -> None:
        self._message_handler = handler

    def set_fatal_error_handler(self: Any, handler: Any) -> None:
        self._fatal_error_handler = handler

    def set_topic_recovery_fn(self: Any, fn: Any) -> None:
        self._topic_recovery_fn = fn

    def set_busy_session_handler(self: Any, handler: Any) -> None:
        self._busy_session_handler = handler

    def set_authorization_check(self: Any, callback: Any) -> None:
        self._authorization_check = callback

    def set_session_store(self: Any, session_store: Any) -> None:
        self._session_store = session_store

    def set_status_text(self: Any, chat_id: Any, text: str | None) -> None:
        self._status_text.pop(str(chat_id), None)
        if text:
            self._status_text[str(chat_id)] = text

    def message_len_fn(self) -> Any:
        return len

    def enforces_own_access_policy(self) -> bool:
        return False

    def authorization_is_upstream(self) -> bool:
        return False

    def supports_draft_streaming(self, **_: Any) -> bool:
        return False

    def prefers_fresh_final_streaming(self, **_: Any) -> bool:
        return False

    def send_draft(self, **_: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} does not implement send_draft")

    def edit_message(self: Any, **_: Any) -> Any:
        return self._gateway.SendResult(success=False, error="Not supported")

    def delete_message(self, **_: Any) -> bool:
        return False

    def send_slash_confirm(self: Any, **_: Any) -> Any:
        return self._gateway.SendResult(success=False, error="Not supported")

    def prepare_tts_text(self: Any, text: str) -> str:
        if self._gateway.state.behaviour.speech_in_parts:
            if not _PLAIN.fullmatch(text.strip()):
                raise self._gateway.state.unsupported("prepare markup, digits and symbols for speech")
            return text.strip()[:4000].rstrip()
        return re.sub(r"[*_`#\[\]()]", "", text)[:4000].strip()

    def format_message(self, content: str) -> str:
        return content

    @staticmethod
    def extract_images(content: str) -> Any:
        return media.extract_images(content)

    def build_source(self: Any, chat_id: Any, **more: Any) -> Any:
        keeps_zero = self._gateway.state.behaviour.zero_user_ids_kept and more["user_id"] == 0
        more |= {name: str(more[name]) if more[name] else None for name in ("user_id", "thread_id")}
        more |= {"user_id": "0"} if keeps_zero else {}
        more["chat_topic"] = more["chat_topic"] if (more["chat_topic"] or "").strip() else None
        return self._gateway.SessionSource(platform=self.platform, chat_id=str(chat_id), **more)
