"""The files that adapters receive, in the folders of the home."""

from __future__ import annotations

import uuid
from pathlib import Path

from hermes_sdk.hosts.embedded.state import HostState

_IMAGES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a", b"BM")
_SHORTEST = 4


class Inbox:
    """The folders for received files."""

    def __init__(self, state: HostState) -> None:
        self._home = state.home_path

    def _folder(self, kind: str, old: str) -> Path:
        # A folder of earlier releases is used as long as it is not empty.
        before = self._home() / old
        is_used = before.is_dir() and any(before.iterdir())
        folder = before if is_used else self._home() / "cache" / kind
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def images(self) -> Path:
        """Return the folder for images."""
        return self._folder("images", "image_cache")

    def audio(self) -> Path:
        """Return the folder for audio."""
        return self._folder("audio", "audio_cache")

    def videos(self) -> Path:
        """Return the folder for videos."""
        return self._folder("videos", "video_cache")

    def documents(self) -> Path:
        """Return the folder for documents."""
        return self._folder("documents", "document_cache")

    def keep_image(self, data: bytes, ext: str = ".jpg") -> str:
        """Keep an image and return its path.

        Raises:
            ValueError: It is none.
        """
        is_image = data.startswith(_IMAGES) or (data[:4] == b"RIFF" and data[8:12] == b"WEBP")
        if not is_image or len(data) < _SHORTEST:
            snippet = data[:80].decode("utf-8", errors="replace")
            raise ValueError(f"Refusing to cache non-image data as {ext} (starts with: {snippet!r})")
        return _write(self.images() / f"img_{_random()}{ext}", data)

    def keep_audio(self, data: bytes, ext: str = ".ogg") -> str:
        """Keep audio and return its path."""
        return _write(self.audio() / f"audio_{_random()}{ext}", data)

    def keep_video(self, data: bytes, ext: str = ".mp4") -> str:
        """Keep a video and return its path."""
        return _write(self.videos() / f"video_{_random()}{ext}", data)

    def keep_document(self, data: bytes, filename: str) -> str:
        """Keep a document under a name that tells what it was, and return its path."""
        name = Path(filename or "").name.replace("\0", "").strip()
        return _write(self.documents() / f"doc_{_random()}_{name if name not in ('', '.', '..') else 'document'}", data)


def _random() -> str:
    return uuid.uuid4().hex[:12]


def _write(path: Path, data: bytes) -> str:
    path.write_bytes(data)
    return str(path)
