"""Slash commands in a chat: those of the host that a plugin can meet, the user's own, and those of plugins (F9)."""

from __future__ import annotations

import asyncio
import logging
import os
import random
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from hermes_sdk.hosts.embedded.gateway import command_names, prompts
from hermes_sdk.hosts.embedded.gateway.adapter.sending import takes
from hermes_sdk.hosts.embedded.gateway.chat_texts import said
from hermes_sdk.hosts.embedded.gateway.settings import mapping
from hermes_sdk.llm import CONTEXT_LENGTH

if TYPE_CHECKING:
    from hermes_sdk.hosts.embedded.gateway.runner import GatewayRunner

_log = logging.getLogger("gateway.run")

_QUICK_SECONDS = 30.0
_LONGEST_REASON = 280
_FOR_LONG = {
    **dict.fromkeys(("always", "permanent", "permanently"), "always"),
    **dict.fromkeys(("session", "ses"), "session"),
}
_TIPS = ("Plugins can add commands of their own.", "A plugin can answer before the agent does.")

Handler = Callable[[Any], Awaitable[Any]]


class Commands:
    """Answers the commands that users write.

    Args:
        runner: The gateway.
    """

    def __init__(self, runner: GatewayRunner) -> None:
        self._runner = runner
        self._builtin: Mapping[str, Handler] = {
            "approve": self._approve,
            "deny": self._deny,
            "new": self._new,
            "sethome": self._set_home,
            "start": self._start,
            "stop": self._stop,
            "whoami": self._whoami,
            "yolo": self._yolo,
        }

    async def while_busy(self, event: Any, name: str) -> Any:
        """Answer a command of the host although a turn runs."""
        if name in ("stop", "new"):
            await self._interrupt(event.source)
            return self._reply("stop.stopped") if name == "stop" else await self.reset(event)
        if name in ("approve", "deny", "start", "whoami", "yolo"):
            return await self._builtin[name](event)
        if name == "queue":
            return await self._queue(event)
        return f"⏳ Agent is running — `/{name}` can't run mid-turn. Wait for the current response or `/stop` first."

    async def answer(self, event: Any) -> tuple[bool, Any]:
        """Answer a command.

        Returns:
            Whether that was all, and the answer; otherwise the message goes to the agent.
        """
        self._follow_alias(event)
        command = event.get_command()
        known = command_names.known(self._runner.contract, command) or (
            command in self._runner.plugin_commands and command
        )
        if known:
            decided, answer = await self._decided(event, command, known)
            if decided:
                return True, answer
            command = event.get_command()
            known = command_names.known(self._runner.contract, command)
            if known and known in self._builtin:
                return True, await self._builtin[known](event)
            if known in ("queue", "steer"):
                event.text = event.get_command_args().strip()
                return not event.text, f"Usage: /{known} <prompt>"
            if known in command_names.TELLING:
                return True, f"The embedded host has no words of its own for /{known}."
            if known:
                raise self._runner.not_supported(f"/{known} in a chat")
        return True, await self._of_user(event, command)

    async def _decided(self, event: Any, command: str, known: str) -> tuple[bool, Any]:
        """Let event hooks decide about a command; whether they answered it, and how (H19)."""
        arguments = event.get_command_args().strip()
        context = {
            "platform": event.source.platform.value,
            "user_id": event.source.user_id,
            "command": known,
            "raw_command": command,
            "args": arguments,
            "raw_args": arguments,
        }
        for result in await self._runner.hooks.emit_collect(f"command:{known}", context):
            decision = str(result.get("decision", "")).strip().lower() if isinstance(result, dict) else ""
            message = result.get("message") if decision else None
            said = message if isinstance(message, str) and message else None
            if decision == "deny":
                return True, said or f"Command `/{command}` was blocked by a hook."
            if decision == "handled":
                return True, said
            if decision == "rewrite" and (name := str(result.get("command_name", "")).strip().lstrip("/")):
                event.text = f"/{name} {str(result.get('raw_args', '')).strip()}".strip()
                break
        return False, None

    async def _of_user(self, event: Any, command: str) -> Any:
        """Answer a command of the user's or of a plugin; one that nobody knows is told so."""
        quick = self._runner.config.quick_commands.get(command)
        if isinstance(quick, dict):
            return await self._run_quick(command, quick)
        found, answer = await self._of_plugin(command, event.get_command_args().strip())
        if found:
            return answer
        _log.warning(
            "Unrecognized slash command /%s from %s — replying with unknown-command notice",
            command,
            event.source.platform.value,
        )
        return (
            f"Unknown command `/{command}`. Type /commands to see what's available, or resend without the leading slash"
            " to send as a regular message."
        )

    async def _of_plugin(self, command: str, arguments: str) -> tuple[bool, Any]:
        registered, name = self._runner.plugin_commands, command.replace("_", "-")
        if self._runner.contract.behaviour.gateway_commands_with_underscore and command in registered:
            name = command
        if name not in registered:
            return False, None
        try:
            result = self._runner.state.recording.wrap("command", name, registered[name].handler)(arguments)
            if asyncio.iscoroutine(result):
                result = await result
        except Exception as error:
            _log.warning("Plugin command dispatch failed: %s", error)
            self._runner.state.swallow(f"command /{name}", error)
            return False, None
        return True, str(result) if result else None

    def _follow_alias(self, event: Any) -> None:
        """Let a command of the user's that stands for another be that one."""
        quick = self._runner.config.quick_commands.get(event.get_command())
        if (
            isinstance(quick, dict)
            and quick.get("type") == "alias"
            and (target := str(quick.get("target") or "").strip())
        ):
            event.text = f"/{target.lstrip('/')} {event.get_command_args().strip()}".strip()

    async def _run_quick(self, command: str, quick: dict[str, Any]) -> str:
        kind, line = quick.get("type"), quick.get("command", "")
        if kind == "alias":
            return f"Quick command '/{command}' has no target defined."
        if kind != "exec":
            return f"Quick command '/{command}' has unsupported type (supported: 'exec', 'alias')."
        if not line:
            return f"Quick command '/{command}' has no command defined."
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_shell(line, stdout=pipe, stderr=pipe)
        try:
            printed, failed = await asyncio.wait_for(process.communicate(), _QUICK_SECONDS)
        except TimeoutError:
            process.kill()
            return "Quick command timed out (30s)."
        return (printed or failed).decode().strip() or "Command returned no output."

    def _said(self, key: str, **values: object) -> str:
        return said(self._runner.contract.behaviour, key, **values)

    def _reply(self, key: str) -> Any:
        """What the host says itself, and may take back."""
        return self._runner.base.EphemeralReply(self._said(key))

    async def _start(self, _: Any) -> str:
        return ""

    async def _interrupt(self, source: Any) -> None:
        """Stop the turn that runs, and forget what waits."""
        key = self._runner.session_store.key(source)
        self._runner.agents.stop(key)
        self._runner.runs.invalidate(key)
        adapter = self._runner.adapter_of(source)
        if adapter is not None:
            more = {"metadata": None} if takes(adapter.interrupt_session_activity, "metadata") else {}
            await adapter.interrupt_session_activity(key, source.chat_id, **more)
            adapter.get_pending_message(key)
        self._runner.agents.end(key)

    async def _stop(self, event: Any) -> Any:
        adapter = self._runner.adapter_of(event.source)
        if adapter is not None:
            await adapter._stop_typing_with_metadata(event.source.chat_id, None)
        return self._said("stop.no_active")

    async def _new(self, event: Any) -> Any:
        approvals = mapping(self._runner.state.config.read().get("approvals"))
        if not approvals.get("destructive_slash_confirm", True):
            return await self.reset(event)
        return await self._runner.confirmations.ask(
            event,
            "new",
            "This starts a fresh session and discards the current conversation history.",
            lambda: self.reset(event),
        )

    async def reset(self, event: Any) -> Any:
        """End the session of a chat and begin a new one."""
        runner, source = self._runner, event.source
        key = runner.session_store.key(source)
        runner.runs.invalidate(key)
        runner.agents.end(key)
        old = runner.session_store.current(key)
        await runner.agents.close(key)
        runner.forget(key)
        new = runner.session_store.reset_session(key)
        header = self._said("reset.header_default" if new else "reset.header_new")
        ids = {"old_session_id": old and old.session_id, "new_session_id": new and new.session_id}
        about = {"platform": source.platform.value, "reason": "new_session", **ids}
        runner.fire("on_session_finalize", session_id=ids["old_session_id"], **about)
        told = {"platform": source.platform.value, "user_id": source.user_id, "session_key": key}
        await runner.hooks.emit("session:end", told)
        await runner.hooks.emit("session:reset", told)
        if new is None:
            new = runner.session_store.get_or_create_session(source)
            new.is_new = False
        if title := event.get_command_args().strip():
            header = self._said("reset.header_titled", title=title)
        runner.fire("on_session_reset", session_id=new.session_id, **{**about, "new_session_id": new.session_id})
        info = prompts.model_info(runner.state.config.read(), CONTEXT_LENGTH)
        tip = self._said("reset.tip", tip=random.choice(_TIPS))
        return runner.base.EphemeralReply(f"{header}\n\n{info}{tip}")

    async def _queue(self, event: Any) -> str:
        text = event.get_command_args().strip()
        if not text:
            return "Usage: /queue <prompt>"
        key = self._runner.session_store.key(event.source)
        queued = self._runner.base.MessageEvent(text=text, source=event.source, message_id=event.message_id)
        depth = self._runner.waiting.add(key, queued, self._runner.adapter_of(event.source))
        return "Queued for the next turn." + (f" ({depth} queued)" if depth > 1 else "")

    async def _approve(self, event: Any) -> str:
        key = self._runner.session_store.key(event.source)
        words = event.get_command_args().lower().split()
        found = [_FOR_LONG[word] for word in words if word in _FOR_LONG]
        choice = "always" if "always" in found else found[0] if found else "once"
        count = self._runner.agents.questions.answer(key, choice, every="all" in words)
        if not count:
            return self._said("approve.no_pending")
        self._resume_typing(event.source)
        return self._said(f"approve.{choice}_{_number(count)}", count=count)

    async def _deny(self, event: Any) -> str:
        key = self._runner.session_store.key(event.source)
        reason = event.get_command_args().strip()
        every = reason.lower().split()[:1] == ["all"]
        if every:
            reason = reason[3:].strip()
        reason = reason[:_LONGEST_REASON].strip() if self._runner.contract.behaviour.approval_reasons else ""
        count = self._runner.agents.questions.answer(key, "deny", every=every, reason=reason or None)
        if not count:
            return self._said("deny.no_pending")
        self._resume_typing(event.source)
        return self._said(f"deny.denied{'_reason' if reason else ''}_{_number(count)}", count=count, reason=reason)

    def _resume_typing(self, source: Any) -> None:
        adapter = self._runner.adapter_of(source)
        if adapter is not None:
            adapter.resume_typing_for_chat(source.chat_id)

    async def _set_home(self, event: Any) -> str:
        source = event.source
        variable = self._runner.home_variable(source.platform.value)
        os.environ[variable] = str(source.chat_id)
        settings = self._runner.config.platforms[source.platform]
        name = source.chat_name or source.chat_id
        channel = {"platform": source.platform.value, "chat_id": str(source.chat_id), "name": name}
        settings.home_channel = self._runner.base_config.HomeChannel.from_dict(channel)
        return self._said("set_home.success", name=name, chat_id=source.chat_id)

    async def _whoami(self, event: Any) -> str:
        scope = "DM" if event.source.chat_type == "dm" else "group/channel"
        return (
            f"**You** — {event.source.platform.value} ({scope})\nUser ID: `{event.source.user_id or '?'}`\nTier:"
            " unrestricted (no admin list configured for this scope)\nSlash commands: all available"
        )

    async def _yolo(self, _: Any) -> str:
        raise self._runner.not_supported("/yolo in a chat")


def _number(count: int) -> str:
    return "singular" if count == 1 else "plural"
