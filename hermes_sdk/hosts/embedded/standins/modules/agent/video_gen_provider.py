"""Stands in for ``agent.video_gen_provider``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hermes_sdk.hosts.embedded.host_classes import Classes
from hermes_sdk.hosts.embedded.providers.backend_defaults import ModelBackend
from hermes_sdk.hosts.embedded.providers.media_files import MediaCache, make_error_response, make_success
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager

__all__ = [
    "COMMON_ASPECT_RATIOS",
    "COMMON_RESOLUTIONS",
    "DEFAULT_ASPECT_RATIO",
    "DEFAULT_RESOLUTION",
    "VideoGenProvider",
    "error_response",
    "save_b64_video",
    "save_bytes_video",
    "save_url_video",
    "success_response",
]

_host = find_plugin_manager(__spec__)
_constants = _host.state.contract.section("constants")[__name__]
_TYPES = {"video/mp4": "mp4", "video/webm": "webm", "video/quicktime": "mov", "video/x-matroska": "mkv"}
_cache = MediaCache(_host.state, "videos", _TYPES, "was empty (0 bytes).")
COMMON_ASPECT_RATIOS: tuple[str, ...] = tuple(_constants["COMMON_ASPECT_RATIOS"])
COMMON_RESOLUTIONS: tuple[str, ...] = tuple(_constants["COMMON_RESOLUTIONS"])
DEFAULT_ASPECT_RATIO: str = _constants["DEFAULT_ASPECT_RATIO"]
DEFAULT_RESOLUTION: str = _constants["DEFAULT_RESOLUTION"]


class _Videos(ModelBackend):
    """Makes videos."""

    def capabilities(self) -> dict[str, Any]:
        return {
            "modalities": ["text"],
            "aspect_ratios": list(COMMON_ASPECT_RATIOS),
            "resolutions": list(COMMON_RESOLUTIONS),
            "max_duration": 10,
            "min_duration": 1,
            "supports_audio": False,
            "supports_negative_prompt": False,
            **({"supports_seed": False, "supports_upscale": False} if _host.state.behaviour.video_seeds else {}),
            "max_reference_images": 0,
        }


VideoGenProvider = Classes(_host.state, globals()).made("VideoGenProvider", _Videos)


def save_b64_video(b64_data: str, *, prefix: str = "video", extension: str = "mp4") -> Path:
    """Keep a video in the cache of the home."""
    return _cache.keep_base64(b64_data, prefix, extension)


def save_bytes_video(raw: bytes, *, prefix: str = "video", extension: str = "mp4") -> Path:
    """Keep a video in the cache of the home."""
    return _cache.keep(raw, prefix, extension)


def save_url_video(
    url: str, *, prefix: str = "video", timeout: float = 180.0, max_bytes: int = 200 * 1024 * 1024
) -> Path:
    """Fetch a video into the cache of the home.

    Raises:
        ValueError: It is empty or too large.
    """
    return _cache.keep_url(url, prefix, timeout, max_bytes)


def success_response(
    *,
    video: str,
    model: str,
    prompt: str,
    modality: str = "text",
    aspect_ratio: str = "",
    duration: int = 0,
    provider: str,
    extra: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Make the answer of ``generate``; what is extra replaces nothing."""
    return make_success(
        extra,
        video=video,
        model=model,
        prompt=prompt,
        modality=modality,
        aspect_ratio=aspect_ratio,
        duration=int(duration) if duration else 0,
        provider=provider,
    )


error_response = make_error_response("video", "")
