"""Requests to the host in this process. Each public method handles one request."""

from __future__ import annotations

import contextlib
import importlib
import importlib.metadata
import inspect
import io
import json
import os
import signal
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from ...in_worker.answers import Answers, Unanswerable
from ...in_worker.builtin_calls import BuiltinCalls
from ...in_worker.http_clients import HttpClients
from ...in_worker.http_requests import HttpRequests
from ...in_worker.network_guard import LoopbackOnly
from ...in_worker.recording import Recording
from ...in_worker.registration_calls import Inspector
from . import callbacks, memory_setup, retry_delays
from .conversation import Conversation, be_stateless, new_session
from .gateway import Gateway
from .log_recorder import LogRecorder
from .observer import Code, Observer
from .preload import forget_host, know_files_with_tools
from .report import report
from .surfaces import ServedSession, run_cron_job

_IDS = {"task_id": "task", "session_id": "session", "tool_call_id": "call"}


class UsageProblem(Exception):
    """Raised if a request is not valid."""


class Session:
    """The host of this process: its plugin manager, and observations of its plugins.

    Plugins are discovered before `model_tools` is imported, as in ``hermes chat``, so a plugin's tool wins over a
    built-in one of the same name (C5). Importing `model_tools` takes half a second, so it is imported on demand.
    `announce` is called with the code that is about to run, such as ``plugin 'notes'``.
    """

    def __init__(
        self,
        home: Path,
        cwd: Path,
        announce: Callable[[str], None],
        layers: Sequence[str],
        guard: LoopbackOnly,
        *,
        record: bool,
    ) -> None:
        self.recording = Recording(keep=record)
        self._home = home
        self._cwd = cwd
        self._layers = layers
        self._guard = guard
        self._http: HttpClients | None = None
        self._recorder = LogRecorder(str(home), self.recording)
        self._observer = Observer(announce)
        self._inspector = Inspector()
        self._memory_providers: dict[str, str | None] = {}
        self._conversation: Conversation | None = None
        self._served: ServedSession | None = None
        self._builtins: BuiltinCalls | None = None

    def isolation(self) -> list[str]:
        """Return the isolation layers of this process."""
        return list(self._layers)

    def start(self, accept_hooks: bool, stateless: bool) -> None:
        """Discover the plugins for the first time, and register the shell hooks afterwards."""
        self._stateless = stateless
        self._recorder.install()
        reload = self._may_have_model_providers() or "HERMES_PLUGINS_DEBUG" in os.environ
        if reload:
            forget_host()
            self._observer.attach_providers()
        self._load_env()
        if reload:
            # Import this module first, as Hermes' programs do; imported later, it finds no providers of entry points.
            importlib.import_module("hermes_cli.config")
        self._plugins = importlib.import_module("hermes_cli.plugins")
        if reload:
            know_files_with_tools()
        self._manager = self._plugins.get_plugin_manager()
        self._observer.attach(self._manager)
        swallow, note = self._recorder.swallow, self._inspector.note
        callbacks.attach(self.recording, self._plugins.PluginContext, swallow, note)
        self._recorder.watch_checks()
        self._recorder.watch_hooks(self._manager)
        self._discover(force=False)
        # As in all callers in the host, a failure here leaves the host without shell hooks.
        with contextlib.suppress(Exception):
            config = importlib.import_module("hermes_cli.config").load_config()
            register = importlib.import_module("agent.shell_hooks").register_from_config
            with callbacks.record_shell_hooks(self.recording, self._manager._hooks):
                register(config, accept_hooks=accept_hooks)

    def _may_have_model_providers(self) -> bool:
        named = importlib.metadata.entry_points(group="hermes_agent.plugins")
        return bool(named) or (self._home / "plugins" / "model-providers").is_dir()

    def _load_env(self) -> None:
        if (self._home / ".env").exists():
            importlib.import_module("hermes_cli.env_loader").load_hermes_dotenv(hermes_home=self._home)

    def observe_builtins(self, results: list[dict[str, Any]] | None) -> None:
        """Record the calls of built-in tools, and replay results if there are any."""
        self._builtins = BuiltinCalls(self.recording, results, {"terminal": callbacks.serve_command})

    def _attach_builtins(self) -> None:
        """Attach to the built-in tools, if the host has imported them."""
        if self._builtins:
            callbacks.attach_builtins(self._builtins)

    def builtin_problems(self) -> list[str]:
        """Return the differences between calls of built-in tools and results."""
        return self._builtins.problems() if self._builtins else []

    def observe_http(self, answers: list[dict[str, Any]] | None) -> None:
        """Record the HTTP requests of plugins, and answer them; without answers, allow access to the network."""
        if answers is None:
            self._guard.remove()
        if self._http:
            self._http.remove()
        self.recording.keep()
        self._http = HttpClients(HttpRequests(self.recording, answers))
        self._http.install()

    def http_problems(self) -> list[str]:
        """Return the differences between HTTP requests of plugins and answers."""
        return self._http.requests.problems() if self._http else []

    def rescan(self) -> None:
        """Discover plugins again, as a forced rescan of the host does."""
        self._discover(force=True)

    def _discover(self, *, force: bool) -> None:
        self._recorder.warnings = []
        self._observer.loaded.clear()
        self._memory_providers.clear()
        try:
            self._plugins.discover_plugins(force=force)
        except Exception as error:
            # All callers in the host continue after an error of discovery.
            self._recorder.swallow("discovery", error)
        self._warnings = list(self._recorder.warnings)

    def state(self) -> dict[str, list[str]]:
        """Return the names of everything that plugins registered."""
        manager = self._manager
        found = {
            "plugins": manager._plugins,
            "tools": self._tools(),
            "hooks": [name for name, callbacks in manager._hooks.items() if callbacks],
            "commands": manager._plugin_commands,
            "cli_commands": manager._cli_commands,
            "skills": manager._plugin_skills,
            "toolsets": {entry.toolset for entry in self._tools().values()},
        }
        return {kind: sorted(map(str, names)) for kind, names in found.items()}

    def log(self) -> list[dict[str, str]]:
        """Return the log records."""
        return self._recorder.records

    def events_since(self, t: int) -> list[dict[str, Any]]:
        """Return the recorded events since a time."""
        return self.recording.events_since(t)

    def swallowed_errors(self) -> list[dict[str, str]]:
        """Return the swallowed exceptions."""
        return self._recorder.swallowed

    def call_tool(self, name: str, args: dict[str, Any]) -> Any:
        """Call a tool as an agent does, with constant ids."""
        call = importlib.import_module("model_tools").handle_function_call
        return call(name, args, **_keep_known(call, _IDS))

    def definitions(self) -> list[Any]:
        """Return the definitions of plugin tools, without deferral by the host's tool search."""
        tools = self._tools()
        if not tools:
            return []
        define = importlib.import_module("model_tools").get_tool_definitions
        options = _keep_known(define, {"quiet_mode": True, "skip_tool_search_assembly": True})
        found = define(enabled_toolsets=sorted({entry.toolset for entry in tools.values()}), **options)
        return [definition for definition in found if definition["function"]["name"] in tools]

    def fire(self, hook: str, given: dict[str, Any]) -> list[Any]:
        """Fire a hook."""
        return list(self._plugins.invoke_hook(hook, **given))

    def serve(self) -> None:
        """Prepare the host for a scripted model, which does not need delays between requests."""
        retry_delays.skip_client_delays()

    def chat(self, text: str) -> dict[str, Any]:
        """Take a turn, in a new session if none is open."""
        with self.recording.section() as section:
            if self._conversation is None:
                self._conversation = self._open_conversation()
            turn = self._conversation.chat(text)
        return {**turn, "events": section.events}

    def _open_conversation(self) -> Conversation:
        if self._stateless:
            be_stateless()
        callbacks.attach_engines(self.recording, self._recorder.swallow)
        callbacks.attach_memory(self.recording, self._recorder.swallow)
        opened = Conversation({entry.toolset for entry in self._tools().values()})
        self._attach_builtins()
        # Requests are blocked while a turn runs, so a signal interrupts the turn.
        signal.signal(signal.SIGUSR2, opened.interrupt)
        return opened

    def run_cron_job(self, text: str) -> str | None:
        """Run a cron job with this prompt."""
        return run_cron_job(text)

    def chat_served(self, text: str) -> str | None:
        """Take a turn on the backend of ``hermes serve``, in a new session if none is open."""
        if self._served is None:
            self._served = ServedSession()
        return self._served.chat(text)

    def end_served(self) -> None:
        """Close the session on the backend of ``hermes serve``, if one is open."""
        served, self._served = self._served, None
        if served is not None:
            served.end()

    def start_gateway(self) -> None:
        """Start the gateway."""
        callbacks.attach_engines(self.recording, self._recorder.swallow)
        callbacks.attach_memory(self.recording, self._recorder.swallow)
        callbacks.report_command_errors(self._recorder.swallow, self._manager._plugin_commands)
        self._gateway = Gateway(self.recording, self._recorder.swallow)
        self._gateway.start()
        self._attach_builtins()

    def gateway(self, method: str, **arguments: Any) -> Any:
        """Call a method of the gateway."""
        return getattr(self._gateway, method)(**arguments)

    def finish(self, reason: dict[str, str]) -> list[dict[str, Any]]:
        """End the session, if one is open, and return the recorded events."""
        conversation, self._conversation = self._conversation, None
        with self.recording.section() as section:
            if conversation is not None:
                conversation.end(reason)
        return section.events

    def command(self, line: str) -> str | None:
        """Run ``/new`` or a plugin's slash command, and return the output of a CLI session without the last newline.

        The dispatcher of CLI sessions is in a module whose import takes a second and needs a terminal library.
        Therefore, this method calls the same functions of the host itself; a test compares the two.
        """
        if line.split() == ["/new"]:
            with _capture_output() as printed:
                new_session(self._conversation)
            return printed.getvalue().removesuffix("\n") or None
        word = line.split(maxsplit=1)[0] if line.strip() else ""
        handler = self._plugins.get_plugin_command_handler(word.lower().lstrip("/")) if word.startswith("/") else None
        if handler is None:
            return None
        with _capture_output() as printed:
            try:
                result = self._plugins.resolve_plugin_command_result(handler(line.strip()[len(word) :].strip()))
                if result:
                    print(str(result))
            except Exception as error:
                self._recorder.swallow(f"command /{word.lower().lstrip('/')}", error)
                print(f"Plugin command error: {error}")
        return printed.getvalue().removesuffix("\n") or None

    def set_up_memory(self, provider: str, values: dict[str, str]) -> list[Any]:
        """Run ``hermes memory setup``, load the new ``.env``, and return exit code, output and errors."""
        try:
            done = memory_setup.set_up(Answers(provider, values))
        except Unanswerable as problem:
            raise UsageProblem(f"memory.setup: {problem}.") from None
        self._load_env()
        return done

    def list_memory_fields(self, provider: str) -> list[dict[str, Any]]:
        """Return the fields of a provider that ``hermes memory setup`` asks for."""
        try:
            return memory_setup.list_fields(provider)
        except Unanswerable as problem:
            raise UsageProblem(f"memory.fields: {problem}.") from None

    def skill(self, name: str) -> Any:
        """Return the result of the tool ``skill_view``."""
        return json.loads(importlib.import_module("tools.skills_tool").skill_view(name))

    def report(self, key: str | None) -> dict[str, Any]:
        """Return the report about a plugin; if `key` is None, about the only plugin."""
        # In an invalid manifest, a key may not be text (A24).
        known = {str(name): plugin for name, plugin in self._manager._plugins.items()}
        if key is None:
            if len(known) != 1:
                raise UsageProblem(f"the host recorded more than one plugin: {_join_keys(known)}. Pass the key of one.")
            key = next(iter(known))
        loaded = known.get(key) or _find_installed_provider(key)
        if loaded is None:
            raise UsageProblem(f"the host has no plugin {key!r}; it has: {_join_keys(known)}.")
        memory_provider = self._memory_provider(key, loaded.manifest, is_installed=key not in known)
        observed = self._observer.find(key)
        found = report(key, loaded, self._manager, observed, memory_provider)
        found["plugin"]["path"] = self._relative(found["plugin"]["path"])
        found["error"] = found["error"] and self._recorder.portable(found["error"])
        found["warnings"] = self._warnings
        return found

    def registrations(self) -> list[dict[str, Any]]:
        """Return the ``ctx.register_*`` calls of all plugins."""
        return self._inspector.registrations(self._home)

    def _tools(self) -> dict[str, Any]:
        return self._observer.find_kept_tools(self._manager._plugin_tool_names)

    def _memory_provider(self, key: str, manifest: Any, *, is_installed: bool) -> str | None:
        """Return the provider that the host's memory loader creates from an ``exclusive`` plugin; it is loaded once."""
        if not is_installed and (manifest.kind != "exclusive" or manifest.source != "user"):
            return None
        if key not in self._memory_providers:
            loader = importlib.import_module("plugins.memory")
            with self._observer.observe(key, Code.of(manifest)) as self._observer.loaded[key]:
                provider = loader.load_memory_provider(key if is_installed else Path(manifest.path).name)
            name = getattr(provider, "name", None)
            self._memory_providers[key] = None if name is None else str(name)
        return self._memory_providers[key]

    def _relative(self, path: str) -> str:
        for base in (self._home, self._cwd):
            with contextlib.suppress(ValueError):
                return Path(path).relative_to(base).as_posix()
        return path


@contextlib.contextmanager
def _capture_output() -> Generator[io.StringIO]:
    """Capture the output of Python code."""
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        yield text


def _keep_known(function: Callable[..., Any], options: dict[str, Any]) -> dict[str, Any]:
    """Return those options that a function accepts in this release."""
    known = inspect.signature(function).parameters
    return {name: value for name, value in options.items() if name in known}


def _join_keys(keys: Any) -> str:
    return ", ".join(sorted(map(str, keys))) or "none"


def _find_installed_provider(name: str) -> Any:
    """Return a plugin record for a memory provider that is only an entry point; None if there is no such provider."""
    group = getattr(importlib.import_module("plugins.memory"), "ENTRY_POINTS_GROUP", "")
    found = importlib.metadata.entry_points(group=group, name=name)
    if not found:
        return None
    one = next(iter(found))
    version = one.dist.version if one.dist else ""
    manifest = SimpleNamespace(
        name=name, key=name, kind="exclusive", source="entrypoint", version=version, path=one.value
    )
    registered = ("tools_registered", "hooks_registered", "commands_registered")
    return SimpleNamespace(manifest=manifest, error=None, **dict.fromkeys(registered, ()))
