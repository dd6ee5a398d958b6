"""Stands in for ``gateway.platforms.base``: what an adapter is, and what it does unless a plugin's does it."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import logging
import re
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

from hermes_sdk.hosts.embedded.builtins import speech_parts
from hermes_sdk.hosts.embedded.gateway.adapter import chunks, errors, media
from hermes_sdk.hosts.embedded.gateway.adapter.pending_messages import merge_pending
from hermes_sdk.hosts.embedded.gateway.adapter.processing import Processing
from hermes_sdk.hosts.embedded.gateway.adapter.sending import Sending
from hermes_sdk.hosts.embedded.host_classes import Classes, Defaults
from hermes_sdk.hosts.embedded.standins import proxies
from hermes_sdk.hosts.embedded.standins.inbox import Inbox
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager
from hermes_sdk.hosts.embedded.standins.refused import refused

__all__ = [
    "MEDIA_DELIVERY_EXTS",
    "SUPPORTED_DOCUMENT_TYPES",
    "SUPPORTED_IMAGE_DOCUMENT_TYPES",
    "SUPPORTED_VIDEO_TYPES",
    "_TEXT_INJECT_EXTENSIONS",
    "BasePlatformAdapter",
    "EphemeralReply",
    "MessageEvent",
    "MessageType",
    "Platform",
    "PlatformConfig",
    "ProcessingOutcome",
    "SendResult",
    "SessionSource",
    "_ssrf_redirect_guard",
    "_thread_metadata_for_source",
    "build_session_key",
    "cache_audio_from_bytes",
    "cache_audio_from_url",
    "cache_document_from_bytes",
    "cache_image_from_bytes",
    "cache_image_from_url",
    "cache_media_bytes",
    "cache_video_from_bytes",
    "classify_send_error",
    "get_audio_cache_dir",
    "get_document_cache_dir",
    "get_image_cache_dir",
    "get_video_cache_dir",
    "is_chat_level_not_found",
    "is_network_accessible",
    "merge_pending_message_event",
    "normalize_proxy_url",
    "proxy_kwargs_for_aiohttp",
    "proxy_kwargs_for_bot",
    "resolve_channel_prompt",
    "resolve_channel_skills",
    "resolve_proxy_url",
    "safe_url_for_log",
    "should_send_media_as_audio",
    "utf16_len",
    "validate_media_delivery_path",
]

_log = logging.getLogger(__name__)
_host = find_plugin_manager(__spec__)
_inbox = Inbox(_host.state)
_config = import_module("gateway.config")
Platform, PlatformConfig = _config.Platform, _config.PlatformConfig
_session = import_module("gateway.session")
SessionSource = _session.SessionSource
build_session_key = _session.build_session_key
_constants = _host.state.contract.section("constants")["gateway.platforms.base"]
_files = media.Files(_constants, _host.state.home_path)
_errors = errors.SendErrors(_constants)
MEDIA_DELIVERY_EXTS = tuple(_constants["MEDIA_DELIVERY_EXTS"])
SUPPORTED_DOCUMENT_TYPES = dict(_constants["SUPPORTED_DOCUMENT_TYPES"])
SUPPORTED_IMAGE_DOCUMENT_TYPES = dict(_constants["SUPPORTED_IMAGE_DOCUMENT_TYPES"])
_TEXT_INJECT_EXTENSIONS = set(media.INJECTED_AS_TEXT)
SUPPORTED_VIDEO_TYPES = dict(_constants["SUPPORTED_VIDEO_TYPES"])

_ssrf_redirect_guard = refused(__spec__, "_ssrf_redirect_guard")
cache_audio_from_url = refused(__spec__, "cache_audio_from_url")
cache_image_from_url = refused(__spec__, "cache_image_from_url")
cache_media_bytes = refused(__spec__, "cache_media_bytes")
is_network_accessible = refused(__spec__, "is_network_accessible")
normalize_proxy_url = proxies.normalise
proxy_kwargs_for_aiohttp = refused(__spec__, "proxy_kwargs_for_aiohttp")
proxy_kwargs_for_bot = refused(__spec__, "proxy_kwargs_for_bot")
resolve_channel_prompt = refused(__spec__, "resolve_channel_prompt")
resolve_channel_skills = refused(__spec__, "resolve_channel_skills")
resolve_proxy_url = proxies.Proxies(_host.state).resolve
safe_url_for_log = refused(__spec__, "safe_url_for_log")
validate_media_delivery_path = _files.validate
classify_send_error = _errors.classify
is_chat_level_not_found = _errors.is_missing_chat
merge_pending_message_event = merge_pending

get_image_cache_dir = _inbox.images
get_audio_cache_dir = _inbox.audio
get_video_cache_dir = _inbox.videos
get_document_cache_dir = _inbox.documents
cache_image_from_bytes = _inbox.keep_image
cache_audio_from_bytes = _inbox.keep_audio
cache_video_from_bytes = _inbox.keep_video
cache_document_from_bytes = _inbox.keep_document


def _thread_metadata_for_source(source: Any, reply_to_message_id: str | None = None) -> dict[str, Any] | None:  # noqa: ARG001
    if source is None or source.thread_id is None:
        return None
    if source.platform.value == "telegram":
        raise _host.state.unsupported("address a topic of Telegram")
    return {"thread_id": source.thread_id}


def utf16_len(s: str) -> int:
    """Return the length of a text in units of UTF-16."""
    return len(s.encode("utf-16-le")) // 2


def should_send_media_as_audio(platform: Any, ext: str, is_voice: bool = False) -> bool:  # noqa: ARG001
    """Tell whether a file of this kind is sent as audio."""
    return (ext or "").lower() in _constants["_AUDIO_EXTS"]


class EphemeralReply(str):
    """What the host says itself, and may take back after a while."""

    ttl_seconds: int | None

    def __new__(cls, text: str, ttl_seconds: int | None = None) -> EphemeralReply:
        """Make one of a text."""
        made = super().__new__(cls, text)
        made.ttl_seconds = ttl_seconds
        return made

    @property
    def text(self) -> str:
        """The text alone."""
        return str.__str__(self)


class _Message(Defaults):
    """A message that came in."""

    def is_command(self: Any) -> bool:
        text = self.text.lstrip() if _host.state.contract.behaviour.commands_may_be_indented else self.text
        return bool(text.startswith("/")) and getattr(self, "allow_gateway_control", True)

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

    def absorb_reply_expected(self: Any, other: Any) -> None:
        if self.reply_expected is not True and other.reply_expected is not False:
            self.reply_expected = other.reply_expected


_classes = Classes(_host.state, globals())
ProcessingOutcome = _classes.made("ProcessingOutcome")


class _Adapter(Processing, Sending, Defaults):
    """Connects one platform."""

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
            raise _host.state.unsupported("react to a message with the emoji of an adapter")

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

    _files = _files
    _behaviour = _host.state.contract.behaviour
    _wording = _host.state.wording
    _swallow = staticmethod(partial(_host.state.swallow, _log.name))
    _errors = _errors
    _outcomes = ProcessingOutcome
    _audio = frozenset(_constants["_AUDIO_EXTS"])

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

    @staticmethod
    def _is_builtin(command: str) -> bool:
        return _host.state.contract.resolve_slash_command(command) is not None

    @staticmethod
    def _is_retryable_error(error: str | None) -> bool:
        return _errors.is_network_error(error)

    def _unwrap_ephemeral(self: Any, response: Any) -> tuple[Any, int]:
        """The text of what the host says itself, and after how many seconds it goes."""
        if not isinstance(response, EphemeralReply):
            return response, 0
        seconds = response.ttl_seconds
        if seconds is None:
            display = _host.state.config.read().get("display")
            seconds = display.get("ephemeral_system_ttl", 0) if isinstance(display, dict) else 0
        deletes = type(self).delete_message is not BasePlatformAdapter.delete_message
        return response.text, seconds if deletes and isinstance(seconds, int) else 0

    @staticmethod
    def _is_ephemeral(response: Any) -> bool:
        return isinstance(response, EphemeralReply)

    def _schedule_ephemeral_delete(self: Any, chat_id: str, message_id: str, ttl_seconds: int) -> None:
        async def delete() -> None:
            await asyncio.sleep(max(1, ttl_seconds))
            with contextlib.suppress(Exception):
                await self.delete_message(chat_id=chat_id, message_id=message_id)

        task = asyncio.get_running_loop().create_task(delete())
        self._deletions.add(task)
        task.add_done_callback(self._deletions.discard)

    def _wire_plugin_handlers(self: Any, native: Any = None) -> None:
        """Let the factories of plugins add handlers to the native client, each once (N92)."""
        if "register_platform_handler" not in _host.state.contract.context:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute '_wire_plugin_handlers'")
        if self._wired is None or self._wired_client is not native:
            self._wired, self._wired_client = set(), native
        for platform, factory, plugin in _host.registrations.platform_handlers.entries:
            key = (plugin, getattr(factory, "__qualname__", None) or repr(factory))
            if platform == self.platform.value and key not in self._wired:
                self._wired.add(key)
                try:
                    factory(native, self)
                except Exception as error:
                    _log.exception("[%s] Plugin '%s' handler factory raised: %s", self.name, plugin, error)
                    _host.state.swallow(_log.name, error)

    def rewire_plugin_handlers(self: Any) -> None:
        if self._wired is not None:
            self._wire_plugin_handlers(self._wired_client)

    async def _notify_fatal_error(self: Any) -> None:
        made = self._fatal_error_handler and self._fatal_error_handler(self)
        if inspect.isawaitable(made):
            await made

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

    def edit_message(self, **_: Any) -> Any:
        return SendResult(success=False, error="Not supported")

    def delete_message(self, **_: Any) -> bool:
        return False

    def send_slash_confirm(self, **_: Any) -> Any:
        return SendResult(success=False, error="Not supported")

    def prepare_tts_text(self, text: str) -> str:
        if _host.state.behaviour.speech_scripted:
            return speech_parts.prepare_text(text, _host.state)[:4000].rstrip()
        return re.sub(r"[*_`#\[\]()]", "", text)[:4000].strip()

    def format_message(self, content: str) -> str:
        return content

    @staticmethod
    def truncate_message(content: str, max_length: int, len_fn: Callable[[str], int] | None = None) -> list[str]:
        return chunks.split_message(content, max_length, len_fn or len)

    @staticmethod
    def extract_images(content: str) -> Any:
        return media.extract_images(content)

    @staticmethod
    def extract_media(content: str) -> Any:
        return _files.extract_tagged(content)

    @staticmethod
    def strip_media_directives_for_display(text: str) -> str:
        return _files.strip_tags_for_display(text)

    @staticmethod
    def extract_local_files(content: str) -> Any:
        return _files.extract_named(content)

    @staticmethod
    def validate_media_delivery_path(path: str, **_: Any) -> str | None:
        return _files.validate(path)

    @staticmethod
    def filter_media_delivery_paths(media_files: Any, **_: Any) -> Any:
        return _files.filter_tagged(media_files)

    @staticmethod
    def filter_local_delivery_paths(file_paths: Any, **_: Any) -> Any:
        return _files.filter_paths(file_paths)

    def build_source(self: Any, chat_id: Any, **more: Any) -> Any:
        more |= {name: str(more[name]) if more[name] else None for name in ("user_id", "thread_id")}
        more["chat_topic"] = more["chat_topic"] if (more["chat_topic"] or "").strip() else None
        return SessionSource(platform=self.platform, chat_id=str(chat_id), **more)


MessageType = _classes.made("MessageType")
SendResult = _classes.made("SendResult")
MessageEvent = _classes.made("MessageEvent", _Message)
BasePlatformAdapter = _classes.made("BasePlatformAdapter", _Adapter)
