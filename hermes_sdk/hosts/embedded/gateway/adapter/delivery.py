"""Delivery of the reply to a message: its text, then its images and files."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

from hermes_sdk.contract import Behaviour
from hermes_sdk.hosts.embedded.gateway.adapter.media import IMAGES, VIDEOS
from hermes_sdk.hosts.embedded.gateway.adapter.media_tags import AS_DOCUMENT
from hermes_sdk.hosts.embedded.gateway.adapter.sending import describe_failed_file, find_anchor, thread_metadata

_log = logging.getLogger("gateway.platforms.base")


async def deliver_command_reply(adapter: Any, event: Any, response: Any) -> None:
    """Send the reply to a command, if there is one, as plain text."""
    text, seconds = adapter._unwrap_ephemeral(response)
    if text:
        await _send_text(adapter, event, text, seconds, _make_final_metadata(event))


async def _send_text(adapter: Any, event: Any, text: str, seconds: int, metadata: Any) -> Any:
    chat = event.source.chat_id
    result = await adapter._send_with_retry(chat_id=chat, content=text, reply_to=find_anchor(event), metadata=metadata)
    if seconds > 0 and result.success and result.message_id:
        adapter._schedule_ephemeral_delete(chat_id=chat, message_id=result.message_id, ttl_seconds=seconds)
    return result


def _make_final_metadata(event: Any) -> dict[str, Any]:
    """Return the metadata of a turn's last messages, which makes platforms notify the user."""
    return {**(thread_metadata(event.source) or {}), "notify": True}


async def deliver_reply(adapter: Any, gateway: Any, event: Any, response: Any) -> bool:
    """Send a reply with its images and files; return whether its text was delivered (False if it has none).

    `gateway` is the `AdapterClasses` of the host.
    """
    content, seconds = adapter._unwrap_ephemeral(response)
    as_documents = AS_DOCUMENT in content
    tagged, rest = adapter.extract_media(content)
    tagged = adapter.filter_media_delivery_paths(tagged)
    images, text = adapter.extract_images(rest)
    text = gateway.files.tags.strip(text).strip()
    named: list[str] = []
    # Files named in system messages are not attachments.
    if not isinstance(response, gateway.EphemeralReply):
        named, text = adapter.extract_local_files(text)
        named = adapter.filter_local_delivery_paths(named)
    if not (text or images or named or tagged):
        text = gateway.files.tags.strip(rest).strip()
    if response and not (text or images or named or tagged):
        _log.error(
            "[%s] response_delivery_dropped: non-empty response (%d chars) produced no delivered message or attachment "
            "for %s (empty after extract, recovery yielded nothing).",
            adapter.name,
            len(content),
            event.source.chat_id,
        )
    arrived = False
    if gateway.state.behaviour.typing_paused_before_replies and (text or images or named or tagged):
        adapter.pause_typing_for_chat(event.source.chat_id)
    if text:
        _log.info("[%s] Sending response (%d chars) to %s", adapter.name, len(text), event.source.chat_id)
        arrived = bool((await _send_text(adapter, event, text, seconds, _make_final_metadata(event))).success)
    if images:
        await _send_images(adapter, event, images)
    await _send_files(adapter, gateway, event, tagged, named, as_documents)
    return arrived


async def _send_files(
    adapter: Any, gateway: Any, event: Any, tagged: list[tuple[str, bool]], named: list[str], as_documents: bool
) -> None:
    def is_image(path: str, voice: bool = False) -> bool:
        return Path(path).suffix.lower() in IMAGES and not voice and not as_documents

    pictures = [path for path, voice in tagged if is_image(path, voice)] + [path for path in named if is_image(path)]
    if pictures:
        await _send_images(adapter, event, [(f"file://{quote(path)}", "") for path in pictures])
    for path, voice in tagged:
        if not is_image(path, voice):
            await _send_file(adapter, gateway, event, path, tagged=True, is_voice=voice)
    for path in named:
        if not is_image(path):
            await _send_file(adapter, gateway, event, path)


async def _send_images(adapter: Any, event: Any, images: list[tuple[str, str]]) -> None:
    chat = event.source.chat_id
    try:
        await adapter.send_multiple_images(
            chat_id=chat, images=images, metadata=_make_final_metadata(event), human_delay=0.0
        )
    except Exception as error:
        _log.warning("[%s] Error batching images: %s", adapter.name, error, exc_info=True)


async def _send_file(
    adapter: Any, gateway: Any, event: Any, path: str, *, tagged: bool = False, is_voice: bool = False
) -> None:
    extension, behaviour = Path(path).suffix.lower(), gateway.state.behaviour
    send: Callable[..., Awaitable[Any]]
    more: dict[str, Any] = {}
    if tagged and gateway.files.is_audio(adapter.platform, extension):
        send, key, kind = adapter.send_voice, "audio_path", "audio"
        more = {"is_voice": is_voice} if behaviour.voice_messages_told else {}
    elif extension in VIDEOS:
        send, key, kind = adapter.send_video, "video_path", "video"
    else:
        send, key, kind = adapter.send_document, "file_path", "file"
    try:
        result = await send(chat_id=event.source.chat_id, **{key: path}, metadata=_make_final_metadata(event), **more)
        if not result.success and (tagged or behaviour.failed_files_told):
            what = "media" if tagged else "local file"
            _log.warning("[%s] Failed to send %s (%s): %s", adapter.name, what, extension, result.error)
        if not result.success and behaviour.failed_files_told:
            text = describe_failed_file(gateway.state.wording, kind, Path(path).name if kind == "file" else None)
            await _report_failure(adapter, event, text, behaviour)
    except Exception as error:
        _log.log(
            logging.WARNING if tagged else logging.ERROR,
            "[%s] Error sending media: %s" if tagged else "[%s] Error sending local file: %s",
            adapter.name,
            error,
        )


async def _report_failure(adapter: Any, event: Any, text: str, behaviour: Behaviour) -> None:
    more = {"reply_to": None} if behaviour.failed_files_told_as_replies else {}
    await adapter.send(chat_id=event.source.chat_id, content=text, metadata=_make_final_metadata(event), **more)
