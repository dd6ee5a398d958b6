"""Slash commands in a chat: some built-in commands, and commands of plugins (F9)."""

from __future__ import annotations

import asyncio
import inspect
import logging
import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from hermes_sdk.hosts.embedded.agent.runtime import Runtime
from hermes_sdk.hosts.embedded.agent.session import Session
from hermes_sdk.hosts.embedded.gateway import prompts
from hermes_sdk.hosts.embedded.gateway.adapter.classes import AdapterClasses
from hermes_sdk.hosts.embedded.gateway.approvals import Approvals
from hermes_sdk.hosts.embedded.gateway.builtin_commands import format_help, format_page, is_in_chats
from hermes_sdk.hosts.embedded.gateway.chat_variables import describe_chat
from hermes_sdk.hosts.embedded.gateway.classes import as_mapping
from hermes_sdk.hosts.embedded.gateway.connections import Connections
from hermes_sdk.hosts.embedded.gateway.event_hooks import HookRegistry
from hermes_sdk.hosts.embedded.gateway.platforms import Platforms
from hermes_sdk.hosts.embedded.gateway.sessions import SessionEntry
from hermes_sdk.hosts.embedded.gateway.settings import GatewayConfig
from hermes_sdk.hosts.embedded.gateway.turns import Turns
from hermes_sdk.hosts.embedded.wording import Wording

_MINUTES = "%Y-%m-%d %H:%M"
_log = logging.getLogger("gateway.run")
_TIPS = ("Plugins can add commands of their own.", "A plugin can answer before the agent does.")
Handler = Callable[[Any], Awaitable[Any]]


def describe_status(
    entry: SessionEntry,
    agent: Session | None,
    config: Mapping[str, Any],
    platforms: Sequence[str],
    wording: Wording,
    *,
    is_running: bool,
) -> str:
    """Format the answer to ``/status``; the model of the agent, if there is one, overrides the configured one."""
    model = as_mapping(config.get("model"))
    name, provider = str(model.get("default") or "").strip(), str(model.get("provider") or "").strip()
    length, used, tokens = model.get("context_length"), 0, 0
    if agent is not None:
        name, provider = agent.settings.model, agent.settings.provider.name
        length, used = (agent.engine or agent.compressor).occupancy
        tokens = sum(agent.tokens.values())
    lines = [
        wording("gateway.status.header"),
        "",
        wording("gateway.status.session_id", session_id=entry.session_id),
        wording("gateway.status.created", timestamp=entry.created_at.strftime(_MINUTES)),
        wording("gateway.status.last_activity", timestamp=entry.updated_at.strftime(_MINUTES)),
    ]
    if name:
        lines.append(wording("gateway.status.model_provider", model=name, provider=provider))
    if isinstance(length, int) and length > 0:
        percent = min(100, round(used / length * 100))
        lines.append(wording("gateway.status.context", used=f"{used:,}", total=f"{length:,}", pct=percent))
    state = wording("gateway.status.state_yes" if is_running else "gateway.status.state_no")
    return "\n".join(
        [
            *lines,
            wording("gateway.status.tokens", tokens=f"{tokens:,}"),
            wording("gateway.status.agent_running", state=state),
            "",
            wording("gateway.status.platforms", platforms=", ".join(platforms)),
        ]
    )


class Commands:
    """Answers the slash commands of users."""

    def __init__(
        self,
        runtime: Runtime,
        platforms: Platforms,
        config: GatewayConfig,
        event_hooks: HookRegistry,
        connections: Connections,
        approvals: Approvals,
        turns: Turns,
    ) -> None:
        self._state = runtime.state
        self._wording = runtime.state.wording
        self._hooks = runtime.hooks
        self._registered_commands = runtime.registrations.commands
        self._platforms = platforms
        self._config = config
        self._event_hooks = event_hooks
        self._connections = connections
        self._confirmations = approvals.confirmations
        self._turns = turns
        self._classes = AdapterClasses.of(runtime)
        self._builtin: Mapping[str, Handler] = {
            "approve": approvals.approve,
            "commands": self._page,
            "deny": approvals.deny,
            "help": self._help,
            "new": self._new,
            "sethome": self._set_home,
            "start": self._start,
            "status": self._status,
            "stop": self._stop,
            "undo": self._undo,
            "whoami": self._whoami,
            "yolo": self._yolo,
        }

    async def answer_while_running(self, event: Any, name: str) -> Any:
        """Answer a built-in command in a chat with a current turn."""
        if name in ("stop", "new"):
            await self._turns.interrupt(event.source)
            if name == "new":
                return await self._reset(event)
            return self._classes.EphemeralReply(self._wording("gateway.stop.stopped"))
        if name in ("approve", "commands", "deny", "help", "start", "status", "whoami", "yolo"):
            return await self._builtin[name](event)
        if name == "queue":
            return self._queue(event)
        return f"⏳ Agent is running — `/{name}` can't run mid-turn. Wait for the reply, or send `/stop`."

    async def answer(self, event: Any) -> tuple[bool, Any]:
        """Answer a command; return whether it is handled, and the reply. An unhandled message goes to the agent.

        Raises:
            NotSupported: The command is not modelled in chats.
        """
        command = event.get_command()
        if command in self._config.quick_commands:
            raise self._state.unsupported("run quick commands of the configuration in a chat")
        name = self._resolve_builtin(command) or (command if command in self._registered_commands.entries else None)
        if name:
            is_decided, reply = await self._apply_event_hooks(event, command, name)
            if is_decided:
                return True, reply
            command = event.get_command()
            name = self._resolve_builtin(command)
            if name and name in self._builtin:
                return True, await self._builtin[name](event)
            if name in ("queue", "steer"):
                event.text = event.get_command_args().strip()
                return not event.text, f"Usage: /{name} <prompt>"
            if name:
                raise self._state.unsupported(f"support /{name} in a chat")
        return True, await self._answer_custom(event, command)

    def _resolve_builtin(self, name: str | None) -> str | None:
        """Return the built-in command with a name or alias, or None if chats do not have it."""
        command = self._state.contract.resolve_slash_command(name)
        return command if command and is_in_chats(self._state, command) else None

    async def _apply_event_hooks(self, event: Any, command: str, name: str) -> tuple[bool, Any]:
        """Let event hooks decide about a command; return whether they handled it, and the reply (H19, N52)."""
        arguments = event.get_command_args().strip()
        if "pre_command" in self._state.contract.hooks:
            self._hooks.fire(
                "pre_command",
                surface="gateway",
                command=name,
                alias_used=command,
                args_raw=arguments,
                session_key=self._turns.sessions.key(event.source),
                platform=event.source.platform.value,
            )
        context = {
            "platform": event.source.platform.value,
            "user_id": event.source.user_id,
            "command": name,
            "raw_command": command,
            "args": arguments,
            "raw_args": arguments,
        }
        for result in await self._event_hooks.emit_collect(f"command:{name}", context):
            decision = str(result.get("decision", "")).strip().lower() if isinstance(result, dict) else ""
            message = result.get("message") if decision else None
            reply = message if isinstance(message, str) and message else None
            if decision == "deny":
                return True, reply or self._wording("gateway.hooks.command_blocked", command=command)
            if decision == "handled":
                return True, reply
            if decision == "rewrite" and (other := str(result.get("command_name", "")).strip().lstrip("/")):
                event.text = f"/{other} {str(result.get('raw_args', '')).strip()}".strip()
                break
        return False, None

    async def _answer_custom(self, event: Any, command: str) -> Any:
        """Answer a command of a plugin, or report that it is unknown."""
        is_known, reply = await self._run_plugin_command(event, command, event.get_command_args().strip())
        if is_known:
            return reply
        _log.warning(
            "Unrecognized slash command /%s from %s — replying with unknown-command notice",
            command,
            event.source.platform.value,
        )
        return self._wording("gateway.unknown_command", command=command)

    async def _run_plugin_command(self, event: Any, command: str, arguments: str) -> tuple[bool, Any]:
        registered, name = self._registered_commands.entries, command.replace("_", "-")
        if name not in registered:
            return False, None
        try:
            if self._state.behaviour.chat_variables_widened:
                describe_chat(self._state, event.source, self._turns.sessions.key(event.source))
            handler = self._state.recording.wrap("command", name, registered[name].handler)
            threaded = self._state.behaviour.gateway_commands_in_threads and not inspect.iscoroutinefunction(handler)
            result = await self._turns.agents.run_in_thread(handler, arguments) if threaded else handler(arguments)
            if asyncio.iscoroutine(result):
                result = await result
        except Exception as error:
            _log.warning("Plugin command dispatch failed: %s", error)
            self._state.swallow(f"command /{name}", error)
            return False, None
        return True, str(result) if result else None

    async def _help(self, event: Any) -> str:
        return format_help(self._state, event)

    async def _page(self, event: Any) -> str:
        return format_page(self._state, event)

    async def _start(self, _: Any) -> str:
        return ""

    async def _stop(self, event: Any) -> Any:
        self._turns.sessions.get_or_create_session(event.source).is_new = False
        adapter = self._connections.find_adapter(event.source)
        if adapter is not None:
            await adapter._stop_typing_with_metadata(event.source.chat_id, None)
        return self._wording("gateway.stop.no_active")

    async def _new(self, event: Any) -> Any:
        approvals = as_mapping(self._state.config.read().get("approvals"))
        if not approvals.get("destructive_slash_confirm", True):
            return await self._reset(event)
        detail = "This starts a fresh session and discards the current conversation history."
        return await self._confirmations.ask(event, "new", detail, lambda: self._reset(event))

    async def _reset(self, event: Any) -> Any:
        had_session = await self._turns.reset(event.source)
        header = self._wording("gateway.reset.header_default" if had_session else "gateway.reset.header_new")
        if title := event.get_command_args().strip():
            header = self._wording("gateway.reset.header_titled", title=title)
        model = prompts.describe_model(self._state.config.read(), self._wording)
        tip = self._wording("gateway.reset.tip", tip=random.choice(_TIPS))
        return self._classes.EphemeralReply(f"{header}\n\n{model}{tip}")

    async def _undo(self, event: Any) -> Any:
        approvals = as_mapping(self._state.config.read().get("approvals"))
        if not approvals.get("destructive_slash_confirm", True):
            return await self._undo_last_exchange(event)
        detail = "This removes the last user/assistant exchange from history."
        return await self._confirmations.ask(event, "undo", detail, lambda: self._undo_last_exchange(event))

    async def _undo_last_exchange(self, _: Any) -> Any:
        raise self._state.unsupported("undo the last exchange of a chat")

    async def _status(self, event: Any) -> str:
        entry = self._turns.sessions.get_or_create_session(event.source)
        return describe_status(
            entry,
            self._turns.agents.find_session(entry),
            self._state.config.read(),
            [platform.value for platform in self._connections.adapters],
            self._wording,
            is_running=self._turns.agents.find_turn(entry.session_key) is not None,
        )

    def _queue(self, event: Any) -> str:
        text = event.get_command_args().strip()
        if not text:
            return "Usage: /queue <prompt>"
        message = self._classes.MessageEvent(text=text, source=event.source, message_id=event.message_id)
        depth = self._turns.enqueue(message)
        return "Queued for the next turn." + (f" ({depth} queued)" if depth > 1 else "")

    async def _set_home(self, event: Any) -> str:
        source, user_config = event.source, self._state.user_config
        platform, name = source.platform.value, source.chat_name or source.chat_id
        channel = {"platform": platform, "chat_id": str(source.chat_id), "name": name, "thread_id": source.thread_id}
        if self._state.behaviour.home_channels_configured:
            channel["user_id"], channel["scope_id"] = source.user_id, source.scope_id
        home = self._classes.HomeChannel.from_dict(channel)
        if self._state.behaviour.home_channels_configured:
            config = user_config.load_config()
            settings = config.setdefault("platforms", {}).setdefault(platform, {})
            settings.setdefault("enabled", True)
            settings["home_channel"] = home.to_dict()
            user_config.save_config(config)
        variable = self._platforms.home_variable(platform)
        user_config.save_env_value(variable, str(source.chat_id))
        user_config.save_env_value(f"{variable}_THREAD_ID", str(source.thread_id or ""))
        self._config.platforms[source.platform].home_channel = home
        return self._wording("gateway.set_home.success", name=name, chat_id=source.chat_id)

    async def _whoami(self, event: Any) -> str:
        scope = "DM" if event.source.chat_type == "dm" else "group/channel"
        return (
            f"**You** — {event.source.platform.value} ({scope})\nUser ID: `{event.source.user_id or '?'}`\nTier:"
            " unrestricted (no admin list configured for this scope)\nSlash commands: all available"
        )

    async def _yolo(self, _: Any) -> str:
        raise self._state.unsupported("support /yolo in a chat")
