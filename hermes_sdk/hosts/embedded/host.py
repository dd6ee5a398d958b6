"""`EmbeddedHost`: a host in this very process, for plugins of one home."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar

from hermes_sdk import contract
from hermes_sdk.errors import HermesSdkError
from hermes_sdk.home import Home
from hermes_sdk.hosts.embedded import shell_hooks
from hermes_sdk.hosts.embedded.builtins import Turnside
from hermes_sdk.hosts.embedded.config import HostConfig
from hermes_sdk.hosts.embedded.inspection.report import chosen, describe, names
from hermes_sdk.hosts.embedded.loading.context import Observer
from hermes_sdk.hosts.embedded.loading.discovery import installed
from hermes_sdk.hosts.embedded.loading.gate import Gate, grandfathered
from hermes_sdk.hosts.embedded.loading.import_guard import ImportGuard
from hermes_sdk.hosts.embedded.loading.loader import NAMESPACE, BrokenDiscovery
from hermes_sdk.hosts.embedded.loading.manager import Sweep
from hermes_sdk.hosts.embedded.process.plugin_code import LogCapture, Running, swallowed
from hermes_sdk.hosts.embedded.process.state import ProcessState
from hermes_sdk.hosts.embedded.providers import memory, memory_setup
from hermes_sdk.hosts.embedded.providers.backends import Registered
from hermes_sdk.hosts.embedded.standins.lent import Lent
from hermes_sdk.hosts.embedded.tools.approval import ApprovalGate
from hermes_sdk.hosts.embedded.tools.dispatch import Dispatcher, ToolCall
from hermes_sdk.hosts.embedded.tools.registry import ToolRegistry
from hermes_sdk.hosts.in_worker.answers import Answers
from hermes_sdk.hosts.interface.host import EntryPoint, Host, LogRecord, Swallowed
from hermes_sdk.hosts.interface.report import Report
from hermes_sdk.hosts.interface.results import CliResult, ToolResult
from hermes_sdk.hosts.interface.turn import HookCalls, RawTurn
from hermes_sdk.hosts.model_config import write_model

if TYPE_CHECKING:
    from hermes_sdk.hosts.embedded.agent.conversation import Conversation
    from hermes_sdk.hosts.embedded.agent.runtime import Runtime
    from hermes_sdk.hosts.interface.gateway import Gateway
    from hermes_sdk.llm import ScriptedModel


_NOWHERE = "http://127.0.0.1:1/v1"
"""The address of the scripted model for those who ask; it is not served on one, but asked in this process."""


class EmbeddedHost(Host):
    """The model of the host, running in this process.

    Only one is active at a time: while a second one is open, all that the first one changed in the process is set
    aside, and comes back when the second closes.

    Args:
        home: The HERMES_HOME; what it enables is what gets loaded.
        release: A release of Hermes Agent, or ``"documented"``.
        cwd: The working directory while the host is open; default: the home.
        pythonpath: Directories that plugins see as installed packages; entry points in them count.
        entry_points: Further entry points of the group ``hermes_agent.plugins``.
        environment: Variables to set while the host is open.
        stateless: Whether delegation runs within the turn, as where no later message can bring its result.
        accept_hooks: Whether every shell hook of the configuration may run, as with ``--accept-hooks``.
        hidden: Top-level modules that plugins must not find although they are installed here.
        observe: Called with the name and the arguments of each call of ``ctx``, before it takes effect.
        record: Whether to keep what callbacks see, for `events`.

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
        observe: Observer | None = None,
        record: bool = False,
    ) -> None:
        super().__init__(record=record)
        self.release = release
        self.home = home.path
        self._home = home
        self._contract = contract.load(release)
        self._config = HostConfig(home.config_path, self._contract.behaviour)
        self._swallowed: list[Swallowed] = []
        self._entry_points = [*entry_points, *installed(pythonpath)]
        self._state = ProcessState()
        self._closed = False
        self._observe = observe
        self._capture = LogCapture(self.recording)
        self._discovery_start = 0
        self._stateless = stateless
        self._registry = ToolRegistry(self._contract, self._on_swallowed, self.recording)
        self._approval = ApprovalGate(
            self._config.read, self._contract.behaviour, lambda rules: home.update_config({"command_allowlist": rules})
        )
        self._tool_state: dict[str, Any] = {}
        self._cwd = cwd or home.path
        roots = [f"{home.path}/plugins", f"{home.path}/hooks", f"{self._cwd}/.hermes/plugins", *map(str, pythonpath)]
        self._lending = self._lent(pythonpath)
        self._guard = ImportGuard(self._lending, roots, hidden)
        self._running = Running(self.recording, self._guard.is_plugin_file)
        self._enter(pythonpath, environment or {})
        try:
            if self._contract.behaviour.grandfathers_on_start:
                self._grandfather()
            self._sweep = self._new_sweep()
            self._discover()
            shell_hooks.register(self._sweep.hooks, self._contract, self._config.read(), home, accept=accept_hooks)
            self._registry.register_builtins()
        except BaseException:
            self.close()
            raise

    def _enter(self, pythonpath: Sequence[Path], environment: Mapping[str, str]) -> None:
        if self._active:
            outer = self._active[-1]
            outer._state.restore(outer._owns)
        self._active.append(self)
        # The administrator of this machine has no say in a test; a real host is started without it too.
        os.environ.pop("HERMES_MANAGED_DIR", None)
        os.environ.update({**environment, **self._home.env, "HERMES_HOME": str(self.home)})
        os.chdir(self._cwd)
        sys.path.extend(str(directory) for directory in pythonpath)
        self._guard.install()
        root = logging.getLogger()
        root.addHandler(self._capture)
        root.setLevel(min(root.level, self._capture.level))

    def _lent(self, pythonpath: Sequence[Path]) -> Lent:
        kept = (self._contract, self._home, self._config, self._registry)
        sweep, model = (lambda: self._sweep), (lambda: self._llm)
        return Lent(*kept, sweep=sweep, rescan=self.rescan, model=model, pythonpath=pythonpath)

    def close(self) -> None:
        """Stop the host, and give the process back as it was; `ProcessState` says what that includes."""
        if self._closed:
            return
        while self._active[-1] is not self:
            self._active[-1].close()
        for end in (self._stop_gateway, self.finish):
            with contextlib.suppress(Exception):
                end()
        self._closed = True
        self._active.pop()
        self._registry.close()
        self._state.restore(self._owns)
        # What the model was asked is most of what turns leave behind; it must not wait for the collector of cycles.
        self._llm = None

    def _owns(self, name: str, module: ModuleType) -> bool:
        if name.partition(".")[0] in {NAMESPACE, memory.NAMESPACE} or self._guard.is_host_module(name):
            return True
        file = getattr(module, "__file__", None)
        return isinstance(file, str) and self._guard.is_plugin_file(file)

    def _on_swallowed(self, where: str, error: BaseException) -> None:
        self._swallowed.append(swallowed(where, error, self._guard.is_plugin_file))

    @property
    def _alive(self) -> Sweep:
        self._refuse_inactive()
        return self._sweep

    def _refuse_inactive(self) -> None:
        if self._closed or self._active[-1] is not self:
            state = "closed" if self._closed else "set aside by a host that was opened later"
            raise HermesSdkError(f"This host is {state}.", fix="Close the other host, or open a new one.")

    def rescan(self) -> None:
        """Discover again from scratch; tools that were registered before stay (A1)."""
        self._refuse_inactive()
        self._discovery_start = len(self._capture.records)
        if self._contract.behaviour.registers_once:
            self._sweep.gate = self._gate()
        else:
            self._sweep = self._new_sweep()
        self._discover()

    def _grandfather(self) -> None:
        """Put the plugins of a home that is older than opt-in on its list, as documents promise of upgrades (Δ12)."""
        config = self._config.read()
        aged = config if "_config_version" in config else None
        names = grandfathered(aged, self.home / "plugins", self._contract.behaviour)
        if names is not None:
            self._home.update_config({"plugins": {"enabled": names}})

    def _gate(self) -> Gate:
        return Gate(self._config.read(), self._contract.behaviour)

    def _new_sweep(self) -> Sweep:
        return Sweep(
            self._contract,
            self._gate(),
            self._registry,
            self._guard,
            self._on_swallowed,
            self._observe,
            self.recording,
        )

    def _discover(self) -> None:
        try:
            self._sweep.run(self.home, self._cwd, self._entry_points)
        except BrokenDiscovery as error:
            self._on_swallowed("discovery", error.__cause__ or error)
        finally:
            self._state.note()
        self._registry.turnside = Turnside(
            self.home,
            self._cwd,
            self._contract.behaviour,
            self._config.read,
            self._sweep.hooks,
            self._sweep.skills,
            self._approval,
            Registered(lambda: self._sweep.backends, self.rescan, self._on_swallowed),
            host_state=self._tool_state,
        )
        self._dispatcher = Dispatcher(
            self._contract,
            self._registry,
            self._sweep.hooks,
            self._sweep.middleware,
            self._approval,
            self._on_swallowed,
        )
        self._discovery_log = self._capture.records[self._discovery_start :]

    @property
    def plugins(self) -> list[str]:
        """The keys of every plugin that discovery recorded, loaded or not."""
        return names(self._alive.plugins)

    @property
    def tools(self) -> list[str]:
        """The tools that plugins registered and that the registry kept."""
        return names(name for name in self._alive.tool_names if self._registry.is_of_plugin(name))

    @property
    def hooks(self) -> list[str]:
        """The hooks that have a callback."""
        return names(self._alive.hooks.callbacks)

    @property
    def commands(self) -> list[str]:
        """The slash commands of plugins, without the slash."""
        return names(self._alive.commands.by_name)

    @property
    def cli_commands(self) -> list[str]:
        """The CLI commands of plugins."""
        return names(self._alive.cli_commands.by_name)

    @property
    def skills(self) -> list[str]:
        """The skills of plugins as ``plugin:skill``."""
        return names(self._alive.skills.by_name)

    @property
    def log(self) -> list[LogRecord]:
        """Everything logged since the host started, at INFO and above."""
        return list(self._capture.records)

    @property
    def swallowed(self) -> list[Swallowed]:
        """The exceptions of plugins that the host caught and would hide from its user."""
        return list(self._swallowed)

    def call_tool(self, name: str, args: Mapping[str, Any] | None = None, /, **arguments: Any) -> ToolResult:
        """Call a tool the way a model's call goes; see `Host.call_tool`."""
        self._refuse_inactive()
        call = ToolCall(name, {**(args or {}), **arguments}, task_id="task", session_id="session", tool_call_id="call")
        with self._running(f"tool {name}"):
            return ToolResult(self._dispatcher.call_tool(call))

    def _serve(self, model: ScriptedModel) -> None:  # noqa: ARG002
        write_model(self.home, _NOWHERE)

    def _chat(self, text: str) -> RawTurn:
        self._refuse_inactive()
        with self._running("the turn"):
            return self._conversation.chat(text)

    def _toolsets(self) -> list[str]:
        return sorted({self._registry.entries[name].toolset for name in self.tools})

    def _start_gateway(self) -> Gateway:
        self._refuse_inactive()
        from hermes_sdk.hosts.embedded.gateway.gateway import EmbeddedGateway

        return EmbeddedGateway(self, self._lending, self._runtime, self._on_swallowed, self._approval)

    def finish(self) -> HookCalls:
        """End the session; see `Host.finish`."""
        if self._closed or "_conversation" not in vars(self):
            return HookCalls()
        with self._running("the end of the session"):
            return self._conversation.finish()

    @cached_property
    def _conversation(self) -> Conversation:
        # The agent loop is most of what a host could import, and few tests talk to it.
        from hermes_sdk.hosts.embedded.agent.conversation import Conversation

        return Conversation(self._runtime, self.recording)

    def _runtime(self) -> Runtime:
        from hermes_sdk.hosts.embedded.agent.runtime import Runtime

        sweep = self._alive
        return Runtime(
            contract=self._contract,
            config=self._config.read(),
            home=self.home,
            model=self.llm,
            hooks=sweep.hooks,
            middleware=sweep.middleware,
            dispatcher=self._dispatcher,
            registry=self._registry,
            plugin_tools=lambda: self.tools,
            turnside=self._registry.turnside,
            stateless=self._stateless,
            engine=lambda: sweep.backends.engine and sweep.backends.engine[1],
            profiles=self._guard.lent.model_providers.get,
            recording=self.recording,
            on_swallowed=self._on_swallowed,
        )

    def definitions(self) -> list[dict[str, Any]]:
        """The definitions of the plugins' tools as a model receives them; see `Host.definitions`."""
        with self._running("tool definitions"):
            return self._registry.definitions(self.tools)

    def _fire(self, hook: str, arguments: dict[str, Any]) -> list[Any]:
        with self._running(f"hook {hook}"):
            return self._alive.hooks.fire(hook, **arguments)

    def command(self, line: str) -> str | None:
        """Type a line into a CLI session; see `Host.command`."""
        sweep = self._alive
        with self._running(f"command {line}"):
            if line.split() == ["/new"]:
                self._conversation.renew()
                return "(^_^)v New session started!"
            return sweep.commands.run(line)

    def cli(self, *argv: str) -> CliResult:
        """Run ``hermes *argv``; see `Host.cli`."""
        if argv[:1] == ("pairing",):
            from hermes_sdk.hosts.embedded.gateway import pairing

            return pairing.run(self.home, argv[1:])
        sweep = self._alive
        with memory.fresh_process():
            return sweep.cli_commands.run(
                argv, lambda: memory.cli_command(self.home, self._config.read(), self._contract.behaviour)
            )

    def _set_up_memory(self, provider: str, values: dict[str, str]) -> CliResult:
        self._refuse_inactive()
        with self._running("hermes memory setup"), memory.fresh_process():
            done = memory_setup.set_up(self.home, Answers(provider, values))
        os.environ.update(self._home.env)
        return done

    def skill(self, name: str) -> Any:
        """Answer ``skill_view(name)``; see `Host.skill`."""
        sweep = self._alive
        # The list is read again at every view, so that a plugin can be switched off while the host runs (F5).
        config = self._config.read()
        disabled = Gate(config, self._contract.behaviour).disabled
        return sweep.skills.view(name, disabled, config.get("skills"), self.home)

    def failure(self, key: str) -> BaseException | None:
        """The exception with which a plugin failed to load, or None."""
        plugin = self._alive.plugins.get(key)
        return plugin.failure if plugin else None

    def report(self, key: str | None = None) -> Report:
        """What the host gets from one plugin; see `Host.report`."""
        plugin = chosen(self._alive.plugins, key)
        return describe(plugin, self._alive, self.home, self._cwd, self._discovery_log)
