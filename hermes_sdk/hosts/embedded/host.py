"""`EmbeddedHost`: a host in the current process, for the plugins of one home."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Any, ClassVar

from hermes_sdk import contract
from hermes_sdk.home import Home
from hermes_sdk.hosts.embedded import shell_hooks
from hermes_sdk.hosts.embedded.loading.context import Observer
from hermes_sdk.hosts.embedded.loading.discovery import find_installed, make_entry_points
from hermes_sdk.hosts.embedded.loading.host_distribution import HostDistribution
from hermes_sdk.hosts.embedded.loading.loader import NAMESPACE
from hermes_sdk.hosts.embedded.loading.manager import PluginManager
from hermes_sdk.hosts.embedded.loading.standin_loader import set_aside
from hermes_sdk.hosts.embedded.process.child_packages import ChildPackages
from hermes_sdk.hosts.embedded.process.plugin_code import OperationGuard
from hermes_sdk.hosts.embedded.providers import context_engines, memory
from hermes_sdk.hosts.embedded.registrations import Registrations
from hermes_sdk.hosts.embedded.state import HostState
from hermes_sdk.hosts.interface import Host, LogRecord, NotSupported
from hermes_sdk.manifest import EntryPoint

if TYPE_CHECKING:
    from hermes_sdk.hosts.embedded.agent.conversation import Conversation
    from hermes_sdk.hosts.embedded.agent.runtime import Runtime
    from hermes_sdk.hosts.embedded.approval.gate import ApprovalGate
    from hermes_sdk.hosts.embedded.builtins import ToolContext
    from hermes_sdk.hosts.embedded.dispatch import Dispatcher
    from hermes_sdk.hosts.embedded.tools.definitions import ToolEntry
    from hermes_sdk.hosts.in_worker.http_clients import HttpClients
    from hermes_sdk.hosts.interface import (
        CliResult,
        Gateway,
        HookCalls,
        RawTurn,
        Report,
        SurfaceName,
        Swallowed,
        ToolResult,
        Unsupported,
    )
    from hermes_sdk.llm import ScriptedModel


_NAMESPACES = frozenset({NAMESPACE, memory.NAMESPACE, context_engines.NAMESPACE})
"""Packages in which the host imports plugins; modules that exist already would be mistaken for a plugin's."""

_NOWHERE = "http://127.0.0.1:1/v1"
"""Address of the scripted model in the configuration; the model is called in this process instead."""


class EmbeddedHost(Host):
    """Model of Hermes in the current process; see `open_host` for most arguments.

    Only one host is active at a time: opening a second host undoes all changes of the first host to the process, and
    closing the second host restores them.

    Args:
        hidden: Installed top-level modules that plugins must not find.
        own_packages: Directories of plugins that are bundled with Hermes, by their dotted names in its tree.
        observe: Called with the name and the arguments of each call of ``ctx``, before it takes effect.

    Raises:
        UsageError: The release is not known.
        HostExited: A plugin called ``sys.exit`` while it was loaded.
    """

    kind = "embedded"
    _active: ClassVar[list[EmbeddedHost]] = []

    def __init__(
        self,
        home: Home,
        release: str = contract.DEFAULT,
        *,
        cwd: Path | None = None,
        pythonpath: Sequence[Path] = (),
        entry_points: Sequence[EntryPoint] = (),
        environment: Mapping[str, str] | None = None,
        accept_hooks: bool = False,
        stateless: bool = False,
        hidden: frozenset[str] = frozenset(),
        own_packages: Mapping[str, Path] = MappingProxyType({}),
        observe: Observer | None = None,
        record: bool = False,
    ) -> None:
        super().__init__(environment=environment, record=record)
        self.release = release
        self.home = home.path
        self._make_state = partial(
            HostState, contract.load(release), home, self.recording, cwd=cwd, pythonpath=pythonpath, stateless=stateless
        )
        found = [*make_entry_points(entry_points), *find_installed(pythonpath)]
        self._make_plugins = partial(
            PluginManager,
            entry_points=found,
            hidden=hidden,
            observe=observe,
            after_rescan=self._register_shell_hooks,
            own_packages=own_packages,
        )
        self._accept_hooks = accept_hooks
        self._http: HttpClients | None = None
        self._start()

    def _start(self) -> None:
        self._state = self._make_state()
        self._registrations = Registrations(self._state)
        self._plugins = self._make_plugins(self._state, self._registrations)
        self._child_packages = ChildPackages(self._state.contract)
        self._guard = OperationGuard(self.recording, self._state.plugin_files, self._state.refusals)
        self._enter()
        try:
            self._registrations.tools.add_builtins(self._load_builtins)
            with self._registrations.tools.starting():
                self._plugins.discover()
                self._register_shell_hooks(accept=self._accept_hooks)
        except BaseException:
            self.close()
            raise

    def _register_shell_hooks(self, *, accept: bool = False) -> None:
        shell_hooks.register(self._registrations.hooks, self._state, accept=accept)

    def _enter(self) -> None:
        state = self._state
        if self._active:
            outer = self._active[-1]
            outer._state.process.restore(outer._owns)
            outer._state.inactive = "inactive: another host was opened after it"
        self._active.append(self)
        # Packages on this machine must not affect a test; real hosts also start without these variables.
        for name in ("HERMES_MANAGED_DIR", "HERMES_BUNDLED_PLUGINS"):
            os.environ.pop(name, None)
        # Same as the real host in tests: lazy installs are off, and plugins can see that.
        ours = {"HERMES_DISABLE_LAZY_INSTALLS": "1"}
        os.environ.update({**ours, **self._environment, **state.home.env, "HERMES_HOME": str(self.home)})
        self._child_packages.install()
        os.chdir(state.cwd)
        sys.path.extend(str(directory) for directory in state.pythonpath)
        set_aside(_NAMESPACES)
        sys.meta_path.insert(0, HostDistribution(state))
        self._plugins.imports.install()
        state.process.watch()
        root = logging.getLogger()
        root.addHandler(state.log)
        root.setLevel(min(root.level, state.log.level))

    def close(self) -> None:
        """Stop the host and restore the process as described in `ProcessState`."""
        self._stop()
        if self._http:
            self._http.remove()
        # Free the model's requests, which take the most memory, without waiting for the garbage collector.
        self._llm = self._state.model = None

    def _stop(self) -> None:
        if self not in self._active:
            return
        while self._active[-1] is not self:
            self._active[-1].close()
        for end in (self._stop_gateway, self._end_session):
            with contextlib.suppress(Exception):
                end()
        self._active.pop()
        self._state.inactive = "closed"
        if self._active:
            self._active[-1]._state.inactive = ""
        self._registrations.tools.close()
        self._state.process.restore(self._owns)
        self._child_packages.remove()
        for name in ("_conversation", "_runtime", "_dispatcher", "_tools", "_approval"):
            vars(self).pop(name, None)

    def _owns(self, name: str, module: ModuleType) -> bool:
        if name.partition(".")[0] in _NAMESPACES or self._plugins.imports.is_host_module(name):
            return True
        # A namespace package has no file, only directories.
        file = getattr(module, "__file__", None) or next(iter(getattr(module, "__path__", ())), None)
        return isinstance(file, str) and file in self._state.plugin_files

    def rescan(self) -> None:
        """Discover plugins again; on earlier releases, their tools stay registered (A1)."""
        self._plugins.rescan()

    @property
    def _registered(self) -> Registrations:
        self._state.require_active()
        return self._registrations

    def _names(self, kind: str) -> list[str]:
        from hermes_sdk.hosts.embedded.report import sort_names

        stores = self._registered.stores
        if kind == "plugins":
            return sort_names(self._plugins.plugins)
        if kind == "tools":
            return sort_names(self._registrations.tools.plugin_tools)
        if kind == "toolsets":
            return sorted({self._registrations.tools.entries[name].toolset for name in self.tools})
        return sort_names(stores[kind].entries)

    @property
    def log(self) -> list[LogRecord]:
        """Log records since the host started, at INFO level and above."""
        return list(self._state.log.records)

    @property
    def swallowed(self) -> list[Swallowed]:
        """The exceptions of plugins that Hermes would swallow."""
        return list(self._state.swallowed)

    @property
    def unsupported(self) -> list[Unsupported]:
        """The uses of unsupported features so far; see `Host.unsupported`."""
        from hermes_sdk.hosts.interface import Unsupported

        in_children = [
            Unsupported(f"model {one} in child processes", "") for one in self._child_packages.list_failed_imports()
        ]
        return [*self._state.refusals.list_uses(), *dict.fromkeys(in_children)]

    def call_tool(self, name: str, args: Mapping[str, Any] | None = None, /, **arguments: Any) -> ToolResult:
        """Call a tool as the model would; see `Host.call_tool`."""
        self._state.require_active()
        from hermes_sdk.hosts.embedded.dispatch import ToolCall
        from hermes_sdk.hosts.interface import ToolResult

        call = ToolCall(name, {**(args or {}), **arguments}, task_id="task", session_id="session", tool_call_id="call")
        with self._guard(f"tool {name}"):
            self._state.require_originals("call of a tool")
            return ToolResult(self._dispatcher.call_tool(call))

    def observe_builtins(self, results: Sequence[Mapping[str, Any]] | None = None) -> None:
        """Record the calls of built-in tools, and optionally replay results; see `Host.observe_builtins`."""
        from hermes_sdk.hosts.in_worker.builtin_calls import BuiltinCalls

        self._state.builtin_calls = BuiltinCalls(self.recording, results, {"terminal": self._serve_command})

    def _serve_command(self, args: Any, recorded: Mapping[str, Any], ids: Mapping[str, Any]) -> Any:
        from hermes_sdk.hosts.embedded.builtins.terminal import serve_command

        return serve_command(args, recorded, self._tools.for_call(ids))

    def builtin_problems(self) -> list[str]:
        """Return the differences between calls of built-in tools and results; see `Host.builtin_problems`."""
        return self._state.builtin_calls.problems() if self._state.builtin_calls else []

    def observe_http(self, answers: Sequence[Mapping[str, Any]] | None = None) -> None:
        """Record the HTTP requests of plugins, and optionally answer them; see `Host.observe_http`."""
        from hermes_sdk.hosts.in_worker.http_clients import HttpClients
        from hermes_sdk.hosts.in_worker.http_requests import HttpRequests

        if self._http:
            self._http.remove()
        self.recording.keep()
        self._http = HttpClients(HttpRequests(self.recording, answers))
        self._http.install()

    def http_problems(self) -> list[str]:
        """Return the differences between HTTP requests of plugins and answers; see `Host.http_problems`."""
        return self._http.requests.problems() if self._http else []

    def _serve(self, model: ScriptedModel) -> None:
        from hermes_sdk.hosts.model_config import write_model

        self._state.model = model
        write_model(self.home, _NOWHERE)

    def _chat(self, text: str) -> RawTurn:
        self._state.require_active()
        with self._guard("the turn"):
            return self._conversation.chat(text)

    def _chat_on(self, surface: SurfaceName, text: str | None) -> str | None:
        raise NotSupported(f"take the turn {text!r} on {surface}", self.kind)

    def _make_gateway(self) -> Gateway:
        self._state.require_active()
        from hermes_sdk.hosts.embedded.gateway.gateway import EmbeddedGateway

        return EmbeddedGateway(self, lambda: self._runtime)

    def finish(self) -> HookCalls:
        """End the session; see `Host.finish`."""
        from hermes_sdk.hosts.interface import HookCalls

        return self._end_session() or HookCalls()

    def _end_session(self) -> HookCalls | None:
        if self not in self._active or "_conversation" not in vars(self):
            return None
        with self._guard("the end of the session"):
            return self._conversation.finish()

    @cached_property
    def _conversation(self) -> Conversation:
        # The agent loop is the largest import, and few tests need it.
        from hermes_sdk.hosts.embedded.agent.conversation import Conversation

        return Conversation(self._runtime)

    @cached_property
    def _approval(self) -> ApprovalGate:
        # Imported on demand like the agent loop, since loading a plugin calls no tools.
        from hermes_sdk.hosts.embedded.approval.gate import ApprovalGate

        return ApprovalGate(self._state, self._registrations.hooks, self._registrations.approval_transports)

    @cached_property
    def _dispatcher(self) -> Dispatcher:
        from hermes_sdk.hosts.embedded.dispatch import Dispatcher

        return Dispatcher(self._state, self._registrations, self._approval)

    @cached_property
    def _tools(self) -> ToolContext:
        from hermes_sdk.hosts.embedded.builtins import ToolContext

        return ToolContext(self._state, self._registrations, self._plugins, self._approval)

    def _load_builtins(self) -> tuple[Mapping[str, ToolEntry], ToolContext]:
        from hermes_sdk.hosts.embedded.builtins.registration import builtin_entries

        return builtin_entries(self._state.contract), self._tools

    @cached_property
    def _runtime(self) -> Runtime:
        from hermes_sdk.hosts.embedded.agent.runtime import Runtime

        make_context = self._plugins.make_provider_context
        return Runtime(self._state, self._registrations, self._dispatcher, self._tools, make_context)

    def definitions(self) -> list[dict[str, Any]]:
        """Return the definitions of the plugins' tools as a model receives them; see `Host.definitions`."""
        with self._guard("tool definitions"):
            return self._registrations.tools.definitions(self.tools)

    def _fire(self, hook: str, arguments: dict[str, Any]) -> list[Any]:
        with self._guard(f"hook {hook}"):
            self._state.require_discovery("hook")
            return self._registered.hooks.invoke(hook, **arguments)

    def _command(self, line: str) -> str | None:
        commands = self._registered.commands
        with self._guard(f"command {line}"):
            if line.split() == ["/new"]:
                self._conversation.renew()
                return self._state.wording("cli.session.new_session")
            return commands.run(line)

    def cli(self, *argv: str) -> CliResult:
        """Run ``hermes *argv``; see `Host.cli`."""
        if argv[:1] == ("pairing",):
            from hermes_sdk.hosts.embedded.gateway import pairing

            return pairing.run_command(self.home, argv[1:])
        commands = self._registered.cli_commands
        with self._guard(" ".join(("hermes", *argv))), memory.fresh_process():
            return commands.run(argv, lambda: memory.find_cli_command(self._state))

    def _list_memory_fields(self, provider: str) -> list[dict[str, Any]]:
        from hermes_sdk.hosts.embedded.providers import memory_setup

        self._state.require_active()
        with self._guard("hermes memory setup"), memory.fresh_process():
            return memory_setup.list_fields(provider, self._state, self._plugins.make_provider_context)

    def _set_up_memory(self, provider: str, values: dict[str, str]) -> CliResult:
        from hermes_sdk.hosts.embedded.providers import memory_setup
        from hermes_sdk.hosts.in_worker.answers import Answers

        self._state.require_active()
        with self._guard("hermes memory setup"), memory.fresh_process():
            done = memory_setup.set_up(self._state, self._plugins.make_provider_context, Answers(provider, values))
        os.environ.update(self._state.home.env)
        return done

    def skill(self, name: str) -> Any:
        """Answer ``skill_view(name)``; see `Host.skill`."""
        return self._registered.skills.view(name)

    def report(self, key: str | None = None) -> Report:
        """Return the report of one plugin; see `Host.report`."""
        from hermes_sdk.hosts.embedded.report import choose, describe

        self._state.require_active()
        return describe(choose(self._plugins, key), self._plugins)
