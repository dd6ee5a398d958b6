"""`GatewayRunner`: the parts of a gateway, and the methods that plugins may call."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from contextvars import copy_context
from functools import partial
from pathlib import Path
from typing import Any

from hermes_sdk.errors import HermesSdkError
from hermes_sdk.hosts.embedded import shell_hooks
from hermes_sdk.hosts.embedded.agent.runtime import Runtime
from hermes_sdk.hosts.embedded.config_keys import require_modelled
from hermes_sdk.hosts.embedded.gateway import settings
from hermes_sdk.hosts.embedded.gateway.adapter.classes import AdapterClasses
from hermes_sdk.hosts.embedded.gateway.adapter.delivery import deliver_command_reply
from hermes_sdk.hosts.embedded.gateway.agents import Agents
from hermes_sdk.hosts.embedded.gateway.approvals import Approvals
from hermes_sdk.hosts.embedded.gateway.authorisation import Authorisation
from hermes_sdk.hosts.embedded.gateway.classes import as_mapping
from hermes_sdk.hosts.embedded.gateway.commands import Commands
from hermes_sdk.hosts.embedded.gateway.connections import Connections
from hermes_sdk.hosts.embedded.gateway.event_hooks import HookRegistry
from hermes_sdk.hosts.embedded.gateway.inbound import Inbound
from hermes_sdk.hosts.embedded.gateway.injection import Injection
from hermes_sdk.hosts.embedded.gateway.pairing import PairingStore
from hermes_sdk.hosts.embedded.gateway.platforms import Platforms
from hermes_sdk.hosts.embedded.gateway.sessions import SessionStore, warn_of_retired_expiry
from hermes_sdk.hosts.embedded.gateway.turns import Turns
from hermes_sdk.hosts.embedded.host_classes import of_module
from hermes_sdk.hosts.embedded.services.platform_actions import GATEWAY

_PLACEHOLDERS = ("", ".", "auto", "cwd")
"""Values of ``terminal.cwd`` that stand for the user's directory."""


@of_module("gateway.run")
class GatewayRunner:
    """A gateway. Hooks get it as ``gateway``, adapters as ``gateway_runner``.

    `on_adapter` is called with the name and the adapter of each platform before the adapter connects, and `on_print`
    with each line that the host prints about event hooks. `failures` are the embedded host's own errors, such as
    `NotSupported`.
    """

    def __init__(
        self, runtime: Runtime, on_adapter: Callable[[str, Any], None], on_print: Callable[[str], None]
    ) -> None:
        state = runtime.state
        written = state.config.read()
        require_modelled(state, written, "gateway")
        self._behaviour = state.behaviour
        self._on_adapter = on_adapter
        self.classes = AdapterClasses.of(runtime)
        platforms = Platforms(runtime.registrations.platforms.entries, state)
        self.config = config = settings.load(written, platforms, self.classes)
        self.hooks = HookRegistry(state, on_print)
        self.session_store = SessionStore(config)
        self.pairing_store = PairingStore(state.home.path)
        self._connections = connections = Connections(state, platforms, config)
        self.adapters = connections.adapters
        self._authorisation = Authorisation(self.classes, platforms, config, self.pairing_store, self.adapters)
        approvals = Approvals(runtime, self.session_store, connections)
        self.clarifications = approvals.clarifications
        self.agents = Agents(runtime, approvals.questions)
        turns = Turns(runtime, platforms, config, self.session_store, self.hooks, connections, approvals, self.agents)
        commands = Commands(runtime, platforms, config, self.hooks, connections, approvals, turns)
        self._inbound = Inbound(
            runtime,
            config,
            self.session_store,
            self._authorisation,
            connections,
            approvals,
            self.agents,
            turns,
            commands,
        )
        self._runtime = runtime
        self.failures: list[HermesSdkError] = []

    async def start(self) -> bool:
        """Load the event hooks, and connect the enabled platforms."""
        self._runtime.state.memory[GATEWAY] = self
        if self._behaviour.gateway_asks:
            os.environ["HERMES_EXEC_ASK"] = "1"
        self._choose_directory()
        if self._behaviour.retired_expiry_told:
            warn_of_retired_expiry(self._runtime.state.config.read(), self._runtime.state.home.path)
        self._authorisation.warn_if_unconfigured()
        shell_hooks.register(self._runtime.hooks, self._runtime.state, accept=False)
        self.hooks.discover_and_load()
        if await self._connections.connect_all(self._prepare_adapter):
            if self._behaviour.gateway_checks_tools:
                check = partial(copy_context().run, self._runtime.registrations.tools.check_all)
                await asyncio.get_running_loop().run_in_executor(None, check)
            injection = Injection(self.classes, self.session_store, self._authorisation, self._connections)
            self._runtime.state.take_message = injection.take
            await self.hooks.emit("gateway:startup", {"platforms": [one.value for one in self.adapters]})
        return True

    def _choose_directory(self) -> None:
        """Set the directory of tools: the configured one, otherwise the user's (D38)."""
        configured = str(as_mapping(self._runtime.state.config.read().get("terminal")).get("cwd") or "")
        directory = configured if configured not in _PLACEHOLDERS else os.environ.get("TERMINAL_CWD", "")
        if directory in _PLACEHOLDERS:
            directory = os.environ.get("MESSAGING_CWD", "").strip() or str(Path.home())
        os.environ["TERMINAL_CWD"] = str(Path(directory).expanduser())

    def _prepare_adapter(self, platform: Any, adapter: Any) -> None:
        """Set the handlers of an adapter before it connects."""
        adapter.gateway_runner = self
        self._on_adapter(str(platform.value), adapter)
        adapter.set_message_handler(self._handle_message)
        adapter.set_fatal_error_handler(self._handle_adapter_fatal_error)
        adapter.set_session_store(self.session_store)
        adapter.set_busy_session_handler(self._handle_message_of_busy_chat)
        adapter._busy_text_mode = self.config.busy_text_mode
        if hasattr(adapter, "set_authorization_check"):
            adapter.set_authorization_check(self._authorisation.make_check(platform))

    async def _handle_message(self, event: Any) -> Any:
        """Answer a message; the adapter sends the result to its chat."""
        try:
            return await self._inbound.answer(event, self)
        except HermesSdkError as error:
            self.failures.append(error)
            return None

    async def _handle_message_of_busy_chat(self, event: Any, key: str) -> bool:
        """Handle a message that arrives during a turn; return False if the adapter has to queue it."""
        try:
            if not event.get_command() and self.clarifications.has_question(key):
                adapter = self._connections.find_adapter(event.source)
                await deliver_command_reply(adapter, event, await self._inbound.answer(event, self))
                return True
            return await self._inbound.handle_while_running(event, key)
        except HermesSdkError as error:
            self.failures.append(error)
            return True

    async def _handle_adapter_fatal_error(self, adapter: Any) -> None:
        """Drop an adapter, and stop if the gateway cannot continue without it."""
        if not await self._connections.handle_fatal_error(adapter):
            await self.stop()

    async def stop(self) -> None:
        """Stop the current turns, and disconnect the adapters."""
        self._runtime.state.take_message = None
        self._runtime.state.memory.pop(GATEWAY, None)
        running = self.agents.running
        sources = [entry.origin for key in running if (entry := self.session_store.current(key))]
        await self._connections.announce_shutdown(sources)
        for key in running:
            self.agents.stop(key)
        for session in running.values():
            await self.agents.finalise(session_id=session, platform="gateway", reason="shutdown")
        await self.agents.close_all()
        await self._connections.disconnect_all()

    def _adapter_for_source(self, source: Any) -> Any:
        return self._connections.find_adapter(source)

    def _session_key_for_source(self, source: Any) -> str:
        return self.session_store.key(source)

    def _is_user_authorized(self, source: Any) -> bool:
        return self._authorisation.allows(source)
