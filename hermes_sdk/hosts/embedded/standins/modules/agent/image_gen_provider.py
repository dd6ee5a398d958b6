"""Stands in for ``agent.image_gen_provider``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hermes_sdk.hosts.embedded.host_classes import Classes
from hermes_sdk.hosts.embedded.providers.backend_defaults import ModelBackend
from hermes_sdk.hosts.embedded.providers.media_files import MediaCache, make_error_response, make_success
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager

__all__ = [
    "DEFAULT_ASPECT_RATIO",
    "VALID_ASPECT_RATIOS",
    "ImageGenProvider",
    "error_response",
    "normalize_reference_images",
    "resolve_aspect_ratio",
    "save_b64_image",
    "save_url_image",
    "success_response",
]

_host = find_plugin_manager(__spec__)
_constants = _host.state.contract.section("constants")[__name__]
_TYPES = {f"image/{kind}": kind for kind in ("png", "webp", "gif")} | {"image/jpeg": "jpg"}
_cache = MediaCache(_host.state, "images", _TYPES, "returned 0 bytes; refusing to cache.")
VALID_ASPECT_RATIOS: tuple[str, ...] = tuple(_constants["VALID_ASPECT_RATIOS"])
DEFAULT_ASPECT_RATIO: str = _constants["DEFAULT_ASPECT_RATIO"]


class _Images(ModelBackend):
    """Draws images."""

    def capabilities(self) -> dict[str, Any]:
        return {"modalities": ["text"], "max_reference_images": 0}


ImageGenProvider = Classes(_host.state, globals()).made("ImageGenProvider", _Images)


def resolve_aspect_ratio(value: Any) -> str:
    """Return an aspect ratio that is known; the default for every other value."""
    name = value.strip().lower() if isinstance(value, str) else ""
    return name if name in VALID_ASPECT_RATIOS else DEFAULT_ASPECT_RATIO


def normalize_reference_images(value: Any) -> list[str] | None:
    """Return the texts in a list of images, or in the place of one; None without any."""
    images = [value] if isinstance(value, str) else value
    if not isinstance(images, (list, tuple)):
        return None
    return [image.strip() for image in images if isinstance(image, str) and image.strip()] or None


def save_b64_image(b64_data: str, *, prefix: str = "image", extension: str = "png") -> Path:
    """Keep an image in the cache of the home."""
    return _cache.keep_base64(b64_data, prefix, extension)


def save_url_image(
    url: str, *, prefix: str = "image", timeout: float = 60.0, max_bytes: int = 25 * 1024 * 1024
) -> Path:
    """Fetch an image into the cache of the home.

    Raises:
        ValueError: It is empty or too large.
    """
    return _cache.keep_url(url, prefix, timeout, max_bytes)


def success_response(
    *,
    image: str,
    model: str,
    prompt: str,
    aspect_ratio: str,
    provider: str,
    modality: str = "text",
    extra: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Make the answer of ``generate``; what is extra replaces nothing."""
    return make_success(
        extra,
        image=image,
        model=model,
        prompt=prompt,
        aspect_ratio=aspect_ratio,
        modality=modality,
        provider=provider,
    )


error_response = make_error_response("image", DEFAULT_ASPECT_RATIO)
