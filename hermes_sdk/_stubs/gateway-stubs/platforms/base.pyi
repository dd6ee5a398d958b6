"""Types of ``gateway.platforms.base``."""

from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from hermes_sdk.api import (
    BasePlatformAdapter as BasePlatformAdapter,
    MessageEvent as MessageEvent,
    MessageType as MessageType,
    Platform as Platform,
    PlatformConfig as PlatformConfig,
    ProcessingOutcome as ProcessingOutcome,
    SendResult as SendResult,
    SessionSource as SessionSource,
)
from hermes_sdk.hosts.embedded.standins.modules.gateway.platforms.base import (
    EphemeralReply as EphemeralReply,
    ExecApprovalPrompt as ExecApprovalPrompt,
    _ssrf_redirect_guard as _ssrf_redirect_guard,
    _thread_metadata_for_source as _thread_metadata_for_source,
    cache_audio_from_bytes as cache_audio_from_bytes,
    cache_document_from_bytes as cache_document_from_bytes,
    cache_image_from_bytes as cache_image_from_bytes,
    cache_video_from_bytes as cache_video_from_bytes,
    get_audio_cache_dir as get_audio_cache_dir,
    get_document_cache_dir as get_document_cache_dir,
    get_image_cache_dir as get_image_cache_dir,
    get_video_cache_dir as get_video_cache_dir,
    normalize_proxy_url as normalize_proxy_url,
    utf16_len as utf16_len,
)
from hermes_sdk.hosts.embedded.standins.modules.gateway.session import build_session_key as build_session_key

MessageHandler = Callable[[MessageEvent], Awaitable[str | EphemeralReply | None]]
MEDIA_DELIVERY_EXTS: tuple[str, ...]
_TEXT_INJECT_EXTENSIONS: set[str]
SUPPORTED_DOCUMENT_TYPES: dict[str, str]
SUPPORTED_IMAGE_DOCUMENT_TYPES: dict[str, str]
SUPPORTED_VIDEO_TYPES: dict[str, str]

def cache_audio_from_url(url: str, ext: str = ".ogg", retries: int = 2) -> Coroutine[Any, Any, str]: ...
def cache_image_from_url(url: str, ext: str = ".jpg", retries: int = 2) -> Coroutine[Any, Any, str]: ...
def cache_media_bytes(
    data: bytes, *, filename: str = "", mime_type: str = "", default_kind: str | None = None
) -> Any: ...
def classify_send_error(exc: BaseException | None, error_text: str = "") -> str: ...
def is_chat_level_not_found(exc: BaseException | None = None, error_text: str = "") -> bool: ...
def is_network_accessible(host: str) -> bool: ...
def merge_pending_message_event(
    pending_messages: dict[str, MessageEvent], session_key: str, event: MessageEvent, *, merge_text: bool = False
) -> None: ...
def proxy_kwargs_for_aiohttp(proxy_url: str | None) -> tuple[dict[str, Any], dict[str, Any]]: ...
def proxy_kwargs_for_bot(proxy_url: str | None) -> dict[str, Any]: ...
def resolve_channel_prompt(
    config_extra: dict[str, Any], channel_id: str, parent_id: str | None = None
) -> str | None: ...
def resolve_channel_skills(
    config_extra: dict[str, Any], channel_id: str, parent_id: str | None = None
) -> list[str] | None: ...
def resolve_proxy_url(
    platform_env_var: str | None = None,
    *,
    target_hosts: str | list[str] | tuple[str, ...] | set[str] | None = None,
) -> str | None: ...
def safe_url_for_log(url: str, max_len: int = 80) -> str: ...
def should_send_media_as_audio(platform: Any, ext: str, is_voice: bool = False) -> bool: ...
def validate_media_delivery_path(path: str) -> str | None: ...
