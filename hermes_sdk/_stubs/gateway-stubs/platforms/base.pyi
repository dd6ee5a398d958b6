"""Types of ``gateway.platforms.base``."""

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
from hermes_sdk.hosts.embedded.shims.modules.gateway.platforms.base import (
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
