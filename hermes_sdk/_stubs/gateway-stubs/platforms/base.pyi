"""Types of ``gateway.platforms.base``."""

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
    cache_audio_from_bytes as cache_audio_from_bytes,
    cache_document_from_bytes as cache_document_from_bytes,
    cache_image_from_bytes as cache_image_from_bytes,
    cache_video_from_bytes as cache_video_from_bytes,
    get_audio_cache_dir as get_audio_cache_dir,
    get_document_cache_dir as get_document_cache_dir,
    get_image_cache_dir as get_image_cache_dir,
    get_video_cache_dir as get_video_cache_dir,
    utf16_len as utf16_len,
)
from hermes_sdk.hosts.embedded.standins.modules.gateway.session import build_session_key as build_session_key

MEDIA_DELIVERY_EXTS: tuple[str, ...]

def classify_send_error(exc: BaseException | None, error_text: str = "") -> str: ...
def is_chat_level_not_found(exc: BaseException | None = None, error_text: str = "") -> bool: ...
def merge_pending_message_event(
    pending_messages: dict[str, MessageEvent], session_key: str, event: MessageEvent, *, merge_text: bool = False
) -> None: ...
def should_send_media_as_audio(platform: Any, ext: str, is_voice: bool = False) -> bool: ...
def validate_media_delivery_path(path: str) -> str | None: ...
