"""Speech in parts: how ``text_to_speech`` splits a long text, and the files that it delivers (F19)."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hermes_sdk.hosts.embedded.builtins.tool import ToolContext
from hermes_sdk.hosts.embedded.state import HostState

_LARGEST = 10 * 1024 * 1024
_SHARE = 0.85
"""The part of the largest size that files are joined up to."""
_MAGIC = (b"OggS", b"ID3", b"\xff\xfb", b"\xff\xf3", b"RIFF", b"fLaC")
_PLAIN = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*(?:[,;:.!?]? [^\W\d_]+(?:['-][^\W\d_]+)*)*[.!?]?")
"""Words that the host speaks as they are written."""


def prepare_text(text: str, state: HostState) -> str:
    """Return a text as it is spoken.

    Raises:
        NotSupported: There is more than words in it.
    """
    text = text.strip()
    if not _PLAIN.fullmatch(text):
        raise state.unsupported("prepare markup, digits and symbols for speech")
    return text


def split_text(text: str, longest: int) -> list[str]:
    """Split a text at the ends of sentences and clauses, and longer ones between words, or else anywhere."""
    if len(text) <= longest:
        return [text]
    pieces: list[str] = []
    for clause in re.split(r"(?<=[.!?;:,])\s+", text):
        pieces += [clause] if len(clause) <= longest else _split_clause(clause, longest)
    return _pack(pieces, longest)


def _split_clause(clause: str, longest: int) -> list[str]:
    parts: list[str] = []
    words: list[str] = []
    for word in clause.split():
        if len(word) <= longest:
            words.append(word)
            continue
        parts += [*_pack(words, longest), *(word[at : at + longest] for at in range(0, len(word), longest))]
        words = []
    return parts + _pack(words, longest)


def _pack(pieces: list[str], longest: int) -> list[str]:
    """Join pieces with spaces as long as they fit."""
    packed: list[str] = []
    for piece in pieces:
        if packed and len(packed[-1]) + 1 + len(piece) <= longest:
            packed[-1] += f" {piece}"
        else:
            packed.append(piece)
    return packed


def read_profile(context: ToolContext) -> dict[str, Any]:
    """Return the limits for the files of a session that is in no chat."""
    profiles = context.section("tts").get("delivery_profiles")
    own = profiles.get("default") if isinstance(profiles, Mapping) else None
    own = own if isinstance(own, Mapping) else {}
    largest, share = own.get("max_file_bytes"), own.get("safety_ratio")
    if not isinstance(largest, int) or largest is True or largest <= 0:
        largest = _LARGEST
    if not isinstance(share, int | float) or isinstance(share, bool) or not 0 < share <= 1:
        share = _SHARE
    return {"platform": "default", "max_file_bytes": largest, "target_file_bytes": max(1, int(largest * share))}


def deliver(parts: list[str], path: Path, profile: Mapping[str, Any], state: HostState) -> list[str]:
    """Move the files of the parts to where they are delivered, and return their paths.

    Raises:
        ValueError: A file is too large.
        NotSupported: ffmpeg would join them.
    """
    for part in parts:
        if (size := Path(part).stat().st_size) > profile["max_file_bytes"]:
            limit = f"{profile['platform']} delivery limit ({size} > {profile['max_file_bytes']} bytes)"
            raise ValueError(f"Final-encoded TTS chunk exceeds {limit}: {part}")
    if len(parts) > 1 and shutil.which("ffmpeg") and all(map(_is_audio, parts)):
        raise state.unsupported("join the parts of a spoken text with ffmpeg")
    delivered = []
    for index, part in enumerate(parts, start=1):
        target = path
        if len(parts) > 1:
            target = path.with_name(f"{path.stem}.part{index:02d}{Path(part).suffix or path.suffix}")
        if Path(part).absolute() != target.absolute():
            Path(part).replace(target)
        delivered.append(str(target))
    return delivered


def _is_audio(file: str) -> bool:
    with Path(file).open("rb") as opened:
        return opened.read(4).startswith(_MAGIC)
