"""Stands in for ``gateway.platforms.base``: the base class of adapters, with its default behaviour."""

from collections.abc import Awaitable, Callable
from typing import Any

from hermes_sdk.hosts.embedded.gateway.adapter import media, proxies
from hermes_sdk.hosts.embedded.gateway.adapter.approval_prompts import ExecApprovalPrompt
from hermes_sdk.hosts.embedded.gateway.adapter.chunks import utf16_len
from hermes_sdk.hosts.embedded.gateway.adapter.classes import AdapterClasses, EphemeralReply
from hermes_sdk.hosts.embedded.gateway.adapter.media import Inbox
from hermes_sdk.hosts.embedded.gateway.adapter.pending_messages import merge_pending
from hermes_sdk.hosts.embedded.gateway.session_keys import build_session_key
from hermes_sdk.hosts.embedded.standins.placeholders import make_placeholder
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager

__all__ = [
    "MEDIA_DELIVERY_EXTS",
    "SUPPORTED_DOCUMENT_TYPES",
    "SUPPORTED_IMAGE_DOCUMENT_TYPES",
    "SUPPORTED_VIDEO_TYPES",
    "_TEXT_INJECT_EXTENSIONS",
    "BasePlatformAdapter",
    "EphemeralReply",
    "ExecApprovalPrompt",
    "MessageEvent",
    "MessageHandler",
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

_classes = AdapterClasses.of(find_plugin_manager(__spec__))
_inbox = Inbox(_classes.state)
BasePlatformAdapter = _classes.BasePlatformAdapter
MessageEvent = _classes.MessageEvent
MessageHandler: Any = Callable[[MessageEvent], Awaitable[str | EphemeralReply | None]]
MessageType = _classes.MessageType
Platform = _classes.Platform
PlatformConfig = _classes.PlatformConfig
ProcessingOutcome = _classes.ProcessingOutcome
SendResult = _classes.SendResult
SessionSource = _classes.SessionSource

MEDIA_DELIVERY_EXTS = tuple(_classes.constants["MEDIA_DELIVERY_EXTS"])
SUPPORTED_DOCUMENT_TYPES = dict(_classes.constants["SUPPORTED_DOCUMENT_TYPES"])
SUPPORTED_IMAGE_DOCUMENT_TYPES = dict(_classes.constants["SUPPORTED_IMAGE_DOCUMENT_TYPES"])
_TEXT_INJECT_EXTENSIONS = set(media.INJECTED_AS_TEXT)
SUPPORTED_VIDEO_TYPES = dict(_classes.constants["SUPPORTED_VIDEO_TYPES"])

_ssrf_redirect_guard = make_placeholder(__spec__, "_ssrf_redirect_guard")
cache_audio_from_url = make_placeholder(__spec__, "cache_audio_from_url")
cache_image_from_url = make_placeholder(__spec__, "cache_image_from_url")
cache_media_bytes = make_placeholder(__spec__, "cache_media_bytes")
is_network_accessible = make_placeholder(__spec__, "is_network_accessible")
normalize_proxy_url = proxies.normalise
proxy_kwargs_for_aiohttp = make_placeholder(__spec__, "proxy_kwargs_for_aiohttp")
proxy_kwargs_for_bot = make_placeholder(__spec__, "proxy_kwargs_for_bot")
resolve_channel_prompt = make_placeholder(__spec__, "resolve_channel_prompt")
resolve_channel_skills = make_placeholder(__spec__, "resolve_channel_skills")
resolve_proxy_url = proxies.Proxies(_classes.state).resolve
safe_url_for_log = make_placeholder(__spec__, "safe_url_for_log")
_thread_metadata_for_source = _classes.describe_thread
should_send_media_as_audio = _classes.files.is_audio
validate_media_delivery_path = _classes.files.validate
classify_send_error = _classes.errors.classify
is_chat_level_not_found = _classes.errors.is_missing_chat
merge_pending_message_event = merge_pending

get_image_cache_dir = _inbox.images
get_audio_cache_dir = _inbox.audio
get_video_cache_dir = _inbox.videos
get_document_cache_dir = _inbox.documents
cache_image_from_bytes = _inbox.store_image
cache_audio_from_bytes = _inbox.store_audio
cache_video_from_bytes = _inbox.store_video
cache_document_from_bytes = _inbox.store_document
