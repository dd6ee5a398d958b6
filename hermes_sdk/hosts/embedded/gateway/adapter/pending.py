"""Messages that came while their chat was busy, of which one waits for each session."""

from __future__ import annotations

from typing import Any


def keep(waiting: dict[str, Any], key: str, event: Any, *, merge_text: bool = False) -> None:
    """Let a message wait; media join the message that waits already, and text does when it may.

    Args:
        waiting: What waits, by the key of the session.
        key: The session.
        event: The message.
        merge_text: Whether text is added to text; otherwise the later one takes the place of the first.
    """
    before = waiting.get(key)
    if before is None or not _joined(before, event, merge_text):
        waiting[key] = event


def _joined(before: Any, event: Any, merge_text: bool) -> bool:
    kind = type(event.message_type)
    if before.media_urls or event.media_urls or before.message_type == event.message_type == kind.PHOTO:
        _join_media(before, event, kind)
    elif merge_text and before.message_type == event.message_type == kind.TEXT:
        before.text = "\n".join(filter(None, [before.text, event.text]))
    else:
        return False
    return True


def _join_media(before: Any, event: Any, kind: Any) -> None:
    before.media_urls.extend(event.media_urls)
    before.media_types.extend(event.media_types)
    if event.text:
        before.text = merged_caption(before.text, event.text)
    if kind.PHOTO in (before.message_type, event.message_type):
        before.message_type = kind.PHOTO
    elif before.message_type == kind.TEXT:
        before.message_type = event.message_type


def merged_caption(before: str | None, text: str) -> str:
    """Two captions as one; what was said already is not said again."""
    if not before:
        return text
    known = [one.strip() for one in before.split("\n\n")]
    return before if text.strip() in known else f"{before}\n\n{text}".strip()
