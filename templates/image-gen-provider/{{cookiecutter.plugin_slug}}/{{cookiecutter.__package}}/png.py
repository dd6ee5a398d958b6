"""PNG images in one colour."""

from __future__ import annotations

import struct
import zlib


def tile(width: int, height: int, text: str) -> bytes:
    """Return an image whose colour depends on a text."""
    colour = zlib.crc32(text.encode("utf-8", "replace")).to_bytes(4, "big")[1:]
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows = zlib.compress((b"\0" + colour * width) * height)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", rows) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
