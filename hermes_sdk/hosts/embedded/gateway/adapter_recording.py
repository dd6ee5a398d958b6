"""What a test sees of an adapter: the calls of what its class overrides, what they raise, and what is sent."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from hermes_sdk.hosts.in_worker.recording import Recording, plain
from hermes_sdk.hosts.interface import OnSwallowed, Sent

_SEND = ("chat_id", "content", "reply_to", "metadata")

Method = Callable[..., Any]


class Watching:
    """Watches adapters.

    Args:
        base: The class that all adapters are of.
        recording: Where calls are recorded.
        on_swallowed: Called with a place and the exception that leaves a method.
        sent: Called with every message that was handed to an adapter.
    """

    def __init__(
        self, base: type[Any], recording: Recording, on_swallowed: OnSwallowed, sent: Callable[[Sent], None]
    ) -> None:
        self._base = base
        self._recording = recording
        self._on_swallowed = on_swallowed
        self._sent = sent

    def attach(self, platform: str, adapter: Any) -> None:
        """Watch an adapter."""
        names = self._overridden(type(adapter))
        self._recording.wrap_methods("adapter", adapter, names)
        for name in names:
            vars(adapter)[name] = self._telling(f"adapter {platform} {name}", getattr(adapter, name))
        vars(adapter)["send"] = self._noting(platform, adapter.send)

    def _overridden(self, kind: type[Any]) -> list[str]:
        public = (name for name in dir(self._base) if not name.startswith("_"))
        methods = (name for name in public if inspect.isroutine(getattr(self._base, name)))
        return sorted(name for name in methods if getattr(kind, name) is not getattr(self._base, name))

    def _telling(self, where: str, method: Method) -> Method:
        if not inspect.iscoroutinefunction(method):
            return method

        @functools.wraps(method)
        async def telling(*args: Any, **kwargs: Any) -> Any:
            try:
                return await method(*args, **kwargs)
            except Exception as error:
                self._on_swallowed(where, error)
                raise

        return telling

    def _noting(self, platform: str, send: Method) -> Method:
        @functools.wraps(send)
        async def noting(*args: Any, **kwargs: Any) -> Any:
            given = {**dict(zip(_SEND, args, strict=False)), **kwargs}
            note: dict[str, Any] = {
                "platform": platform,
                "chat_id": str(given.get("chat_id")),
                "text": str(given.get("content")),
                "reply_to": given.get("reply_to"),
                "metadata": plain(given.get("metadata")),
            }
            try:
                result = await send(*args, **kwargs)
            except BaseException as error:
                self._sent(Sent(**note, success=False, error=f"{type(error).__name__}: {error}"))
                raise
            told: dict[str, Any] = {name: getattr(result, name, None) for name in ("message_id", "error")}
            self._sent(Sent(**note, **told, success=bool(getattr(result, "success", False))))
            return result

        return noting
