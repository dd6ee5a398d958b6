"""Recorder of a host: attach to its modules on their import, and send events to the recording command."""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.metadata
import json
import logging
import os
import socket
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

from ...in_worker.after_import import AfterImport
from ...in_worker.builtin_calls import BuiltinCalls
from ...in_worker.recording import LOGGERS, Recording
from ..worker import callbacks
from . import http_client
from .gateway import GatewayRecorder


class Channel:
    """Connection to the recording command; child processes do not use it."""

    def __init__(self, descriptor: int) -> None:
        self._socket: socket.socket | None = socket.socket(fileno=descriptor)
        self._socket.set_inheritable(False)
        self._lock = threading.Lock()
        os.register_at_fork(after_in_child=self._close)

    def _close(self) -> None:
        self._lock = threading.Lock()
        self._socket = None

    def send(self, message: dict[str, Any]) -> None:
        """Send a message; errors are ignored, so that the host continues without the recording."""
        with self._lock, contextlib.suppress(OSError, ValueError):
            if self._socket is not None:
                self._socket.sendall(json.dumps(message).encode() + b"\n")

    def event(self, number: int, event: dict[str, Any]) -> None:
        """Send an event."""
        self.send({"number": number, "event": event})


_DATA = "plugin-data"
_LONGEST_DATA, _MOST_DATA = 100_000, 1_000_000
"""Maximum number of characters of a plugin's data file, and of all together, in a recording."""
_THREADS_OF_GATEWAYS = ("asyncio_", "hermes-gateway_")
_ENTRY_POINTS = "hermes_agent.plugins"
_LOADER = "hermes_cli.plugins_loader"


def attach(descriptor: int, *, http: bool) -> None:
    """Record this process from now on, optionally with HTTP requests of plugins, and send the events to a socket."""
    recorder = Recorder(Channel(descriptor), http=http)
    sys.meta_path.insert(0, AfterImport(recorder.parts))


class Recorder:
    """Recorder of a host. `parts` maps its modules to the functions that attach to them."""

    def __init__(self, channel: Channel, *, http: bool) -> None:
        self._channel = channel
        self._recording = Recording(keep=True, listener=channel.event)
        is_of_plugin = _record_http(self._recording, channel) if http else bool
        self._turns: list[int] = []
        self._waiting: list[http_client.Request] = []
        self._toolsets: dict[str, list[str] | None] = {}
        self._platforms: set[str] = set()
        self._typed: list[str] = []
        self._config: str | None = None
        self._data: dict[str, str | None] = {}
        self._failed_loads: set[str] = set()
        gateway = GatewayRecorder(self._recording, self._platforms)
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
            "cli": self._attach_terminal,
            "gateway.run": gateway.attach_runner,
            "gateway.hooks": gateway.attach_hooks,
            "httpx": lambda httpx: http_client.attach(self._recording, httpx, is_of_plugin, self._waiting),
        }

    def _see_record(self, record: logging.LogRecord) -> bool:
        """Record log messages about plugins, as a filter: a handler would disable `logging.lastResort`."""
        with contextlib.suppress(Exception):
            if isinstance(record.args, tuple) and _is_of_loader(sys.exc_info()[1]):
                self._failed_loads.add(str(record.args[0]))
            self._recording.log(record, record.getMessage())
        return True

    def _attach_plugins(self, plugins: Any) -> None:
        callbacks.attach(self._recording, plugins.PluginContext, _ignore, self._note, _is_of_user)
        discover, find = plugins.PluginManager.discover_and_load, plugins.get_plugin_command_handler

        @functools.wraps(discover)
        def discover_recorded(manager: Any, *args: Any, **kwargs: Any) -> Any:
            try:
                return discover(manager, *args, **kwargs)
            finally:
                with contextlib.suppress(Exception):
                    self._channel.send({"host": self._describe(manager)})

        @functools.wraps(find)
        def find_recorded(name: str) -> Any:
            handler = find(name)
            return handler and functools.partial(self._run_command, name, handler)

        plugins.PluginManager.discover_and_load = discover_recorded
        plugins.get_plugin_command_handler = find_recorded

    def _note(self, name: str, arguments: Mapping[str, Any]) -> None:
        if name == "register_platform":
            self._platforms.add(str(arguments.get("name")))

    def _run_command(self, name: str, handler: Callable[..., Any], raw_args: str = "") -> Any:
        def run(_: str) -> Any:
            return handler(raw_args)

        return self._recording.call("turn", "command", run, (f"/{name} {raw_args}".strip(),), {})

    def _describe(self, manager: Any) -> dict[str, Any]:
        """Return the facts about the host that a replay needs."""
        home = importlib.import_module("hermes_constants").get_hermes_home()
        all_plugins = {str(key): loaded for key, loaded in manager._plugins.items()}
        plugins = [
            {
                **{"key": key, "name": str(loaded.manifest.name), "source": str(loaded.manifest.source)},
                **{"path": str(loaded.manifest.path), "enabled": bool(loaded.enabled)},
                "project": _find_project(loaded.manifest),
                "spoilt": not loaded.enabled and str(loaded.manifest.name) in self._failed_loads,
            }
            for key, loaded in all_plugins.items()
            if loaded.manifest.source != "bundled"
        ]
        if self._config is None:
            file = Path(home) / "config.yaml"
            self._config = file.read_text(encoding="utf-8") if file.is_file() else ""
            self._data = _read_data(Path(home))
        return {
            "release": str(importlib.import_module("hermes_cli").__version__),
            "home": str(home),
            "cwd": str(Path.cwd()),
            "plugins": plugins,
            "bundled": [
                name
                for key, loaded in all_plugins.items()
                if loaded.manifest.source == "bundled"
                for name in (key, str(loaded.manifest.name))
            ],
            # The files as they were at the start of the session, because the host and its plugins change them.
            "config": self._config,
            "data": self._data,
        }

    def _attach_agent(self, run_agent: Any) -> None:
        converse = run_agent.AIAgent.run_conversation

        @functools.wraps(converse)
        def wrapper(agent: Any, user_message: Any, *args: Any, **kwargs: Any) -> Any:
            if self._is_nested():
                return converse(agent, user_message, *args, **kwargs)
            self._turns.append(threading.get_ident())
            platform = str(getattr(agent, "platform", None) or "cli")
            self._toolsets[platform] = _list_texts(getattr(agent, "enabled_toolsets", None))
            self._channel.send({"toolsets": self._toolsets, "model": _describe_model(agent)})
            complete = self._recording.begin("turn", "chat", arguments={"text": _read_text(user_message)})
            reply = None
            try:
                result = converse(agent, user_message, *args, **kwargs)
                reply = result.get("final_response") if isinstance(result, dict) else None
                return result
            finally:
                self._turns.remove(threading.get_ident())
                for request in [] if self._turns else [*self._waiting]:
                    request.give_up()
                complete(returned=reply)

        run_agent.AIAgent.run_conversation = wrapper

    def _is_nested(self) -> bool:
        """Return whether a turn starts within another turn; the turns of a gateway's chats are concurrent."""
        ident, name = threading.get_ident(), threading.current_thread().name
        return ident in self._turns or (bool(self._turns) and not name.startswith(_THREADS_OF_GATEWAYS))

    def _attach_terminal(self, cli: Any) -> None:
        """Record the start of each new session as ``/new``, independent of the user's command."""
        renew, process = cli.HermesCLI.new_session, cli.HermesCLI.process_command

        @functools.wraps(renew)
        def renew_recorded(shell: Any, *args: Any, **kwargs: Any) -> Any:
            complete = self._recording.begin("turn", "command", arguments={"text": "/new"})
            try:
                return renew(shell, *args, **kwargs)
            finally:
                complete()

        @functools.wraps(process)
        def process_recorded(shell: Any, command: str, *args: Any, **kwargs: Any) -> Any:
            with contextlib.suppress(Exception):
                self._send_command(str(command))
            return process(shell, command, *args, **kwargs)

        cli.HermesCLI.new_session, cli.HermesCLI.process_command = renew_recorded, process_recorded

    def _send_command(self, line: str) -> None:
        """Report a typed line that is one of the host's own commands."""
        command = importlib.import_module("hermes_cli.commands").resolve_command(line.split(maxsplit=1)[0].lstrip("/"))
        if command is not None:
            self._typed.append(str(command.name))
            self._channel.send({"typed": self._typed})


def _attach_loop_tool(builtins: BuiltinCalls, function: str, tool: str, module: Any) -> None:
    callbacks.attach_loop_tool(builtins, module, function, tool)


def _record_http(recording: Recording, channel: Channel) -> Callable[[], bool]:
    """Record the HTTP requests of plugins, and return a function that tells whether a plugin makes a request."""
    from ...in_worker.http_clients import HttpClients
    from ...in_worker.http_requests import HttpRequests

    requests = HttpRequests(recording, on_problem=lambda text: channel.send({"problem": text}))
    HttpClients(requests).install()
    return requests.covers_caller


def _is_of_loader(error: BaseException | None) -> bool:
    """Return whether a plugin failed to load because of a race in the host.

    Since 0.22.2, a thread loads plugins and iterates over ``sys.modules`` while other threads import modules.
    """
    place = error.__traceback__ if isinstance(error, RuntimeError) else None
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    return place is not None and place.tb_frame.f_globals.get("__name__") == _LOADER


def _find_project(manifest: Any) -> str:
    """Return the directory of the project from which a plugin was installed, or an empty string."""
    if manifest.source != "entrypoint":
        return ""
    for entry in importlib.metadata.entry_points(group=_ENTRY_POINTS, name=str(manifest.name)):
        with contextlib.suppress(Exception):
            origin = json.loads(str(entry.dist and entry.dist.read_text("direct_url.json")))
            if entry.value == manifest.path and "dir_info" in origin:
                return url2pathname(urlsplit(origin["url"]).path)
    return ""


def _is_of_user(context: Any) -> bool:
    return str(context.manifest.source) != "bundled"


def _ignore(where: str, error: BaseException) -> None:
    """Do nothing, because events contain the exceptions."""


def _read_data(home: Path) -> dict[str, str | None]:
    """Return the data files of plugins, by path in the home; None for files that are too large or binary."""
    data: dict[str, str | None] = {}
    remaining = _MOST_DATA
    for file in sorted(one for one in (home / _DATA).rglob("*") if one.is_file() and not one.is_symlink()):
        text = None
        with contextlib.suppress(OSError, UnicodeDecodeError):
            if file.stat().st_size <= min(remaining, _LONGEST_DATA):
                text = file.read_text(encoding="utf-8")
                remaining -= len(text)
        data[file.relative_to(home).as_posix()] = None if text is None or "\0" in text else text
    return data


def _describe_model(agent: Any) -> dict[str, Any]:
    """Return the facts about the host's model that a replay needs."""
    length = getattr(getattr(agent, "context_compressor", None), "context_length", None)
    return {"name": str(agent.model), "context_length": length if type(length) is int else None}


def _read_text(message: Any) -> str:
    if isinstance(message, list):
        return "\n".join(str(part.get("text", "")) for part in message if isinstance(part, dict))
    return str(message)


def _list_texts(value: Any) -> list[str] | None:
    return [str(one) for one in value] if isinstance(value, list | tuple | set) else None
