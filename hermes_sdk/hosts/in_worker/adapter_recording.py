"""Recording of adapters: calls of overridden methods, their exceptions, and sent messages."""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Callable
from typing import Any

from .recording import Recording, public_methods
from .snapshots import snapshot

_SEND = ("chat_id", "content", "reply_to", "metadata")
_MOST_SHARED = 64

Method = Callable[..., Any]


class AdapterRecorder:
    """Recorder of adapters, which are subclasses of the host's class `base`.

    `on_swallowed` is called with the exceptions of methods, and `on_sent` with the fields of each sent message.
    """

    def __init__(
        self,
        base: type[Any],
        recording: Recording,
        on_swallowed: Callable[[str, BaseException], None],
        on_sent: Callable[[dict[str, Any]], None],
    ) -> None:
        self._base = base
        self._recording = recording
        self._on_swallowed = on_swallowed
        self._on_sent = on_sent
        # Nearly all messages have the same metadata, so they share one object.
        self._read = functools.lru_cache(_MOST_SHARED)(json.loads)

    def attach(self, platform: str, adapter: Any) -> None:
        """Record an adapter from now on."""
        kind = type(adapter)
        names = [name for name in public_methods(self._base) if getattr(kind, name) is not getattr(self._base, name)]
        self._recording.wrap_methods("adapter", adapter, names)
        for name in names:
            vars(adapter)[name] = self._report_errors(f"adapter {platform} {name}", getattr(adapter, name))
        vars(adapter)["send"] = self._report_sent(platform, adapter.send)

    def _report_errors(self, where: str, method: Method) -> Method:
        if not inspect.iscoroutinefunction(method):
            return method

        @functools.wraps(method)
        async def reporting(*args: Any, **kwargs: Any) -> Any:
            try:
                return await method(*args, **kwargs)
            except Exception as error:
                self._on_swallowed(where, error)
                raise

        return reporting

    def _report_sent(self, platform: str, send: Method) -> Method:
        @functools.wraps(send)
        async def reporting(*args: Any, **kwargs: Any) -> Any:
            given = {**dict(zip(_SEND, args, strict=False)), **kwargs}
            message = {
                "platform": platform,
                "chat_id": str(given.get("chat_id")),
                "text": str(given.get("content")),
                "reply_to": given.get("reply_to"),
                "metadata": self._read(snapshot(given.get("metadata"))),
            }
            try:
                result = await send(*args, **kwargs)
            except BaseException as error:
                self._on_sent({**message, "success": False, "error": f"{type(error).__name__}: {error}"})
                raise
            outcome = {name: getattr(result, name, None) for name in ("message_id", "error")}
            self._on_sent({**message, **outcome, "success": bool(getattr(result, "success", False))})
            return result

        return reporting
