"""Sending by an adapter, without media: retries after network errors, plain text after formatting errors."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import logging
import random
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from hermes_sdk.hosts.embedded.services.platform_actions import GATEWAY
from hermes_sdk.hosts.embedded.wording import Wording

_TOO_LONG = ("message_too_long", "too long")
_FORBIDDEN = (
    "forbidden",
    "bot was blocked",
    "blocked by the user",
    "user is deactivated",
    "not enough rights",
    "have no rights",
    "not a member",
)
_LIMITED = ("flood", "too many requests", "retry after", "rate limit")
_BAD_FORMAT = ("can't parse entities", "cant parse entities", "can't find end", "unsupported start tag")
_log = logging.getLogger("gateway.platforms.base")
_INTERVAL = 2.0
_STOP_SECONDS = 0.5
_TIMED_OUT = ("timed out", "readtimeout", "writetimeout")
_LONGEST_PLAIN = 3500


class SendErrors:
    """Classifies errors by their texts, with the constants of the release's ``gateway.platforms.base``."""

    def __init__(self, constants: Mapping[str, Any]) -> None:
        self._network = tuple(constants["_RETRYABLE_ERROR_PATTERNS"])
        self._chat = tuple(constants["_CHAT_LEVEL_NOT_FOUND_SUBSTRINGS"])
        self._within_chat = tuple(constants["_SUBCHAT_NOT_FOUND_SUBSTRINGS"])

    def is_network_error(self, error: str | None) -> bool:
        """Return whether the network failed, so that a retry may help."""
        return _contains(error or "", self._network)

    def is_missing_chat(self, exc: BaseException | None = None, error_text: str = "") -> bool:
        """Return whether the chat does not exist, as opposed to a message or thread in it."""
        text = _join_texts(exc, error_text)
        return _contains(text, self._chat) and not _contains(text, self._within_chat)

    def classify(self, exc: BaseException | None, error_text: str = "") -> str:
        """Return the kind of an error for ``SendResult.error_kind``."""
        text = _join_texts(exc, error_text)
        parse_error = ("entity" in text and "parse" in text) or ("bad request" in text and "entit" in text)
        kinds = (
            ("too_long", _contains(text, _TOO_LONG)),
            ("bad_format", _contains(text, _BAD_FORMAT) or parse_error),
            ("forbidden", _contains(text, _FORBIDDEN)),
            ("not_found", _contains(text, (*self._chat, *self._within_chat))),
            ("rate_limited", _contains(text, _LIMITED)),
            ("transient", _contains(text, (*self._network, "connecttimeout"))),
        )
        return next((name for name, holds in kinds if holds), "unknown")


def _contains(text: str, parts: tuple[str, ...]) -> bool:
    return any(part in text.lower() for part in parts)


def _join_texts(exc: BaseException | None, error_text: str) -> str:
    raised = (str(exc), type(exc).__name__) if exc is not None else ()
    return " ".join(filter(None, (error_text, *raised))).lower()


class Sending:
    """Members of an adapter that send; `AdapterClasses` provides `_is_retryable_error`."""

    async def _send_with_retry(
        self: Any,
        chat_id: str,
        content: str,
        reply_to: str | None = None,
        metadata: Any = None,
        max_retries: int = 2,
        base_delay: float = 2.0,
    ) -> Any:
        message = {"chat_id": chat_id, "content": content, "reply_to": reply_to, "metadata": metadata}
        result = await self.send(**message)
        if result.success or (not self._may_retry(result) and self._is_timeout_error(result.error)):
            return result
        attempt, wait = 0, getattr(result, "retry_after", None)
        while self._may_retry(result):
            attempt += 1
            if attempt > max_retries:
                error = result.error or ""
                if self._behaviour.rate_limits_redelivered and self._may_be_limited(result):
                    summary = "[%s] Rate-limited send exhausted retries; returning typed failure for redelivery"
                    _log.error(f"{summary} (no notice sent inside active flood penalty): %s", self.name, error)
                    return result
                _log.error("[%s] Failed to deliver response after %d retries: %s", self.name, max_retries, error)
                with contextlib.suppress(Exception):
                    await self.send(**{**message, "content": self._wording("gateway.notify.delivery_failed_retry")})
                return result
            delay = (base_delay * 2 ** (attempt - 1) if wait is None else wait) + random.uniform(0, 1)
            failed = "[%s] Send failed (attempt %d/%d, retrying in %.1fs): %s"
            _log.warning(failed, self.name, attempt, max_retries, delay, result.error or "")
            await asyncio.sleep(delay)
            result = await self.send(**message)
            wait = getattr(result, "retry_after", None)
            if result.success:
                _log.info("[%s] Send succeeded on retry %d", self.name, attempt)
                return result
        _log.warning("[%s] Send failed: %s — trying plain-text fallback", self.name, result.error or "")
        text = self._wording("gateway.notify.plain_fallback_prefix", content=content[:_LONGEST_PLAIN])
        plain = await self.send(**{**message, "content": text})
        if not plain.success:
            _log.error("[%s] Fallback send also failed: %s", self.name, plain.error)
        return plain

    def _may_retry(self: Any, result: Any) -> bool:
        return bool(result.retryable) or self._is_retryable_error(result.error)

    def _may_be_limited(self: Any, result: Any) -> bool:
        """Return whether a rate limit may have caused a failure, so that a notice would fail too."""
        return self._errors.classify(None, result.error or "") == "rate_limited" or result.retry_after is not None

    @staticmethod
    def _is_timeout_error(error: str | None) -> bool:
        return any(part in (error or "").lower() for part in _TIMED_OUT)

    async def _keep_typing(
        self: Any,
        chat_id: str,
        interval: float = _INTERVAL,
        metadata: Any = None,
        stop_event: asyncio.Event | None = None,
    ) -> None:
        stop = stop_event or asyncio.Event()
        limit = max(0.25, min(1.5, interval - 0.25))
        try:
            while not stop.is_set():
                if chat_id not in self._typing_paused:
                    # The typing indicator is optional: ignore errors of the adapter.
                    with contextlib.suppress(Exception):
                        async with asyncio.timeout(limit):
                            await self.send_typing(chat_id, metadata=metadata)
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(interval):
                        await stop.wait()
        except asyncio.CancelledError:
            pass
        finally:
            with contextlib.suppress(Exception):
                await self._stop_typing_with_metadata(chat_id, metadata)
            self._typing_paused.discard(chat_id)
            self._status_text.pop(str(chat_id), None)

    async def _stop_typing_refresh(
        self: Any,
        chat_id: str,
        typing_task: asyncio.Task[None] | None = None,
        *,
        metadata: Any = None,
        timeout: float = _STOP_SECONDS,
        stop_attempts: int = 2,
    ) -> None:
        self._typing_paused.add(chat_id)
        try:
            if typing_task is not None and not typing_task.done():
                typing_task.cancel()
                await asyncio.wait({typing_task}, timeout=timeout)
            for attempt in range(max(1, stop_attempts)):
                if attempt:
                    await asyncio.sleep(0)
                with contextlib.suppress(Exception):
                    await self._stop_typing_with_metadata(chat_id, metadata)
        finally:
            self._typing_paused.discard(chat_id)

    async def _stop_typing_with_metadata(self: Any, chat_id: str, metadata: Any = None) -> None:
        if metadata and has_parameter(self.stop_typing, "metadata"):
            await self.stop_typing(chat_id, metadata=metadata)
        else:
            await self.stop_typing(chat_id)

    def pause_typing_for_chat(self: Any, chat_id: str) -> None:
        self._typing_paused.add(chat_id)

    def resume_typing_for_chat(self: Any, chat_id: str) -> None:
        self._typing_paused.discard(chat_id)

    async def send_multiple_images(
        self: Any, chat_id: str, images: Any, metadata: Any = None, human_delay: float = 0.0
    ) -> None:
        for address, description in images:
            if human_delay > 0:
                await asyncio.sleep(human_delay)
            about = {"caption": description or None, "metadata": metadata}
            try:
                if address.startswith("file://"):
                    result = await self.send_image_file(chat_id=chat_id, image_path=unquote(address[7:]), **about)
                elif self._is_animation_url(address):
                    result = await self.send_animation(chat_id=chat_id, animation_url=address, **about)
                else:
                    result = await self.send_image(chat_id=chat_id, image_url=address, **about)
                if not result.success:
                    _log.error("[%s] Failed to send image: %s", self.name, result.error)
            except Exception as error:
                _log.error("[%s] Error sending image: %s", self.name, error, exc_info=True)

    @staticmethod
    def _is_animation_url(url: str) -> bool:
        return url.lower().split("?")[0].endswith(".gif")

    def send_image(self: Any, chat_id: str, image_url: str, caption: Any, reply_to: Any, metadata: Any = None) -> Any:
        text = f"{caption}\n{image_url}" if caption else image_url
        return self.send(chat_id=chat_id, content=text, reply_to=reply_to, metadata=metadata)

    def send_animation(self: Any, chat_id: str, animation_url: str, **more: Any) -> Any:
        return self.send_image(chat_id=chat_id, image_url=animation_url, **more)

    def send_voice(self: Any, audio_path: str, **about: Any) -> Any:
        return self._send_fallback("send_voice", "audio", audio_path, **about)

    def send_video(self: Any, video_path: str, **about: Any) -> Any:
        return self._send_fallback("send_video", "video", video_path, **about)

    def send_document(self: Any, file_path: str, file_name: str | None, **about: Any) -> Any:
        return self._send_fallback("send_document", "file", file_path, name=file_name, **about)

    def send_image_file(self: Any, image_path: str, **about: Any) -> Any:
        return self._send_fallback("send_image_file", "image", image_path, **about)

    def _send_fallback(
        self: Any,
        method: str,
        kind: str,
        path: str,
        *,
        chat_id: str,
        caption: str | None,
        reply_to: str | None,
        metadata: Any = None,
        name: str | None = None,
        **_: Any,
    ) -> Any:
        """Notify the chat that the adapter cannot send a kind of media."""
        _log.warning("[%s] %s fallback: native %s send unavailable for %s", self.name, method, kind, path)
        text = f"{caption}\n" if caption else ""
        text += describe_failed_file(self._wording, kind, name)
        return self.send(chat_id=chat_id, content=text, reply_to=reply_to, metadata=metadata)

    def play_tts(self: Any, chat_id: str, audio_path: str, **more: Any) -> Any:
        return self.send_voice(chat_id=chat_id, audio_path=audio_path, **more)

    def send_private_notice(self: Any, chat_id: str, content: str, reply_to: Any, metadata: Any, **_: Any) -> Any:
        return self.send(chat_id=chat_id, content=content, reply_to=reply_to, metadata=metadata)

    def send_clarify(
        self: Any, chat_id: str, question: str, choices: Any, clarify_id: str, metadata: Any = None, **_: Any
    ) -> Any:
        lines = [self._wording("gateway.clarify.question", question=question)]
        if choices:
            if gateway := self._gateway.state.memory.get(GATEWAY):
                gateway.clarifications.allow_text(clarify_id)
            lines += ["", *(f"  {number}. {choice}" for number, choice in enumerate(choices, 1)), ""]
            lines.append(self._wording("gateway.clarify.hint_single"))
        return self.send(chat_id=chat_id, content="\n".join(lines), metadata=metadata)


def has_parameter(method: Any, name: str) -> bool:
    """Return whether a method accepts a keyword argument."""
    try:
        parameters = inspect.signature(method).parameters
    except (TypeError, ValueError):
        return False
    return name in parameters or any(one.kind is inspect.Parameter.VAR_KEYWORD for one in parameters.values())


def thread_metadata(source: Any) -> dict[str, Any] | None:
    """Return the metadata of messages to the thread of a source, or None outside of threads."""
    return {"thread_id": source.thread_id} if source.thread_id is not None else None


def find_anchor(event: Any) -> str | None:
    """Return the ID of the message that replies to an event refer to."""
    override: str | None = getattr(event, "reply_anchor_override", None)
    return event.message_id if override is None else override


def describe_failed_file(wording: Wording, kind: str, name: str | None = None) -> str:
    """Return the notice that an adapter could not deliver a file of this kind and name."""
    if name:
        return wording("gateway.notify.media_delivery_failed_with_name", kind=kind, name=name)
    return wording("gateway.notify.media_delivery_failed", kind=kind)
