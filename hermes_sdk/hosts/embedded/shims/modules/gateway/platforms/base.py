"""Stands in for ``gateway.platforms.base``: what an adapter is; the gateway that runs it is left out."""

from __future__ import annotations

import logging
import re
from importlib import import_module
from typing import Any

from hermes_sdk.hosts.embedded.shims.classes import Classes, Defaults
from hermes_sdk.hosts.embedded.shims.inbox import Inbox
from hermes_sdk.hosts.embedded.shims.lent import lent

__all__ = [
    "BasePlatformAdapter",
    "MessageEvent",
    "MessageType",
    "Platform",
    "PlatformConfig",
    "ProcessingOutcome",
    "SendResult",
    "SessionSource",
    "cache_audio_from_bytes",
    "cache_document_from_bytes",
    "cache_image_from_bytes",
    "cache_video_from_bytes",
    "get_audio_cache_dir",
    "get_document_cache_dir",
    "get_image_cache_dir",
    "get_video_cache_dir",
    "utf16_len",
]

_log = logging.getLogger(__name__)
_host = lent(__spec__)
_inbox = Inbox(_host)
_config = import_module("gateway.config")
Platform, PlatformConfig = _config.Platform, _config.PlatformConfig
SessionSource = import_module("gateway.session").SessionSource

get_image_cache_dir = _inbox.images
get_audio_cache_dir = _inbox.audio
get_video_cache_dir = _inbox.videos
get_document_cache_dir = _inbox.documents
cache_image_from_bytes = _inbox.keep_image
cache_audio_from_bytes = _inbox.keep_audio
cache_video_from_bytes = _inbox.keep_video
cache_document_from_bytes = _inbox.keep_document


def utf16_len(s: str) -> int:
    """Return the length of a text in units of UTF-16."""
    return len(s.encode("utf-16-le")) // 2


class _Message(Defaults):
    """A message that came in."""

    def is_command(self: Any) -> bool:
        return bool(self.text.startswith("/"))

    def get_command(self: Any) -> str | None:
        word = self.text.split(maxsplit=1)[0] if self.is_command() else ""
        name = word[1:].lower().partition("@")[0]
        return None if not word or "/" in name else name

    def get_command_args(self: Any) -> str:
        if not self.is_command():
            return str(self.text)
        rest = [*self.text.split(maxsplit=1), ""][1]
        # What a keyboard makes of two hyphens.
        return re.sub("——|—|–", "--", rest)


class _Adapter(Defaults):
    """Connects one platform."""

    missing = "The embedded host has no gateway that runs adapters."

    def __init__(self: Any, config: Any, platform: Any) -> None:
        self.config, self.platform = config, platform
        self._running = False
        self._message_handler = self._fatal_error_handler = self._topic_recovery_fn = None
        self._busy_session_handler = self._authorization_check = None
        self._fatal_error_code = self._fatal_error_message = None
        self._fatal_error_retryable = True
        self._typing_paused: set[str] = set()
        self._status_text: dict[str, str] = {}

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

    def pause_typing_for_chat(self: Any, chat_id: str) -> None:
        self._typing_paused.add(chat_id)

    def resume_typing_for_chat(self: Any, chat_id: str) -> None:
        self._typing_paused.discard(chat_id)

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

    def streaming_overflow_limit(self) -> None:
        return None

    def send_draft(self, **_: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} does not implement send_draft")

    def create_handoff_thread(self, **_: Any) -> None:
        return None

    def edit_message(self, **_: Any) -> Any:
        return SendResult(success=False, error="Not supported")

    def delete_message(self, **_: Any) -> bool:
        return False

    def send_slash_confirm(self, **_: Any) -> Any:
        return SendResult(success=False, error="Not supported")

    def send_typing(self, **_: Any) -> None:
        return None

    def stop_typing(self, **_: Any) -> None:
        return None

    def on_processing_start(self, **_: Any) -> None:
        return None

    def on_processing_complete(self, **_: Any) -> None:
        return None

    def send_private_notice(self: Any, chat_id: str, content: str, reply_to: Any, metadata: Any, **_: Any) -> Any:
        return self.send(chat_id=chat_id, content=content, reply_to=reply_to, metadata=metadata)

    def send_image(self: Any, chat_id: str, image_url: str, caption: Any, reply_to: Any, metadata: Any = None) -> Any:
        text = f"{caption}\n{image_url}" if caption else image_url
        return self.send(chat_id=chat_id, content=text, reply_to=reply_to, metadata=metadata)

    def send_animation(self: Any, chat_id: str, animation_url: str, **more: Any) -> Any:
        return self.send_image(chat_id=chat_id, image_url=animation_url, **more)

    def play_tts(self: Any, chat_id: str, audio_path: str, **more: Any) -> Any:
        return self.send_voice(chat_id=chat_id, audio_path=audio_path, **more)

    def prepare_tts_text(self, text: str) -> str:
        return re.sub(r"[*_`#\[\]()]", "", text)[:4000].strip()

    def format_message(self, content: str) -> str:
        return content

    def build_source(self: Any, chat_id: Any, **more: Any) -> Any:
        more |= {name: str(more[name]) if more[name] else None for name in ("user_id", "thread_id")}
        more["chat_topic"] = more["chat_topic"] if (more["chat_topic"] or "").strip() else None
        return SessionSource(platform=self.platform, chat_id=str(chat_id), **more)


_classes = Classes(_host.contract, globals())
MessageType = _classes.made("MessageType")
ProcessingOutcome = _classes.made("ProcessingOutcome")
SendResult = _classes.made("SendResult")
MessageEvent = _classes.made("MessageEvent", _Message)
BasePlatformAdapter = _classes.made("BasePlatformAdapter", _Adapter)
