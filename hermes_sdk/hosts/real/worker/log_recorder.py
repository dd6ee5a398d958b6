"""Recording of log messages, and of the plugins' exceptions that the host swallows."""

from __future__ import annotations

import functools
import importlib
import logging
import re
import sys
import traceback
from collections.abc import Callable
from types import CoroutineType, TracebackType
from typing import Any

from ...in_worker.recording import Recording
from .paths import is_host, is_plugin

_ENGINES = "plugins.context_engine"

# Patterns of the host's messages about swallowed exceptions -> the name of the callback that was running.
_HIDDEN = (
    (re.compile(r"Failed to load plugin '(?P<name>.*?)'"), "plugin {name}"),
    (re.compile(r"Failed to load (?:user|bundled) provider plugin (?P<name>.*?):"), "model provider {name}"),
    (re.compile(r"(?:Failed to load e|E)ntry-point provider plugin '(?P<name>.*?)'"), "model provider {name}"),
    (re.compile(r"Failed to load memory provider '(?P<name>.*?)'"), "memory provider {name}"),
    (
        re.compile(r"Failed to exec_module (?:\w+\.|plugins\.memory\.)?(?P<name>[^.\s:]+?)(?:__source_\w+)?:"),
        "memory provider {name}",
    ),
    (re.compile(r"register\(\) failed for (?P<name>.*?):"), "memory provider {name}"),
    (re.compile(r"Hook '(?P<name>.*?)' callback"), "hook {name}"),
    (re.compile(r"Middleware '(?P<name>.*?)' callback"), "middleware {name}"),
    (re.compile(r"Event '(?P<name>.*?)' (?:subscriber|callback)"), "event {name}"),
    (re.compile(r"Plugin system prompt section (?P<name>\S+) .* raised"), "system prompt section {name}"),
    (re.compile(r"Tool (?P<name>\S+) dispatch error"), "tool {name}"),
    (re.compile(r"Error executing (?P<name>\S+):"), "tool {name}"),
    (re.compile(r"[Cc]ontext engine (?P<name>on_session_\w+)"), "context engine {name}"),
    (re.compile(r"context_engine\.(?P<name>handle_tool_call) raised"), "context engine {name}"),
    (re.compile(r"\[.*?\] Error handling message:"), "gateway.platforms.base"),
)


class LogRecorder(logging.Handler):
    """Handler of the root logger, whose level it sets to INFO.

    Attributes:
        records: Mappings ``level logger message``, oldest first.
        swallowed: Mappings ``where error traceback``, oldest first.
        warnings: The host's own messages at WARNING and above since `Session` last cleared the list.
    """

    def __init__(self, home: str, recording: Recording) -> None:
        super().__init__()
        self._recording = recording
        self.records: list[dict[str, str]] = []
        self.swallowed: list[dict[str, str]] = []
        self.warnings: list[str] = []
        self._home = home
        self._last_error: BaseException | None = None

    def install(self) -> None:
        """Start recording."""
        root = logging.getLogger()
        root.addHandler(self)
        root.setLevel(logging.INFO)
        # The host logs exceptions of memory providers and context engines at level DEBUG.
        for name in ("plugins.memory", _ENGINES, "run_agent", "agent.conversation_compression"):
            logging.getLogger(name).setLevel(logging.DEBUG)

    def watch_checks(self) -> None:
        """Record exceptions of ``check_fn``, which the host does not log.

        The host caches the results by function, so each function gets only one wrapper.
        """
        registry = importlib.import_module("tools.registry")
        ask = registry._check_fn_cached
        noted = functools.cache(self._note_errors)
        registry._check_fn_cached = lambda check: ask(noted(check))  # type: ignore[attr-defined]

    def watch_hooks(self, manager: Any) -> None:
        """Record coroutines that hook callbacks return, because the host stores them as results without awaiting."""
        invoke = manager.invoke_hook

        def invoke_watched(hook_name: str, **kwargs: Any) -> Any:
            results = invoke(hook_name, **kwargs)
            for result in results:
                if isinstance(result, CoroutineType):
                    result.close()
                    message = f"coroutine {result.__qualname__!r} was never awaited"
                    self.swallow(f"hook {hook_name}", RuntimeWarning(message))
            return results

        manager.invoke_hook = invoke_watched

    def _note_errors(self, check: Callable[[], Any]) -> Callable[[], Any]:
        if not hasattr(check, "__qualname__"):
            return check
        # If a function has wrong parameters, its code does not run, so the traceback does not show that a plugin
        # defines it.
        is_of_plugin = is_plugin(getattr(getattr(check, "__code__", None), "co_filename", ""))

        @functools.wraps(check)
        def wrapper() -> Any:
            try:
                return check()
            except Exception as error:
                if is_of_plugin or _is_from_plugin(error):
                    self.swallow(f"check_fn {check.__qualname__}", error)
                raise

        return wrapper

    def emit(self, record: logging.LogRecord) -> None:
        """Store a record, and the exception that it reports.

        A message that cannot be formatted is stored unformatted, because an exception in this method would change the
        behaviour of the host.
        """
        try:
            message = record.getMessage()
        except Exception:
            self.records.append({"level": record.levelname, "logger": record.name, "message": str(record.msg)})
            return
        if record.levelno >= logging.INFO:
            self.records.append({"level": record.levelname, "logger": record.name, "message": message})
            self._recording.log(record, message)
        if not is_host(record.pathname):
            return
        if record.levelno >= logging.WARNING:
            self.warnings.append(self.portable(message))
        if error := (record.exc_info[1] if record.exc_info else sys.exc_info()[1]):
            where = _find_place(message, record.name)
            if not where and record.exc_info and _is_from_plugin(error):
                where = "turn" if message.startswith("Outer loop error") else record.name
            if where:
                self.swallow(where, error)

    def portable(self, text: str) -> str:
        """Replace the home's path with ``$HERMES_HOME``."""
        return text.replace(self._home, "$HERMES_HOME")

    def swallow(self, where: str, error: BaseException) -> None:
        """Store an exception that was caught while `where` was running, but only once if several places report it."""
        if error is self._last_error:
            return
        self._last_error = error
        lines = traceback.format_exception(type(error), error, _cut_traceback(error))
        text = f"{type(error).__name__}: {error}"
        self.swallowed.append({"where": where, "error": text, "traceback": "".join(lines)})


def _find_place(message: str, logger: str) -> str | None:
    for pattern, where in _HIDDEN:
        if found := pattern.match(message):
            if logger == _ENGINES:
                # The messages are the same as those of the loader for memory providers.
                return f"context engine {found['name']}"
            return where.format(**found.groupdict())
    return None


def _is_from_plugin(error: BaseException) -> bool:
    """Return whether a plugin's code was running when the exception was raised."""
    return any(is_plugin(frame.f_code.co_filename) for frame, _ in traceback.walk_tb(error.__traceback__))


def _cut_traceback(error: BaseException) -> TracebackType | None:
    """Return the traceback from the first line of plugin code on; all of it if the host's call itself failed."""
    found = error.__traceback__
    while found is not None and not is_plugin(found.tb_frame.f_code.co_filename):
        found = found.tb_next
    # A syntax error contains its own position.
    return found or (None if isinstance(error, SyntaxError) else error.__traceback__)
