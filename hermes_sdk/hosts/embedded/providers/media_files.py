"""Cached files of image and video backends, and results of ``generate``."""

from __future__ import annotations

import base64
import uuid
from collections.abc import Callable, Container, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from hermes_sdk.hosts.embedded.state import HostState


def make_success(extra: Mapping[str, Any] | None, **fields: Any) -> dict[str, Any]:
    """Create the result of a successful ``generate``; `extra` does not override other fields."""
    answer = {"success": True, **fields}
    return {**answer, **(extra or {}), **answer}


def make_error_response(kind: str, default_ratio: str) -> Callable[..., dict[str, Any]]:
    """Create the function ``error_response`` of the module for ``image`` or ``video``."""

    def error_response(
        *,
        error: str,
        error_type: str = "provider_error",
        provider: str = "",
        model: str = "",
        prompt: str = "",
        aspect_ratio: str = default_ratio,
    ) -> dict[str, Any]:
        """Create the result of a failed ``generate``."""
        return {
            "success": False,
            kind: None,
            "error": error,
            "error_type": error_type,
            "model": model,
            "prompt": prompt,
            "aspect_ratio": aspect_ratio,
            "provider": provider,
        }

    return error_response


def make_image_success(
    *,
    image: str,
    model: str,
    prompt: str,
    aspect_ratio: str,
    provider: str,
    modality: str = "text",
    extra: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Create the result of a ``generate`` with an image; `extra` does not override other fields."""
    return make_success(
        extra,
        image=image,
        model=model,
        prompt=prompt,
        aspect_ratio=aspect_ratio,
        modality=modality,
        provider=provider,
    )


def make_video_success(
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
    """Create the result of a ``generate`` with a video; `extra` does not override other fields."""
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


def make_chooser(valid: Container[str], default: str) -> Callable[[Any], str]:
    """Create a function that returns a valid value in lower case, otherwise the default."""

    def choose(value: Any) -> str:
        name = value.strip().lower() if isinstance(value, str) else ""
        return name if name in valid else default

    return choose


def list_reference_images(value: Any) -> list[str] | None:
    """Normalise images to a list of non-empty strings, or return None if there are none."""
    images = [value] if isinstance(value, str) else value
    if not isinstance(images, (list, tuple)):
        return None
    return [image.strip() for image in images if isinstance(image, str) and image.strip()] or None


class MediaCache:
    """Directory for one kind of file, ``images`` or ``videos``, in the cache of the home.

    `types` maps content types of servers to extensions, of which the first is the default; `empty` is the text of the
    error for an empty file.
    """

    def __init__(self, state: HostState, kind: str, types: Mapping[str, str], empty: str) -> None:
        self._home = state.home_path
        self._kind = kind
        self._folder = f"cache/generated/{kind}" if state.behaviour.generated_media_apart else f"cache/{kind}"
        self._types = types
        self._empty = empty

    def store(self, content: bytes, prefix: str, extension: str) -> Path:
        """Write a file ``<prefix>_<time>_<random>.<extension>``."""
        folder = self._home() / self._folder
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{prefix}_{datetime.now():%Y%m%d_%H%M%S}_{uuid.uuid4().hex[:8]}.{extension}"
        path.write_bytes(content)
        return path

    def store_base64(self, text: str, prefix: str, extension: str) -> Path:
        """Write a file from base64 content."""
        return self.store(base64.b64decode(text), prefix, extension)

    def store_url(self, url: str, prefix: str, timeout: float, max_bytes: int) -> Path:
        """Download a URL to a file.

        Raises:
            ValueError: The content is empty or too large.
        """
        what = self._kind.removesuffix("s").capitalize()
        content, extension = self._fetch(url, timeout, max_bytes)
        if len(content) > max_bytes:
            raise ValueError(f"{what} at {url} exceeds {max_bytes // (1024 * 1024)}MB cap; refusing to cache.")
        if not content:
            raise ValueError(f"{what} at {url} {self._empty}")
        return self.store(content, prefix, extension)

    def _fetch(self, url: str, timeout: float, max_bytes: int) -> tuple[bytes, str]:
        """Download at most one byte more than allowed; return the content and its extension."""
        from urllib.request import urlopen

        with urlopen(url, timeout=timeout) as response:
            content: bytes = response.read(max_bytes + 1)
            named = self._types.get(response.headers.get_content_type())
        ending = Path(url.partition("?")[0].lower()).suffix[1:].replace("jpeg", "jpg")
        return content, named or (ending if ending in self._types.values() else next(iter(self._types.values())))


class ImageCache(MediaCache):
    """Directory for images."""

    def __init__(self, state: HostState) -> None:
        types = {f"image/{kind}": kind for kind in ("png", "webp", "gif")} | {"image/jpeg": "jpg"}
        super().__init__(state, "images", types, "returned 0 bytes; refusing to cache.")

    def save_b64(self, b64_data: str, *, prefix: str = "image", extension: str = "png") -> Path:
        """Write an image from base64 content."""
        return self.store_base64(b64_data, prefix, extension)

    def save_url(
        self, url: str, *, prefix: str = "image", timeout: float = 60.0, max_bytes: int = 25 * 1024 * 1024
    ) -> Path:
        """Download an image; see `store_url`."""
        return self.store_url(url, prefix, timeout, max_bytes)


class VideoCache(MediaCache):
    """Directory for videos."""

    def __init__(self, state: HostState) -> None:
        types = {"video/mp4": "mp4", "video/webm": "webm", "video/quicktime": "mov", "video/x-matroska": "mkv"}
        super().__init__(state, "videos", types, "was empty (0 bytes).")

    def save_b64(self, b64_data: str, *, prefix: str = "video", extension: str = "mp4") -> Path:
        """Write a video from base64 content."""
        return self.store_base64(b64_data, prefix, extension)

    def save_bytes(self, raw: bytes, *, prefix: str = "video", extension: str = "mp4") -> Path:
        """Write a video."""
        return self.store(raw, prefix, extension)

    def save_url(
        self, url: str, *, prefix: str = "video", timeout: float = 180.0, max_bytes: int = 200 * 1024 * 1024
    ) -> Path:
        """Download a video; see `store_url`."""
        return self.store_url(url, prefix, timeout, max_bytes)
