"""Turns of chats, from the session to the reply, with the messages that arrive meanwhile."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any

from hermes_sdk.hosts.embedded.agent.message_rows import MessageRows
from hermes_sdk.hosts.embedded.agent.origin import Origin
from hermes_sdk.hosts.embedded.agent.runtime import Runtime
from hermes_sdk.hosts.embedded.agent.turn import Turn
from hermes_sdk.hosts.embedded.gateway import prompts
from hermes_sdk.hosts.embedded.gateway.adapter.pending_messages import MessageQueue
from hermes_sdk.hosts.embedded.gateway.adapter.sending import find_anchor, has_parameter, thread_metadata
from hermes_sdk.hosts.embedded.gateway.agents import Agents
from hermes_sdk.hosts.embedded.gateway.approvals import Approvals
from hermes_sdk.hosts.embedded.gateway.chat_variables import describe_chat
from hermes_sdk.hosts.embedded.gateway.classes import as_mapping
from hermes_sdk.hosts.embedded.gateway.connections import Connections
from hermes_sdk.hosts.embedded.gateway.event_hooks import HookRegistry
from hermes_sdk.hosts.embedded.gateway.platforms import Platforms
from hermes_sdk.hosts.embedded.gateway.replies import format_reply, format_status, is_silence
from hermes_sdk.hosts.embedded.gateway.sessions import SessionEntry, SessionStore
from hermes_sdk.hosts.embedded.gateway.settings import GatewayConfig

_log = logging.getLogger("gateway.run")

_MOST_FOLLOWING = 3
_LONGEST_EXCERPT = 500
_REPLYING = ("buzz", "feishu", "mattermost", "slack")
"""Platforms on which a text with tool calls is a reply to the user's message."""
_ORIGIN_FIELDS = ("user_id", "user_id_alt", "user_name", "chat_id", "chat_name", "chat_type", "thread_id")


@dataclass(eq=False)
class Turns:
    """Runs the turns of chats."""

    runtime: Runtime
    platforms: Platforms
    config: GatewayConfig
    sessions: SessionStore
    event_hooks: HookRegistry
    connections: Connections
    approvals: Approvals
    agents: Agents
    queue: MessageQueue = field(default_factory=MessageQueue, init=False)
    _offered_profile: bool = field(default=False, init=False)
    _answered: dict[str, Any] = field(default_factory=dict, init=False)
    """The message that the turn of each chat answers."""

    async def answer(self, event: Any) -> str | None:
        """Return the agent's reply to a message, or None if the turn is stale."""
        source = event.source
        entry = self.sessions.get_or_create_session(source)
        notes = [] if entry.turns else await self._begin_session(entry, source)
        key = entry.session_key
        generation = self.agents.next_generation(key)
        thread = str(source.thread_id) if source.thread_id else ""
        describe_chat(self.runtime.state, source, key)
        context = {
            **_identify_user(source),
            **{"chat_id": source.chat_id or "", "thread_id": thread, "chat_type": source.chat_type or ""},
            **{"session_id": entry.session_id, "message": self._format_message(event)[:_LONGEST_EXCERPT]},
        }
        await self.event_hooks.emit("agent:start", context)
        entry.turns += 1
        session = self.agents.find_session(entry)
        is_first = session is None or not session.history
        turn = await self._take_turns(entry, event, "\n\n".join(notes))
        if self.runtime.behaviour.replies_may_be_muted:
            event._notification_reply_muted = False
        if self.agents.is_stale(key, generation):
            _log.info("Discarding stale agent result for %s — generation %d is no longer current", key, generation)
            return None
        if is_first:
            # The host writes a row about the session after its first turn.
            MessageRows(self.runtime.state).skip()
        reply = format_reply(turn)
        # Hermes passes no provider name here.
        about = {"model": turn.session.settings.model, "provider": ""}
        await self.event_hooks.emit("agent:end", {**context, "response": reply[:_LONGEST_EXCERPT], **about})
        self.runtime.state.session_variables.empty()
        return f"{reply}\n\n{turn.notice}" if turn.notice else reply

    async def _begin_session(self, entry: SessionEntry, source: Any) -> list[str]:
        """Begin a session with its first message; return the notes for the model."""
        key, notes = entry.session_key, []
        expiry = entry.reset_reason if entry.is_new else None
        if expiry:
            self.agents.forget(key)
            self.approvals.forget(key)
        if entry.is_new:
            entry.is_new = False
            started = {**_identify_user(source), "session_id": entry.session_id, "session_key": key}
            await self.event_hooks.emit("session:start", started)
        if expiry:
            notes.append(prompts.EXPIRED[expiry])
            policy = self.config.default_reset_policy
            if entry.reset_had_activity and policy.notify:
                model = prompts.describe_model(self.runtime.state.config.read(), self.runtime.state.wording)
                await self._send(source, f"{prompts.format_reset_notice(expiry, policy)}\n\n{model}")
        is_private = source.chat_type == "dm" or not self.runtime.behaviour.first_note_in_private
        if self.sessions.created == 1 and is_private:
            notes.append(self._choose_introduction())
        await self._mention_missing_home(source)
        return notes

    def _choose_introduction(self) -> str:
        """Choose the note for the model with the very first message."""
        wording = self.runtime.state.wording
        onboarding = as_mapping(self.runtime.state.config.read().get("onboarding"))
        offers_profile = str(onboarding.get("profile_build", "ask")).strip().lower() != "off"
        was_offered = self._offered_profile or as_mapping(onboarding.get("seen")).get("profile_build_offered")
        if not offers_profile or was_offered:
            return wording("note.first")
        self._offered_profile = True
        return wording("note.first_with_profile")

    async def _mention_missing_home(self, source: Any) -> None:
        """Notify the user if the platform has no home channel (H11)."""
        platform = source.platform
        in_environment = os.environ.get(self.platforms.home_variable(platform.value), "").strip()
        if in_environment or self.config.get_home_channel(platform):
            return
        text = self.runtime.state.wording("gateway.notify.no_home_channel", name=platform.value.title())
        adapter, settings = self.connections.find_adapter(source), self.config.platforms.get(platform)
        is_private = settings and str(settings.extra.get("notice_delivery", "")).strip().lower() == "private"
        if adapter is not None and is_private and source.user_id:
            metadata = thread_metadata(source)
            try:
                result = await adapter.send_private_notice(source.chat_id, source.user_id, text, metadata=metadata)
                if result.success:
                    return
            except Exception as error:
                _log.debug("send_private_notice failed, falling back to public: %s", error)
        await self._send(source, text)

    async def _send(self, source: Any, text: str) -> None:
        adapter = self.connections.find_adapter(source)
        if adapter is not None:
            await adapter.send(source.chat_id, text, metadata=thread_metadata(source))

    def _format_message(self, event: Any) -> str:
        """Format a message for the agent."""
        source, text = event.source, event.text or ""
        if self.sessions.is_shared(source) and source.user_name:
            text = f"[{source.user_name}] {text}"
        if getattr(event, "channel_context", None):
            text = f"{event.channel_context}\n\n[New message]\n{text}"
        if event.media_urls:
            raise self.runtime.state.unsupported("support messages with media")
        if event.reply_to_text and event.reply_to_message_id:
            own = " your previous message" if getattr(event, "reply_to_is_own_message", False) else ""
            text = f'[Replying to{own}: "{event.reply_to_text[:_LONGEST_EXCERPT]}"]\n\n{text}'
        return text

    async def _take_turns(self, entry: SessionEntry, event: Any, notes: str) -> Turn:
        """Run the turn of a message, then those of messages that arrived meanwhile; return the last turn."""
        key, source = entry.session_key, event.source
        turn = await self._take_turn(entry, event, notes)
        for _ in range(_MOST_FOLLOWING):
            adapter = self.connections.find_adapter(source)
            following = adapter and self.queue.take(key, adapter)
            if following is None or self.runtime.state.contract.resolve_slash_command(following.get_command()):
                break
            if key in adapter._active_sessions:
                adapter._active_sessions[key].clear()
            if not turn.interrupted and turn.reply and not is_silence(turn.reply):
                await self._send(source, format_reply(turn))
            await adapter.send_typing(source.chat_id, metadata=thread_metadata(source))
            restores = not turn.interrupted or self.runtime.behaviour.turns_redirected
            turn = await self._take_turn(entry, following, "", restores=restores)
        return turn

    async def _take_turn(self, entry: SessionEntry, event: Any, notes: str, *, restores: bool = True) -> Turn:
        source, text = event.source, self._format_message(event)
        self._answered[entry.session_key] = event
        session = self.agents.find_session(entry)
        if session is None:
            origin = self._make_origin(entry, source)
            session = self.agents.begin_session(source.platform.value, origin)
        else:
            session = self.agents.remake_session(session, self._describe_chat(source), _describe_user(source))
        assert session.origin is not None
        asker = self.approvals.make_asker(entry.session_key, source, session.origin.stop)
        return await self.agents.take_turn(session, text, notes, asker, event.message_id, restores=restores)

    def _make_origin(self, entry: SessionEntry, source: Any) -> Origin:
        """Create the origin of a chat's agent; its callbacks schedule their work on the gateway's loop."""
        loop = asyncio.get_running_loop()

        def schedule(coroutine: Coroutine[Any, Any, Any]) -> None:
            asyncio.run_coroutine_threadsafe(coroutine, loop)

        def report_step(number: int, calls: list[dict[str, Any]]) -> None:
            step = {"iteration": number, "tool_names": [one["name"] for one in calls], "tools": calls}
            context = {**_identify_user(source), "session_id": entry.session_id, **step}
            schedule(self.event_hooks.emit("agent:step", context))

        def report_status(text: str) -> None:
            if status := format_status(text, self.runtime):
                schedule(self._send(source, status))

        def pass_on(text: str) -> None:
            adapter = self.connections.find_adapter(source)
            if adapter is not None and sends_interim:
                schedule(adapter.send(chat_id=source.chat_id, content=text, **self._mark_interim(entry, source)))

        display = as_mapping(self.runtime.state.config.read().get("display"))
        of_platform = as_mapping(as_mapping(display.get("platforms")).get(source.platform.value))
        sends_interim = {"interim_assistant_messages": True, **display, **of_platform}["interim_assistant_messages"]
        return Origin(
            entry.session_id,
            entry.session_key,
            about=_describe_user(source),
            notes=self._describe_chat(source),
            on_step=report_step if self.event_hooks.loaded_hooks else None,
            tell=report_status,
            pass_on=pass_on,
            passes_on=bool(sends_interim),
            reports_compressions=self.event_hooks.handles("session:compress"),
        )

    def _describe_chat(self, source: Any) -> tuple[str, ...]:
        platform = self.platforms.by_name.get(source.platform.value)
        return prompts.describe_chat(
            source,
            getattr(platform, "platform_hint", ""),
            [one.value for one in self.platforms.find_connected(self.config.platforms)],
            shared=self.sessions.is_shared(source),
        )

    def _mark_interim(self, entry: SessionEntry, source: Any) -> dict[str, Any]:
        """Return the arguments of `send` with which a release marks interim texts and refers to the user's message."""
        behaviour, metadata = self.runtime.behaviour, thread_metadata(source)
        if not behaviour.interim_texts_marked:
            return {"metadata": metadata}
        marked = {**(metadata or {}), "_interim_send": True}
        if not behaviour.interim_texts_anchored:
            return {"metadata": marked}
        answered = find_anchor(self._answered[entry.session_key])
        replies = not behaviour.interim_texts_rarely_reply or source.platform.value in _REPLYING
        if answered:
            marked["reply_to_message_id"] = answered
        return {"reply_to": answered if replies else None, "metadata": marked}

    def answer_correction(self, key: str, event: Any) -> None:
        """Make the reply of a chat's turn refer to the message that redirects it."""
        answered = self._answered[key]
        answered.reply_anchor_override = answered.ledger_message_id = event.message_id
        if hasattr(answered, "absorb_reply_expected"):
            answered.absorb_reply_expected(event)

    def enqueue(self, event: Any) -> int:
        """Queue a message in its chat; return the length of the queue."""
        source = event.source
        return self.queue.add(self.sessions.key(source), event, self.connections.find_adapter(source))

    async def interrupt(self, source: Any) -> None:
        """Stop the current turn of a chat, and drop the pending message."""
        key = self.sessions.key(source)
        self.agents.stop(key)
        if self.approvals.clarifications.has_question(key):
            raise self.runtime.state.unsupported("stop a turn that waits for an answer to `clarify`")
        self.agents.next_generation(key)
        adapter = self.connections.find_adapter(source)
        if adapter is not None:
            more = {"metadata": None} if has_parameter(adapter.interrupt_session_activity, "metadata") else {}
            await adapter.interrupt_session_activity(key, source.chat_id, **more)
            adapter.get_pending_message(key)
        self.agents.end(key)

    async def reset(self, source: Any) -> bool:
        """Replace the session of a chat with a new one; return whether there was one."""
        key, platform, fire = self.sessions.key(source), source.platform.value, self.runtime.hooks.fire
        self.agents.next_generation(key)
        self.agents.end(key)
        old = self.sessions.current(key)
        await self.agents.close(key)
        self.approvals.forget(key)
        new = self.sessions.reset_session(key)
        had_session = new is not None
        old_id, new_id = (one and one.session_id for one in (old, new))
        about = {"platform": platform, "reason": "new_session", "old_session_id": old_id}
        await self.agents.finalise(session_id=old_id, **about, new_session_id=new_id)
        context = {**_identify_user(source), "session_key": key}
        await self.event_hooks.emit("session:end", context)
        await self.event_hooks.emit("session:reset", context)
        if new is None:
            new = self.sessions.get_or_create_session(source)
            new.is_new = False
        fire("on_session_reset", session_id=new.session_id, **about, new_session_id=new.session_id)
        return had_session


def _describe_user(source: Any) -> dict[str, Any]:
    return {name: value for name in _ORIGIN_FIELDS if (value := getattr(source, name, None))}


def _identify_user(source: Any) -> dict[str, Any]:
    return {"platform": source.platform.value, "user_id": source.user_id}
