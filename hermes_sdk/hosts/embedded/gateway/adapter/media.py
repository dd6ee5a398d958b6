"""Media in chats: images and files named in a reply, and directories for received files."""

from __future__ import annotations

import logging
import os
import re
import time
import uuid
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from hermes_sdk.contract import Behaviour
from hermes_sdk.hosts.embedded.gateway.adapter.media_tags import (
    BLOCK,
    INLINE,
    START,
    MediaTags,
    collapse_blank_lines,
    expand_user,
    unquote,
)
from hermes_sdk.hosts.embedded.state import HostState

_log = logging.getLogger("gateway.platforms.base")
IMAGES = frozenset({".jpg", ".jpeg", ".png", ".webp", ".gif"})
VIDEOS = frozenset({".mp4", ".mov", ".avi", ".mkv", ".webm", ".3gp"})
_MARKDOWN = re.compile(r"!\[([^\]]*)\]\((https?://[^\s\)]+)\)")
_HTML = re.compile(r"<img\s+src=[\"']?(https?://[^\s\"'<>]+)[\"']?\s*/?>\s*(?:</img>)?")
_IMAGE_URLS = (".png", ".jpg", ".jpeg", ".gif", ".webp", "fal.media", "fal-cdn", "replicate.delivery")
_CREDENTIALS = (
    ".env",
    "auth.json",
    "auth.lock",
    "credentials",
    "config.yaml",
    ".anthropic_oauth.json",
    "google_token.json",
    "google_oauth_pending.json",
    "auth/google_oauth.json",
    "webhook_subscriptions.json",
    "cache/bws_cache.json",
    "pairing",
    "mcp-tokens",
)
_TEXTS = (
    ".bash .bat .c .cc .cfg .cjs .clj .cmake .conf .cpp .cs .css .csv .diff .dockerfile .env .erl .ex "
    ".exs .fish .go .gradle .graphql .h .hcl .hpp .htm .html .ini .java .jl .js .json .jsonl .jsx .kt "
    ".less .log .lua .m .makefile .markdown .md .mjs .ndjson .patch .php .pl .properties .proto .ps1 .py "
    ".pyi .r .rb .rs .rst .sass .scala .scss .sh .sql .srt .swift .tex .tf .toml .ts .tsv .tsx .txt .vtt "
    ".xml .yaml .yml .zsh"
)
INJECTED_AS_TEXT = frozenset(_TEXTS.split())
"""Extensions of documents whose text becomes part of the message."""
_IMAGE_SIGNATURES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a", b"BM")
_SHORTEST = 4


def extract_images(text: str) -> tuple[list[tuple[str, str]], str]:
    """Find images in Markdown and HTML; return their URLs and descriptions, and the text without them."""
    found = [
        (one[2], one[1]) for one in _MARKDOWN.finditer(text) if any(part in one[2].lower() for part in _IMAGE_URLS)
    ]
    found += [(one[1], "") for one in _HTML.finditer(text)]
    if not found:
        return [], text
    urls = {address for address, _ in found}
    for pattern, group in ((_MARKDOWN, 2), (_HTML, 1)):
        text = pattern.sub(lambda one, group=group: "" if one[group] in urls else one[0], text)  # type: ignore[misc]
    return found, collapse_blank_lines(text)


class Files:
    """Finds files named in a reply, and decides which of them may be sent.

    `constants` are those of the release's ``gateway.platforms.base``. `tags` finds the ``MEDIA:`` tags.
    """

    def __init__(self, constants: Mapping[str, Any], home: Callable[[], Path], behaviour: Behaviour) -> None:
        self._constants = constants
        self._home = home
        self._behaviour = behaviour
        self._extensions = tuple(constants["MEDIA_DELIVERY_EXTS"])
        self.tags = MediaTags(
            self._extensions, constants["_AUDIO_EXTS"], self.validate, in_markup=behaviour.media_tags_in_markup
        )

    def is_audio(self, platform: Any, ext: str, is_voice: bool = False) -> bool:
        """Return whether a file of this kind is sent as audio."""
        return (ext or "").lower() in self._constants["_AUDIO_EXTS"]

    @cached_property
    def _bare_path(self) -> re.Pattern[str]:
        known = "|".join(one[1:] for one in self._extensions)
        return re.compile(rf"(?<![/:\w.]){START}(?:[\w.\-]+[/\\])*[\w.\-]+\.(?:{known})\b", re.IGNORECASE)

    def extract_named(self, content: str) -> tuple[list[str], str]:
        """Find the paths of existing files outside of code; return them, and the text without them."""
        code = [one.span() for pattern in (BLOCK, INLINE) for one in pattern.finditer(content)]
        found: dict[str, str] = {}
        for one in self._bare_path.finditer(content):
            if any(start <= one.start() < end for start, end in code):
                continue
            path = expand_user(one[0])
            if Path(path).is_file():
                found.setdefault(path, one[0])
            else:
                _log.info("Skipping bare file path in reply (no file on disk): %s", _make_printable(one[0]))
        for written in found.values():
            content = content.replace(written, "")
        return list(found), collapse_blank_lines(content) if found else content

    def validate(self, path: str | None, **_: Any) -> str | None:
        """Return the resolved path of a file that may be sent, or None."""
        text = unquote(str(path or ""))
        try:
            file = Path(expand_user(text))
            if not text or not file.is_absolute() or not (found := file.resolve(strict=True)).is_file():
                return None
        except (OSError, RuntimeError, ValueError):
            return None
        if any(found.is_relative_to(root.resolve()) for root in self._list_roots()):
            return str(found)
        if self._is_denied(found):
            return None
        if not _is_on("MEDIA_DELIVERY_STRICT_ENV", self._constants, "0"):
            return str(found)
        return str(found) if self._is_recent(found) else None

    def filter_tagged(self, media_files: Iterable[tuple[Any, Any]] | None, **_: Any) -> list[tuple[str, bool]]:
        """Return the tagged files that may be sent."""
        checked = ((self._check(path, "MEDIA directive path"), bool(voice)) for path, voice in media_files or ())
        return [(path, voice) for path, voice in checked if path]

    def filter_paths(self, file_paths: Iterable[Any] | None, **_: Any) -> list[str]:
        """Return the paths of the named files that may be sent."""
        return [safe for path in file_paths or () if (safe := self._check(path, "local file path"))]

    def _check(self, path: Any, kind: str) -> str | None:
        safe = self.validate(str(path))
        if safe is None:
            reason = "denied by the delivery policy" if _is_file(str(path)) else "not found on this host"
            what = (
                f"Skipping {kind} ({reason})" if self._behaviour.unsent_files_explained else f"Skipping unsafe {kind}"
            )
            _log.warning("%s: %s", what, _make_printable(str(path)))
        return safe

    def _list_roots(self) -> Iterable[Path]:
        """Return the directories whose files may always be sent."""
        kinds = (*self._constants["_MEDIA_DELIVERY_CACHE_SUBDIRS"], "images", "audio", "videos", "documents")
        yield from (self._home() / "cache" / kind for kind in kinds)
        yield from (self._home() / f"{kind}_cache" for kind in ("image", "audio", "video", "document"))
        listed = os.environ.get(self._constants["MEDIA_DELIVERY_ALLOW_DIRS_ENV"], "")
        for one in re.split(f"[,{os.pathsep}]", listed):
            if one.strip() and (root := Path(one.strip()).expanduser()).is_absolute():
                yield root

    def _is_denied(self, file: Path) -> bool:
        user = Path.home()
        within = [user / one for one in self._constants["_MEDIA_DELIVERY_DENIED_HOME_SUBPATHS"]]
        denied = [*map(Path, self._constants["_MEDIA_DELIVERY_DENIED_PREFIXES"]), *within]
        denied += [self._home() / one for one in _CREDENTIALS]
        roots = (one.resolve() for one in denied)
        return any(file.is_relative_to(root) and root != user.resolve() for root in roots)

    def _is_recent(self, file: Path) -> bool:
        if not _is_on("MEDIA_DELIVERY_TRUST_RECENT_ENV", self._constants, "1"):
            return False
        given = os.environ.get(self._constants["MEDIA_DELIVERY_TRUST_RECENT_SECONDS_ENV"], "").strip()
        try:
            seconds = float(given)
        except ValueError:
            seconds = float(self._constants["_MEDIA_DELIVERY_TRUST_RECENT_DEFAULT_SECONDS"])
        return seconds > 0 and time.time() - file.stat().st_mtime <= seconds


def _is_on(name: str, constants: Mapping[str, Any], default: str) -> bool:
    return os.environ.get(constants[name], default).strip().lower() in ("1", "true", "yes", "on")


def _is_file(path: str) -> bool:
    file = Path(expand_user(unquote(path)))
    return file.is_absolute() and file.is_file()


def _make_printable(path: str) -> str:
    return re.sub(r"[\x00-\x1f\x7f]", "?", path)[:200]


_AUDIO_SIGNATURES = {b"OggS": ".ogg", b"fLaC": ".flac", b"ID3": ".mp3", b"\x1a\x45\xdf\xa3": ".webm"}
"""Suffix of each audio format, by the signature of its files."""


class Inbox:
    """Directories for received files."""

    def __init__(self, state: HostState) -> None:
        self._home = state.home_path
        self._is_private = state.behaviour.received_files_private
        self._recognises_audio = state.behaviour.received_audio_recognised

    def _prepare_folder(self, kind: str, old: str) -> Path:
        # A directory of an earlier release stays in use unless it is empty.
        before = self._home() / old
        is_used = before.is_dir() and any(before.iterdir())
        folder = before if is_used else self._home() / "cache" / kind
        folder.mkdir(0o700 if self._is_private else 0o777, parents=True, exist_ok=True)
        return folder

    def _write(self, path: Path, data: bytes) -> str:
        if self._is_private:
            path.touch(0o600)
        path.write_bytes(data)
        return str(path)

    def images(self) -> Path:
        """Return the directory for images."""
        return self._prepare_folder("images", "image_cache")

    def audio(self) -> Path:
        """Return the directory for audio."""
        return self._prepare_folder("audio", "audio_cache")

    def videos(self) -> Path:
        """Return the directory for videos."""
        return self._prepare_folder("videos", "video_cache")

    def documents(self) -> Path:
        """Return the directory for documents."""
        return self._prepare_folder("documents", "document_cache")

    def store_image(self, data: bytes, ext: str = ".jpg") -> str:
        """Store an image and return its path.

        Raises:
            ValueError: The data is not an image.
        """
        is_image = data.startswith(_IMAGE_SIGNATURES) or (data[:4] == b"RIFF" and data[8:12] == b"WEBP")
        if not is_image or len(data) < _SHORTEST:
            snippet = data[:80].decode("utf-8", errors="replace")
            raise ValueError(f"Refusing to cache non-image data as {ext} (starts with: {snippet!r})")
        return self._write(self.images() / f"img_{_make_random_id()}{ext}", data)

    def store_audio(self, data: bytes, ext: str = ".ogg") -> str:
        """Store audio and return its path."""
        suffix = _find_audio_suffix(data, ext) if self._recognises_audio else ext
        return self._write(self.audio() / f"audio_{_make_random_id()}{suffix}", data)

    def store_video(self, data: bytes, ext: str = ".mp4") -> str:
        """Store a video and return its path."""
        return self._write(self.videos() / f"video_{_make_random_id()}{ext}", data)

    def store_document(self, data: bytes, filename: str) -> str:
        """Store a document under a name that ends with its original one, and return its path."""
        name = Path(filename or "").name.replace("\0", "").strip()
        path = self.documents() / f"doc_{_make_random_id()}_{name if name not in ('', '.', '..') else 'document'}"
        path.write_bytes(data)
        return str(path)


def _find_audio_suffix(data: bytes, otherwise: str) -> str:
    """Return the suffix of the detected audio format, or `otherwise` if none is detected."""
    for start, suffix in _AUDIO_SIGNATURES.items():
        if data.startswith(start):
            return suffix
    if data[4:8] == b"ftyp":
        return ".m4a"
    if data[:4] == b"RIFF" and data[8:12] == b"WAVE":
        return ".wav"
    if data[:1] == b"\xff" and data[1:2] >= b"\xe0":
        return ".aac" if data[1] & 0xF6 == 0xF0 else ".mp3"
    return f".{otherwise.removeprefix('.')}"


def _make_random_id() -> str:
    return uuid.uuid4().hex[:12]
