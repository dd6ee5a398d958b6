"""Attaches to the parts of a host when they are imported."""

from __future__ import annotations

import contextlib
import functools
import importlib.abc
import importlib.machinery
import logging
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from ...in_worker.builtin_calls import BuiltinCalls
from ...in_worker.recording import LOGGERS, Recording
from ..worker import callbacks
from . import http_client
from .channel import Channel


def attach(descriptor: int) -> None:
    """Record this process from now on, and send what is recorded to a socket."""
    recorder = Recorder(Channel(descriptor))
    sys.meta_path.insert(0, _AfterImport(recorder.parts))


class Recorder:
    """Records a host. `parts` has what attaches to each of its modules."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._recording = Recording(keep=True, listener=channel.event)
        self._in_turn = 0
        builtins = BuiltinCalls(self._recording)
        for name in LOGGERS:
            logging.getLogger(name).addFilter(self._see_record)
        self.parts: Mapping[str, Callable[[Any], None]] = {
            "hermes_cli.plugins": self._attach_plugins,
            "plugins.memory": lambda _: callbacks.attach_memory(self._recording, _ignore),
            "plugins.context_engine": lambda _: callbacks.attach_engines(self._recording, _ignore),
            "tools.registry": lambda registry: callbacks.attach_registry(builtins, registry),
            **{
                module: functools.partial(_attach_loop_tool, builtins, function, tool)
                for module, (function, tool) in callbacks.LOOP_TOOLS.items()
            },
            "run_agent": self._attach_agent,
            "httpx": lambda httpx: http_client.attach(self._recording, httpx),
        }

    def _see_record(self, record: logging.LogRecord) -> bool:
        """Record what the host logs of plugins, without a handler, which would keep Python's last resort away."""
        with contextlib.suppress(Exception):
            self._recording.log(record, record.getMessage())
        return True

    def _attach_plugins(self, plugins: Any) -> None:
        callbacks.attach(self._recording, plugins.PluginContext, _ignore, _note_nothing, _is_of_user)
        discover, find = plugins.PluginManager.discover_and_load, plugins.get_plugin_command_handler

        @functools.wraps(discover)
        def discovered(manager: Any, *args: Any, **kwargs: Any) -> Any:
            try:
                return discover(manager, *args, **kwargs)
            finally:
                with contextlib.suppress(Exception):
                    self._channel.send({"host": self._describe(manager)})

        @functools.wraps(find)
        def found(name: str) -> Any:
            handler = find(name)
            return handler and functools.partial(self._run_command, name, handler)

        plugins.PluginManager.discover_and_load = discovered
        plugins.get_plugin_command_handler = found

    def _run_command(self, name: str, handler: Callable[..., Any], raw_args: str = "") -> Any:
        def run(_: str) -> Any:
            return handler(raw_args)

        return self._recording.call("turn", "command", run, (f"/{name} {raw_args}".strip(),), {})

    def _describe(self, manager: Any) -> dict[str, Any]:
        """Return what a replay must know of this host."""
        home = importlib.import_module("hermes_constants").get_hermes_home()
        plugins = [
            {"key": str(key), "source": str(loaded.manifest.source), "path": str(loaded.manifest.path)}
            for key, loaded in manager._plugins.items()
            if loaded.enabled and loaded.manifest.source != "bundled"
        ]
        return {"release": _read_release(), "home": str(home), "cwd": str(Path.cwd()), "plugins": plugins}

    def _attach_agent(self, run_agent: Any) -> None:
        converse = run_agent.AIAgent.run_conversation

        @functools.wraps(converse)
        def conversed(agent: Any, user_message: Any, *args: Any, **kwargs: Any) -> Any:
            if self._in_turn:
                return converse(agent, user_message, *args, **kwargs)
            self._in_turn += 1
            self._channel.send({"toolsets": _list_texts(getattr(agent, "enabled_toolsets", None))})
            complete = self._recording.begin("turn", "chat", arguments={"text": _read_text(user_message)})
            reply = None
            try:
                result = converse(agent, user_message, *args, **kwargs)
                reply = result.get("final_response") if isinstance(result, dict) else None
                return result
            finally:
                self._in_turn -= 1
                complete(returned=reply)

        run_agent.AIAgent.run_conversation = conversed


class _AfterImport(importlib.abc.MetaPathFinder):
    """Attaches to modules right after they have run."""

    def __init__(self, parts: Mapping[str, Callable[[Any], None]]) -> None:
        self._parts = dict(parts)

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name not in self._parts:
            return None
        for finder in sys.meta_path:
            if finder is not self and (spec := finder.find_spec(name, path, target)) is not None:
                if spec.loader is not None:
                    self._watch(spec.loader, self._parts.pop(name))
                return spec
        return None

    def _watch(self, loader: Any, attach_part: Callable[[Any], None]) -> None:
        execute = loader.exec_module

        def executed(module: ModuleType) -> None:
            execute(module)
            # What a release lacks is not recorded.
            with contextlib.suppress(Exception):
                attach_part(module)

        loader.exec_module = executed


def _attach_loop_tool(builtins: BuiltinCalls, function: str, tool: str, module: Any) -> None:
    callbacks.attach_loop_tool(builtins, module, function, tool)


def _note_nothing(name: str, arguments: Mapping[str, Any]) -> None:
    """Events have the registrations."""


def _is_of_user(context: Any) -> bool:
    return str(context.manifest.source) != "bundled"


def _ignore(where: str, error: BaseException) -> None:
    """The host treats its exceptions as ever; events have them."""


def _read_release() -> str:
    return str(importlib.import_module("hermes_cli").__version__)


def _read_text(message: Any) -> str:
    if isinstance(message, list):
        return "\n".join(str(part.get("text", "")) for part in message if isinstance(part, dict))
    return str(message)


def _list_texts(value: Any) -> list[str] | None:
    return [str(one) for one in value] if isinstance(value, list | tuple | set) else None
