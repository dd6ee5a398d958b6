"""A message on its way through the agent: its session, its turn, those that follow from what came meanwhile."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hermes_sdk.hosts.embedded.agent.origin import Origin
from hermes_sdk.hosts.embedded.gateway import command_names, prompts
from hermes_sdk.hosts.embedded.gateway.replies import is_silence, reply_of, status_of
from hermes_sdk.hosts.embedded.gateway.session_keys import is_shared, thread_metadata
from hermes_sdk.hosts.embedded.gateway.settings import connected, mapping

if TYPE_CHECKING:
    from hermes_sdk.hosts.embedded.agent.turn import Turn
    from hermes_sdk.hosts.embedded.gateway.runner import GatewayRunner
    from hermes_sdk.hosts.embedded.gateway.sessions import SessionEntry

_log = logging.getLogger("gateway.run")

_MOST_FOLLOWING = 3
_MOST_TOLD = 500
_ABOUT = ("user_id", "user_id_alt", "user_name", "chat_id", "chat_name", "chat_type", "thread_id")


class Conversation:
    """Lets the agents answer.

    Args:
        runner: The gateway.
    """

    def __init__(self, runner: GatewayRunner) -> None:
        self._runner = runner
        self._offered_profile = False

    async def answer(self, event: Any) -> str | None:
        """Let the agent of a chat answer a message; None when there is nothing to say."""
        runner, source = self._runner, event.source
        entry = runner.session_store.get_or_create_session(source)
        key = entry.session_key
        expired = entry.reset_reason if entry.is_new else None
        if expired:
            runner.agents.forget(key)
            runner.forget(key)
        if entry.is_new:
            entry.is_new = False
            await runner.hooks.emit("session:start", {**self._who(source), **_ids(entry), "session_key": key})
        notes = [prompts.EXPIRED[expired]] if expired else []
        if expired and entry.reset_had_activity and runner.config.default_reset_policy.notify:
            await self._tell_expired(source, expired)
        notes += self._first_notes(entry)
        if entry.turns == 0:
            await self._tell_no_home(source)
        generation = runner.runs.begin(key)
        told = {**self._who(source), **self._where(source), **_ids(entry), "message": self._text(event)[:_MOST_TOLD]}
        await runner.hooks.emit("agent:start", told)
        entry.turns += 1
        turn = await self._turns(entry, event, "\n\n".join(notes))
        if not runner.runs.is_current(key, generation):
            _log.info("Discarding stale agent result for %s — generation %d is no longer current", key, generation)
            return None
        reply = reply_of(turn)
        await runner.hooks.emit("agent:end", {**told, "response": reply[:_MOST_TOLD]})
        return reply

    def _who(self, source: Any) -> dict[str, Any]:
        return {"platform": source.platform.value, "user_id": source.user_id}

    def _where(self, source: Any) -> dict[str, Any]:
        thread = str(source.thread_id) if source.thread_id else ""
        return {"chat_id": source.chat_id or "", "thread_id": thread, "chat_type": source.chat_type or ""}

    def _text(self, event: Any) -> str:
        """What the agent reads of a message."""
        source, text = event.source, event.text or ""
        if is_shared(source, self._runner.config.sessions_per_user) and source.user_name:
            text = f"[{source.user_name}] {text}"
        if getattr(event, "channel_context", None):
            text = f"{event.channel_context}\n\n[New message]\n{text}"
        if event.media_urls:
            raise self._runner.not_supported("messages with media")
        if event.reply_to_text and event.reply_to_message_id:
            own = "your previous message" if getattr(event, "reply_to_is_own_message", False) else None
            to = f"Replying to {own}" if own else "Replying to"
            text = f'[{to}: "{event.reply_to_text[:_MOST_TOLD]}"]\n\n{text}'
        return text

    def _first_notes(self, entry: SessionEntry) -> list[str]:
        """What the model is told of the first message that ever came."""
        if entry.turns or self._runner.session_store.made > 1:
            return []
        onboarding = mapping(self._runner.state.config.read().get("onboarding"))
        offers = str(onboarding.get("profile_build", "ask")).strip().lower() != "off"
        seen = mapping(onboarding.get("seen")).get("profile_build_offered")
        if not offers or seen or self._offered_profile:
            return [prompts.FIRST]
        self._offered_profile = True
        return [prompts.FIRST_WITH_PROFILE]

    async def _tell_expired(self, source: Any, reason: str) -> None:
        adapter = self._runner.adapter_of(source)
        if adapter is not None:
            notice = prompts.reset_notice(reason, self._runner.config.default_reset_policy)
            notice = f"{notice}\n\n{self._runner.model_info()}"
            await adapter.send(source.chat_id, notice, metadata=thread_metadata(source))

    async def _tell_no_home(self, source: Any) -> None:
        """Tell the user that messages which answer nothing have nowhere to go, if that is so (H11)."""
        platform = source.platform
        set_in_environment = os.environ.get(self._runner.home_variable(platform.value), "").strip()
        counts = self._runner.contract.behaviour.home_channel_of_config_counts
        if set_in_environment or (counts and self._runner.config.get_home_channel(platform)):
            return
        await self._notify(source, prompts.NO_HOME.format(name=platform.value.title()))

    async def _notify(self, source: Any, text: str) -> None:
        adapter = self._runner.adapter_of(source)
        if adapter is None:
            return
        settings = self._runner.config.platforms.get(source.platform)
        private = settings and str(settings.extra.get("notice_delivery", "")).strip().lower() == "private"
        metadata = thread_metadata(source)
        if private and source.user_id:
            try:
                result = await adapter.send_private_notice(source.chat_id, source.user_id, text, metadata=metadata)
                if result.success:
                    return
            except Exception as error:
                _log.debug("send_private_notice failed, falling back to public: %s", error)
        await adapter.send(source.chat_id, text, metadata=metadata)

    async def _turns(self, entry: SessionEntry, event: Any, notes: str) -> Turn:
        """Take the turn of a message, and those of what came meanwhile; the last one is the answer."""
        key, source = entry.session_key, event.source
        turn = await self._turn(entry, event, self._text(event), notes)
        for _ in range(_MOST_FOLLOWING):
            adapter = self._runner.adapter_of(source)
            following = adapter and self._runner.waiting.take(key, adapter)
            if following is None or self._is_command(following):
                break
            if key in adapter._active_sessions:
                adapter._active_sessions[key].clear()
            first = reply_of(turn)
            if not turn.interrupted and turn.reply and not is_silence(turn.reply):
                await adapter.send(source.chat_id, first, metadata=thread_metadata(source))
            await adapter.send_typing(source.chat_id, metadata=thread_metadata(source))
            turn = await self._turn(entry, following, self._text(following), "")
        return turn

    def _is_command(self, event: Any) -> bool:
        """Whether a message that waited is a command of the host, which no agent reads."""
        return command_names.resolved(self._runner.contract, event.get_command()) is not None

    async def _turn(self, entry: SessionEntry, event: Any, text: str, notes: str) -> Turn:
        runner, source = self._runner, event.source
        session = runner.agents.session(entry, lambda: self._origin(entry, source, notes), source.platform.value)
        in_message = runner.contract.behaviour.gateway_notes_in_message

        def notify(question: tuple[Mapping[str, Any], bool]) -> Any:
            return runner.schedule(self._ask(source, *question))

        return await runner.agents.take(session, text, notes if in_message else "", notify)

    def _origin(self, entry: SessionEntry, source: Any, notes: str) -> Origin:
        runner = self._runner
        platform = runner.platforms.by_name.get(source.platform.value)
        shown = [one.value for one in connected(runner.config, runner.platforms)]
        shared = is_shared(source, runner.config.sessions_per_user)
        told = prompts.session_notes(source, getattr(platform, "platform_hint", ""), shown, shared=shared)
        in_message = runner.contract.behaviour.gateway_notes_in_message
        about = {name: value for name in _ABOUT if (value := getattr(source, name, None))}
        if not in_message and notes:
            told = (*told, notes)

        def step(number: int, calls: list[dict[str, Any]]) -> None:
            called = [one["name"] for one in calls]
            ids = {**self._who(source), **_ids(entry)}
            context = {**ids, "iteration": number, "tool_names": called, "tools": calls}
            runner.schedule(runner.hooks.emit("agent:step", context))

        def tell(text: str) -> None:
            adapter = runner.adapter_of(source)
            if adapter is not None:
                runner.schedule(adapter.send(source.chat_id, status_of(text), metadata=thread_metadata(source)))

        def pass_on(text: str) -> None:
            adapter = runner.adapter_of(source)
            if adapter is not None and passes:
                where = {"chat_id": source.chat_id, "content": text, "metadata": thread_metadata(source)}
                runner.schedule(adapter.send(**where))

        on_step = step if runner.hooks.loaded_hooks else None
        passes = runner.shows("interim_assistant_messages", source.platform.value, default=True)
        return Origin(entry.session_id, entry.session_key, about, told, on_step, tell, pass_on)

    async def _ask(self, source: Any, request: Mapping[str, Any], keeps: bool) -> None:
        """Ask the user for approval: with the adapter's buttons, else in words."""
        runner = self._runner
        adapter = runner.adapter_of(source)
        adapter.pause_typing_for_chat(source.chat_id)
        metadata = thread_metadata(source)
        if hasattr(type(adapter), "send_exec_approval"):
            more = {"allow_permanent": keeps, "smart_denied": not keeps}
            given = more if runner.contract.behaviour.smart_approvals_told else {}
            try:
                result = await adapter.send_exec_approval(
                    chat_id=source.chat_id,
                    command=request["command"],
                    session_key=request["session_key"],
                    description=request["description"],
                    metadata=metadata,
                    **given,
                )
                if result.success:
                    return
                _log.warning(
                    "Button-based approval failed (send returned error), falling back to text: %s", result.error
                )
            except Exception as error:
                _log.warning("Button-based approval failed, falling back to text: %s", error)
        prefix = getattr(adapter, "typed_command_prefix", "/")
        one = runner.contract.behaviour.smart_approvals_told
        text = prompts.approval_request(request, prefix, keeps=keeps, one_operation=one)
        try:
            await adapter.send(source.chat_id, text, metadata=metadata)
        except Exception as error:
            _log.error("Failed to send approval request: %s", error)


def _ids(entry: SessionEntry) -> dict[str, str]:
    return {"session_id": entry.session_id}
