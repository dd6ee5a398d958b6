"""`GatewayRunner`: what starts adapters, takes their messages and stops them; hooks get it as ``gateway``."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Coroutine, Mapping
from importlib import import_module
from typing import Any

from hermes_sdk.errors import HermesSdkError
from hermes_sdk.hosts.embedded.agent.runtime import Runtime
from hermes_sdk.hosts.embedded.commands import SlashCommand
from hermes_sdk.hosts.embedded.gateway import command_names, prompts, settings
from hermes_sdk.hosts.embedded.gateway.authorisation import Authorisation
from hermes_sdk.hosts.embedded.gateway.busy import Busy
from hermes_sdk.hosts.embedded.gateway.commands import Commands
from hermes_sdk.hosts.embedded.gateway.confirmations import Confirmations
from hermes_sdk.hosts.embedded.gateway.connecting import Connecting
from hermes_sdk.hosts.embedded.gateway.conversation import Conversation
from hermes_sdk.hosts.embedded.gateway.event_hooks import HookRegistry
from hermes_sdk.hosts.embedded.gateway.message_queue import Waiting
from hermes_sdk.hosts.embedded.gateway.pairing import PairingStore
from hermes_sdk.hosts.embedded.gateway.platforms import Platforms
from hermes_sdk.hosts.embedded.gateway.sessions import SessionStore
from hermes_sdk.hosts.embedded.gateway.turn_generations import Runs
from hermes_sdk.hosts.embedded.gateway.turns import Agents
from hermes_sdk.hosts.embedded.host_classes import of_module
from hermes_sdk.hosts.embedded.providers.plugin_llm.auxiliary import AuxiliaryClient
from hermes_sdk.hosts.interface import NotSupported
from hermes_sdk.llm import CONTEXT_LENGTH

_log = logging.getLogger("gateway.run")

_NOBODY = (
    "No env user allowlists configured. Messaging platforms default to pairing/allowlist policies and will deny unknown"
    " senders unless you configure platform allowlists (e.g., TELEGRAM_ALLOWED_USERS=your_id) or explicitly opt in with"
    " GATEWAY_ALLOW_ALL_USERS=true plus dm_policy/group_policy: open on the platform."
)
_NOBODY_YET = (
    "No user allowlists configured. All unauthorized users will be denied. Set GATEWAY_ALLOW_ALL_USERS=true in"
    " ~/.hermes/.env to allow open access, or configure platform allowlists (e.g., TELEGRAM_ALLOWED_USERS=your_id)."
)


@of_module("gateway.run")
class GatewayRunner:
    """A gateway.

    Args:
        runtime: What its sessions need of the host.
        prepared: Called with each adapter before it connects.
        tell: Called with each line that the host prints about event hooks.

    Attributes:
        adapters: The adapters that are connected, by platform.
        config: What the gateway is told.
        hooks: The event hooks.
        session_store: The sessions.
        pairing_store: Who asked to be let in.
        failures: What the embedded host cannot do, and was asked for.
    """

    def __init__(self, runtime: Runtime, prepared: Callable[[str, Any], None], tell: Callable[[str], None]) -> None:
        self._runtime = runtime
        self._prepared = prepared
        self._loop: asyncio.AbstractEventLoop | None = None
        self.state = state = runtime.state
        self.contract = state.contract
        self.base: Any = import_module("gateway.platforms.base")
        self.base_config: Any = import_module("gateway.config")
        self.platforms = Platforms(runtime.registrations.platforms.entries, state)
        self.config = settings.load(state.config.read(), self.platforms, state.behaviour)
        self.hooks = HookRegistry(state, tell)
        self.session_store = SessionStore(self.config)
        self.pairing_store = PairingStore(state.home.path)
        self.authorisation = Authorisation(self.platforms, self.config, self.pairing_store, self._adapter)
        self.agents = Agents(runtime, self._judge)
        self.adapters: dict[Any, Any] = {}
        self.failures: list[HermesSdkError] = []
        self.waiting, self.runs = Waiting(), Runs()
        self.busy, self.commands = Busy(self), Commands(self)
        self.confirmations, self._conversation = Confirmations(self), Conversation(self)
        self._connecting = Connecting(self)

    async def start(self) -> bool:
        """Load the event hooks, and connect the platforms that are switched on."""
        self._loop = asyncio.get_running_loop()
        if not self.authorisation.is_configured:
            _log.warning(_NOBODY if self.contract.behaviour.policies_of_platforms_told else _NOBODY_YET)
        self.hooks.discover_and_load()
        await self._connecting.all()
        if self._connecting.gave_up():
            return True
        await self.hooks.emit("gateway:startup", {"platforms": [one.value for one in self.adapters]})
        return True

    def furnish(self, platform: Any, adapter: Any) -> None:
        """Give an adapter what it needs before it connects."""
        self._prepared(str(platform.value), adapter)
        adapter.set_message_handler(self._handle_message)
        adapter.set_fatal_error_handler(self._handle_adapter_fatal_error)
        adapter.set_session_store(self.session_store)
        adapter.set_busy_session_handler(self.busy.take)
        adapter._busy_text_mode = self.config.busy_text_mode
        if hasattr(adapter, "set_authorization_check"):
            adapter.set_authorization_check(self._checks(platform))

    def _checks(self, platform: Any) -> Callable[..., bool]:
        """What an adapter may ask about a user."""
        make = import_module("gateway.session").SessionSource

        def check(user_id: str, chat_type: str | None = None, chat_id: str | None = None) -> bool:
            if not user_id:
                return False
            source = make(platform=platform, chat_id=chat_id or "", chat_type=chat_type or "group", user_id=user_id)
            return self.authorisation.allows(source)

        return check

    async def _handle_adapter_fatal_error(self, adapter: Any) -> None:
        """Let go of an adapter that cannot go on."""
        _log.error(
            "Fatal %s adapter error (%s): %s",
            adapter.platform.value,
            adapter.fatal_error_code or "unknown",
            adapter.fatal_error_message or "unknown error",
        )
        platform = adapter.platform
        if self.adapters.get(platform) is adapter:
            del self.adapters[platform]
            await self._connecting.disconnect(adapter)
        if self.adapters:
            return
        if adapter.fatal_error_retryable:
            _log.warning(
                "No connected messaging platforms remain, but %d platform(s) queued for reconnection — gateway staying"
                " alive, watcher will retry in background.",
                1,
            )
        else:
            _log.error("No connected messaging platforms remain. Shutting down gateway cleanly.")
            await self.stop()

    async def stop(self) -> None:
        """Stop the turns that run, and disconnect the adapters."""
        running = self.agents.running
        await self._tell_shutdown(running)
        for key in running:
            self.agents.stop(key)
        for session in running.values():
            self.fire("on_session_finalize", session_id=session, platform="gateway", reason="shutdown")
        await self.agents.close_all()
        for adapter in list(self.adapters.values()):
            await adapter.cancel_background_tasks()
            await self._connecting.disconnect(adapter)
        self.adapters.clear()

    async def _tell_shutdown(self, keys: Mapping[str, str]) -> None:
        text = "⚠️ Gateway shutting down — Your current task will be interrupted."
        told = set()
        for key in keys:
            entry = self.session_store.current(key)
            adapter = self.adapter_of(entry.origin) if entry else None
            if entry and adapter is not None and getattr(adapter.config, "gateway_restart_notification", True):
                told.add((entry.origin.platform, str(entry.origin.chat_id)))
                with contextlib.suppress(Exception):
                    await adapter.send(entry.origin.chat_id, text, metadata=None)
        for platform, adapter in list(self.adapters.items()):
            home = self.config.get_home_channel(platform)
            wanted = getattr(adapter.config, "gateway_restart_notification", True)
            if home and wanted and (platform, str(home.chat_id)) not in told:
                with contextlib.suppress(Exception):
                    await adapter.send(str(home.chat_id), text)

    def _adapter(self, platform: Any) -> Any:
        return self.adapters.get(platform)

    def adapter_of(self, source: Any) -> Any:
        """The adapter of a source, or None."""
        return self.adapters.get(source.platform) if source else None

    # What a hook that gets the gateway may call.
    _adapter_for_source = adapter_of

    def _session_key_for_source(self, source: Any) -> str:
        """The key of the session of a source."""
        return self.session_store.key(source)

    def _is_user_authorized(self, source: Any) -> bool:
        """Tell whether the user of a source may write."""
        return self.authorisation.allows(source)

    async def _handle_message(self, event: Any) -> Any:
        """Answer a message; what is returned is sent to its chat."""
        try:
            return await self._answered(event)
        except HermesSdkError as error:
            self.failures.append(error)
            return None

    async def _answered(self, event: Any) -> Any:
        if not event.internal:
            event = self._dispatched(event)
            if event is None or not await self._let_in(event):
                return None
        answered, answer = await self.confirmations.answer(event)
        if answered:
            return answer
        key = self.session_store.key(event.source)
        command = event.get_command()
        if self.agents.is_running(key):
            name = command_names.resolved(self.contract, command)
            if name:
                return await self.commands.while_busy(event, name)
            await self.busy.take(event, key)
            return None
        if command:
            done, answer = await self.commands.answer(event)
            if done:
                return answer
        self.agents.begin(key)
        try:
            return await self._conversation.answer(event)
        finally:
            self.agents.end(key)
            self.busy.forget(key)

    def _dispatched(self, event: Any) -> Any:
        """Let plugins decide about a message; None for one that they drop (H12)."""
        import dataclasses

        store = self.session_store
        for result in self.fire("pre_gateway_dispatch", event=event, gateway=self, session_store=store):
            action = result.get("action") if isinstance(result, dict) else None
            if action == "skip":
                _log.info(
                    "pre_gateway_dispatch skip: reason=%s platform=%s chat=%s",
                    result.get("reason"),
                    event.source.platform.value,
                    event.source.chat_id or "unknown",
                )
                return None
            if action == "rewrite":
                text = result.get("text")
                return dataclasses.replace(event, text=text) if isinstance(text, str) else event
            if action == "allow":
                return event
        return event

    async def _let_in(self, event: Any) -> bool:
        """Whether the user may write; a stranger who writes in private may be offered a code."""
        source = event.source
        if self.authorisation.allows(source):
            return True
        if source.user_id is None:
            return False
        platform = source.platform.value
        _log.warning("Unauthorized user: %s (%s) on %s", source.user_id, source.user_name, platform)
        if source.chat_type != "dm" or not self.authorisation.pairs(source.platform):
            return False
        store, adapter = self.pairing_store, self.adapter_of(source)
        if store.is_rate_limited(platform, source.user_id):
            return False
        code = store.generate_code(platform, source.user_id, source.user_name or "")
        if code is None:
            store.record_rate_limit(platform, source.user_id)
            text = "Too many pairing requests right now~ Please try again later!"
        else:
            text = (
                f"Hi~ I don't recognize you yet!\n\nHere's your pairing code: `{code}`\n\nAsk the bot owner to run:\n"
                f"`hermes pairing approve {platform} {code}`"
            )
        if adapter is not None:
            await adapter.send(source.chat_id, text)
        return False

    def _judge(self, command: str, reason: str) -> str:
        """Let a model judge a command."""
        try:
            asked = prompts.judge_messages(command, reason, framed=self.contract.behaviour.judged_commands_framed)
            answer = self._ask_model(asked).strip().upper()
        except Exception as error:
            _log.debug("Smart approvals: LLM call failed (%s), escalating", error)
            return "escalate"
        return {"APPROVE": "approve", "DENY": "deny"}.get(answer, "escalate")

    def _ask_model(self, messages: list[dict[str, Any]]) -> str:
        wanted = AuxiliaryClient(self.state).ask(
            messages, provider=None, model=None, temperature=0, max_tokens=16, extra={}, is_async=False
        )
        return wanted.text

    @property
    def plugin_commands(self) -> dict[str, SlashCommand]:
        """The slash commands of plugins by name."""
        return self._runtime.registrations.commands.entries

    def fire(self, hook: str, /, **arguments: Any) -> list[Any]:
        """Fire a hook of plugins."""
        return self._runtime.hooks.fire(hook, **arguments)

    def schedule(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        """Let the loop run something, from any thread; returns a future of it."""
        assert self._loop is not None
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop)

    def forget(self, key: str) -> None:
        """Forget what belongs to a session that ended."""
        self.confirmations.forget(key)
        self._runtime.tools.approval.forget(key)

    def home_variable(self, platform: str) -> str:
        """The variable that tells where messages of a platform go which answer nothing."""
        entry = self.platforms.by_name.get(platform)
        return getattr(entry, "cron_deliver_env_var", "") or f"{platform.upper()}_HOME_CHANNEL"

    def shows(self, setting: str, platform: str, *, default: bool) -> bool:
        """Tell whether the chats of a platform show something."""
        display = settings.mapping(self.state.config.read().get("display"))
        own = settings.mapping(settings.mapping(display.get("platforms")).get(platform))
        return bool(own.get(setting, display.get(setting, default)))

    def model_info(self) -> str:
        """What users are told of the model."""
        return prompts.model_info(self.state.config.read(), CONTEXT_LENGTH)

    def not_supported(self, what: str) -> HermesSdkError:
        """The error for what only the real host does."""
        return NotSupported(what, "embedded")
