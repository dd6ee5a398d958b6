"""Recording of calls of plugins' callbacks, with snapshots of their arguments before the calls.

Both hosts use this module.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import inspect
import itertools
import json
import logging
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterable, Mapping
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Final

from .snapshots import plain, snapshot

Callback = Callable[..., Any]
Listener = Callable[[int, dict[str, Any]], None]
Describe = Callable[[], Mapping[str, Any]]

# The names of the host's positional arguments.
_POSITIONS: Final = {
    "tool": ("args",),
    "builtin_tool": ("args",),
    "command": ("raw_args",),
    "cli_command": ("args",),
    "turn": ("text",),
}

# The host does not await coroutines of these kinds, so they must not be wrapped in another coroutine.
_NEVER_AWAITED: Final = frozenset({"hook", "middleware"})

LOGGERS: Final = {
    "hermes_cli.plugins": logging.WARNING,
    "hermes_cli.middleware": logging.WARNING,
    "agent.shell_hooks": logging.WARNING,
    "tools.registry": logging.ERROR,
}
"""Loggers whose messages about plugins are recorded, with the lowest level recorded.

The registry also logs warnings about the tools of Hermes itself.
"""

LLM_METHODS: Final = ("complete", "complete_structured", "acomplete", "acomplete_structured")
"""The methods of ``ctx.llm``."""

_OF_HOST: Final = frozenset({"builtin_tool", "ctx_llm", "shell_hook", "turn"})
"""The kinds of calls in which code of the host runs instead of plugin code."""

_kind: ContextVar[str] = ContextVar("kind", default="turn")
"""The kind of the innermost call; inherited by tasks and ``asyncio.to_thread``."""


def is_in_callback() -> bool:
    """Return whether the current code runs in a callback of a plugin that `Recording.call` has called."""
    return _kind.get() not in _OF_HOST


class Recording:
    """Calls of callbacks, ordered by their start. It is thread-safe.

    With `keep`, all calls are recorded and stored; otherwise, only those within a `section`. `active` is true while
    calls are recorded. `listener` is called with each event and its number, at its start and at its end.
    """

    def __init__(self, *, keep: bool = False, listener: Listener | None = None) -> None:
        self.active = keep
        self._keep = keep
        self._listener = listener
        self._numbers = itertools.count()
        self._entries: list[_Entry] = []
        self._running: dict[int, list[_Entry]] = {}

    @property
    def events(self) -> list[dict[str, Any]]:
        """Return the stored events, as JSON values.

        Each event is ``{"t", "kind", "name", "thread", "callback", "arguments"}``, with ``end`` and ``returned`` or
        ``raised`` once the call has ended. Times are `time.monotonic_ns`. An event of `add` has its payload instead of
        ``callback`` and ``arguments``.
        """
        return self.events_since(0)

    def events_since(self, t: int) -> list[dict[str, Any]]:
        """Return the events that began at or after a time."""
        return [entry.event() for entry in self._entries if entry.t >= t]

    def keep(self) -> None:
        """Record and store all calls from now on."""
        self.active = self._keep = True

    @contextlib.contextmanager
    def section(self) -> Generator[Section]:
        """Record within the context; the yielded section contains the events after the context."""
        was_active, self.active = self.active, True
        start = len(self._entries)
        section = Section()
        try:
            yield section
        finally:
            self.active = was_active
            section.entries = self._entries[start:]
            if not self._keep:
                del self._entries[start:]

    def add(self, kind: str, name: str, **payload: Any) -> None:
        """Record an event that is not a call of a callback, such as ``log``."""
        if self.active:
            self._begin(_Entry(kind, name, None, snapshot(payload)))

    def add_immutable(self, kind: str, name: str, describe: Describe) -> None:
        """Record an event that never changes; `describe` returns its payload when the event is read."""
        if self.active:
            self._begin(_Entry(kind, name, None, describe))

    def begin(self, kind: str, name: str, **payload: Any) -> Callable[..., None]:
        """Record an event with an incomplete payload, and return a function that adds keyword arguments to it."""
        entry = _Entry(kind, name, None, snapshot(payload))
        self._begin(entry)

        def complete(**more: Any) -> None:
            entry.arguments = snapshot({**payload, **more})
            entry.end = time.monotonic_ns()
            self._tell(entry)

        return complete

    def _begin(self, entry: _Entry) -> None:
        if self._listener is None:
            self._entries.append(entry)
            return
        entry.number = next(self._numbers)
        self._tell(entry)

    def _tell(self, entry: _Entry) -> None:
        if self._listener is not None:
            self._listener(entry.number, entry.event())

    def log(self, record: logging.LogRecord, message: str) -> None:
        """Record a warning of the host about plugins; other records are ignored."""
        if record.levelno >= LOGGERS.get(record.name, logging.CRITICAL):
            self.add("log", record.levelname, logger=record.name, message=message)

    def call(self, kind: str, name: str, callback: Callback, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """Call a callback, record its arguments and outcome (of a coroutine when awaited), and return its result."""
        entry = _Entry(kind, name, callback, snapshot({**_name_positions(kind, callback, args), **kwargs}))
        self._begin(entry)
        with self._open(entry):
            result = callback(*args, **kwargs)
            if kind not in _NEVER_AWAITED and inspect.iscoroutine(result):
                return self._record_awaiting(entry, result)
            entry.returned = snapshot(result)
            return result

    def _record_awaiting(self, entry: _Entry, coroutine: Any) -> Any:
        async def record_result() -> Any:
            with self._open(entry):
                result = await coroutine
                entry.returned = snapshot(result)
                return result

        # Python's warning about a coroutine that is never awaited must name the plugin's coroutine.
        made: Any = record_result()
        made.__name__, made.__qualname__ = coroutine.__name__, coroutine.__qualname__
        return made

    @contextlib.contextmanager
    def _open(self, entry: _Entry) -> Generator[None]:
        """Mark an entry as running in this thread."""
        running = self._running.setdefault(threading.get_ident(), [])
        running.append(entry)
        around = _kind.get()
        _kind.set(entry.kind)
        try:
            yield
        except BaseException as error:
            entry.raised = _summarise(error)
            raise
        finally:
            # Not `ContextVar.reset`, because an abandoned coroutine may end in another context.
            _kind.set(around)
            running.remove(entry)
            if not running:
                self._running.pop(threading.get_ident(), None)
            entry.end = time.monotonic_ns()
            self._tell(entry)

    def wrap(self, kind: str, name: str, callback: Callback) -> Any:
        """Return a wrapper of a callback that records its calls while the recording is active.

        It has the attributes, the class, the signature and the text of the callback, so that a host that inspects it
        sees no difference. A value that is not callable is returned unchanged.
        """
        return _Recorded(self, kind, name, callback) if callable(callback) else callback

    def wrap_methods(self, kind: str, thing: Any, names: Iterable[str]) -> None:
        """Record the calls of an object's methods, once; does nothing for objects without a ``__dict__``."""
        attributes = getattr(thing, "__dict__", None)
        if attributes is not None:
            for name in names:
                if not isinstance(attributes.get(name), _Recorded):
                    attributes[name] = self.wrap(kind, name, getattr(thing, name))

    def describe_running(self) -> str | None:
        """Return the running callback and its line, for messages about timeouts; None if none is running.

        For example, ``hook pre_llm_call at plugins/notes/__init__.py:12``, with the full path.
        """
        frames = sys._current_frames()  # pyright: ignore[reportPrivateUsage]
        open_calls = [(ident, stack[-1]) for ident, stack in list(self._running.items()) if stack]
        if not open_calls:
            return None
        ident, entry = max(open_calls, key=lambda one: one[1].t)
        return f"{entry.kind.replace('_', ' ')} {entry.name}{_format_line(frames.get(ident), entry.callback)}"


class Section:
    """Events of a part of a recording, which are available once the part has ended."""

    def __init__(self) -> None:
        self.entries: list[_Entry] = []

    @property
    def events(self) -> list[dict[str, Any]]:
        """The events, as in `Recording.events`."""
        return [entry.event() for entry in self.entries]


class _Entry:
    """A call; arguments and result are JSON texts, which are cheap to create and rarely read.

    For events that never change, the arguments are a function that returns them on demand.
    """

    __slots__ = ("arguments", "callback", "end", "kind", "name", "number", "raised", "returned", "t", "thread")

    def __init__(self, kind: str, name: str, callback: Callback | None, arguments: str | Describe) -> None:
        self.kind = kind
        self.name = name
        self.number = 0
        self.callback = callback
        self.arguments = arguments
        self.thread = threading.current_thread().name
        self.t = time.monotonic_ns()
        self.end: int | None = None
        self.returned: str | None = None
        self.raised: str | None = None

    def event(self) -> dict[str, Any]:
        event: dict[str, Any] = {"t": self.t, "kind": self.kind, "name": self.name, "thread": self.thread}
        read = self.arguments
        arguments = json.loads(read) if isinstance(read, str) else plain(read())
        if self.callback is None:
            return {**event, **arguments, **({} if self.end is None else {"end": self.end})}
        event.update(callback=_label(self.callback), arguments=arguments)
        if self.end is not None:
            event["end"] = self.end
        if self.returned is not None:
            event["returned"] = json.loads(self.returned)
        if self.raised is not None:
            event["raised"] = self.raised
        return event


class _Recorded:
    """Wrapper that records calls of a callback, and otherwise behaves like the callback."""

    def __init__(self, recording: Recording, kind: str, name: str, callback: Callback) -> None:
        # Attributes that classes also have would not reach `__getattr__`.
        self.__dict__.update({name: getattr(callback, name, None) for name in ("__doc__", "__module__")})
        self.__dict__.update(_recording=recording, _kind=kind, _name=name, __wrapped__=callback)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        callback = self.__dict__["__wrapped__"]
        recording: Recording = self.__dict__["_recording"]
        if not recording.active:
            return callback(*args, **kwargs)
        return recording.call(self.__dict__["_kind"], self.__dict__["_name"], callback, args, kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["__wrapped__"], name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self.__dict__["__wrapped__"], name, value)

    @property  # type: ignore[misc]
    def __class__(self) -> type[Any]:  # pyright: ignore[reportIncompatibleMethodOverride]
        return type(self.__dict__["__wrapped__"])

    def __eq__(self, other: object) -> bool:
        return bool(self.__dict__["__wrapped__"] == getattr(other, "__wrapped__", other))

    def __hash__(self) -> int:
        return hash(self.__dict__["__wrapped__"])

    def __repr__(self) -> str:
        return repr(self.__dict__["__wrapped__"])

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        mine = self.__dict__
        copied = copy.deepcopy(mine["__wrapped__"], memo)
        return _Recorded(mine["_recording"], mine["_kind"], mine["_name"], copied)


def is_recorded(callback: object) -> bool:
    """Return whether `Recording.wrap` created a callback."""
    return type(callback) is _Recorded


def public_methods(base: type[Any]) -> list[str]:
    """Return the methods that the host may call on instances of one of its base classes, sorted."""
    return [name for name in dir(base) if not name.startswith("_") and inspect.isroutine(getattr(base, name))]


def _name_positions(kind: str, callback: Callback, args: tuple[Any, ...]) -> dict[str, Any]:
    """Return positional arguments by name: the host's names if it has any, otherwise the callback's."""
    if not args:
        return {}
    names: Iterable[str] = ("event_type", "context") if kind == "gateway_hook" else _POSITIONS.get(kind, ())
    if not names:
        with contextlib.suppress(TypeError, ValueError):
            names = inspect.signature(callback).parameters
    return dict(zip((*names, *map(str, range(len(args)))), args, strict=False))


def _summarise(error: BaseException) -> str:
    text = ""
    with contextlib.suppress(Exception):
        text = str(error)
    return f"{type(error).__name__}: {text}".removesuffix(": ")


def _label(callback: Callback) -> str:
    """Return the module and qualified name of a callable, such as ``hermes_plugins.notes.register.<locals>.remind``."""
    named: Any = callback.func if isinstance(callback, functools.partial) else callback
    named = named if hasattr(named, "__qualname__") else type(named)
    return f"{named.__module__}.{named.__qualname__}"


def _format_line(frame: Any, callback: Callback | None) -> str:
    """Return the running line of a callback: the innermost line in a file of its directory."""
    code = getattr(inspect.unwrap(getattr(callback, "__func__", callback)), "__code__", None) if callback else None
    if code is None:
        return ""
    folder = Path(code.co_filename).parent
    while frame is not None and not Path(frame.f_code.co_filename).is_relative_to(folder):
        frame = frame.f_back
    return f" at {frame.f_code.co_filename}:{frame.f_lineno}" if frame else ""
