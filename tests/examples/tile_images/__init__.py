"""An image backend that draws a tile of one colour, which depends on the prompt."""

from __future__ import annotations

import base64
import struct
import zlib
from typing import Any

from agent.image_gen_provider import (
    ImageGenProvider,
    error_response,
    resolve_aspect_ratio,
    save_b64_image,
    success_response,
)

SIZES = {"landscape": (96, 64), "square": (64, 64), "portrait": (64, 96)}
MODEL = "tile-1"


class TileImages(ImageGenProvider):
    name = "tile_images"

    def is_available(self) -> bool:
        return True

    def list_models(self) -> list[dict[str, Any]]:
        return [{"id": MODEL, "display": "Tiles", "speed": "at once", "price": "nothing"}]

    def get_setup_schema(self) -> dict[str, Any]:
        return {"name": "Tiles", "badge": "local", "tag": "One colour for each prompt", "env_vars": []}

    def generate(self, prompt: str, aspect_ratio: str = "landscape", **kwargs: Any) -> dict[str, Any]:
        ratio = resolve_aspect_ratio(aspect_ratio)
        said = {"model": MODEL, "prompt": prompt, "aspect_ratio": ratio, "provider": self.name}
        if not prompt.strip():
            return error_response(error="There is no prompt.", error_type="invalid_prompt", **said)
        tile = base64.b64encode(png(*SIZES[ratio], prompt)).decode()
        return success_response(image=str(save_b64_image(tile, prefix="tile")), **said)


def png(width: int, height: int, text: str) -> bytes:
    """Return a PNG of one colour, which depends on a text."""
    colour = zlib.crc32(text.encode("utf-8", "replace")).to_bytes(4, "big")[1:]
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows = zlib.compress((b"\0" + colour * width) * height)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", rows) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def register(ctx: Any) -> None:
    ctx.register_image_gen_provider(TileImages())
