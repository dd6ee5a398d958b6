"""Prompts to the users of a gateway: approval of commands, and confirmation of destructive slash commands."""

from __future__ import annotations

import asyncio
import itertools
import logging
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from hermes_sdk.errors import HermesSdkError
from hermes_sdk.home import Home
from hermes_sdk.hosts.embedded.agent.runtime import Runtime
from hermes_sdk.hosts.embedded.approval.gate import format_window
from hermes_sdk.hosts.embedded.approval.prompts import Answers, Asker, ClarifyingQuestion, Questions
from hermes_sdk.hosts.embedded.gateway.adapter.classes import AdapterClasses
from hermes_sdk.hosts.embedded.gateway.adapter.sending import thread_metadata
from hermes_sdk.hosts.embedded.gateway.clarifications import Clarifications
from hermes_sdk.hosts.embedded.gateway.connections import Connections
from hermes_sdk.hosts.embedded.gateway.sessions import SessionStore
from hermes_sdk.hosts.embedded.providers.plugin_llm.auxiliary import AuxiliaryClient
from hermes_sdk.hosts.embedded.wording import Wording

_log = logging.getLogger("gateway.run")

_SEND_SECONDS = 15.0
_INTERIM = {"_interim_send": True}
"""Metadata of messages that are not the reply of a turn."""
_LONGEST_REASON = 280
_SCOPES = {
    **dict.fromkeys(("always", "permanent", "permanently"), "always"),
    **dict.fromkeys(("session", "ses"), "session"),
}
_COMMANDS = {
    **dict.fromkeys(("approve", "yes", "ok", "okay", "confirm", "y", "👍"), "/approve"),
    **dict.fromkeys(("always", "approve always", "always approve"), "/approve always"),
    **dict.fromkeys(("session", "approve session", "session approve"), "/approve session"),
    **dict.fromkeys(("deny", "no", "reject", "cancel", "n", "👎"), "/deny"),
}
_CHOICES = {
    **dict.fromkeys(("approve", "approve once", "confirm", "ok", "once", "yes"), "once"),
    **dict.fromkeys(("always", "always approve", "remember"), "always"),
    **dict.fromkeys(("cancel", "deny", "nevermind", "no"), "cancel"),
}
_BY_COMMAND_ONLY = frozenset({"confirm", "deny", "ok", "remember", "yes"})


class Approvals:
    """Asks users to approve commands of their agents; `questions` contains the unanswered questions."""

    def __init__(self, runtime: Runtime, sessions: SessionStore, connections: Connections) -> None:
        state = self._state = runtime.state
        self._adapter_class = AdapterClasses.of(runtime).BasePlatformAdapter
        self._gate = runtime.tools.approval
        self._model = AuxiliaryClient(state, runtime.hooks)
        self._sessions = sessions
        self._connections = connections
        self.clarifications = Clarifications(runtime)
        self.questions = Questions.of(state)
        self.confirmations = Confirmations(state.home, sessions, connections, state.wording)

    def make_asker(self, key: str, source: Any, stop: threading.Event) -> Asker:
        """Return an `Asker` for the user of a chat, to be used in a turn's thread. Call this on the gateway's loop."""
        loop = asyncio.get_running_loop()
        card: str | None = None

        def notify(request: Mapping[str, Any], is_lasting: bool) -> None:
            nonlocal card
            adapter = self._connections.find_adapter(source)
            adapter.pause_typing_for_chat(source.chat_id)
            asking = asyncio.run_coroutine_threadsafe(self._ask(adapter, source, request, is_lasting), loop)
            card = asking.result(_SEND_SECONDS)

        async def announce_timeout() -> None:
            adapter = self._connections.find_adapter(source)
            if adapter is not None and self._state.behaviour.approval_outcomes_told:
                if card and type(adapter).edit_message is not self._adapter_class.edit_message:
                    raise self._state.unsupported("edit the approval prompt of an adapter that nobody answered")
                text = self._state.wording("gateway.exec_approval.timed_out_notice", window=format_window(self._state))
                await adapter.send(source.chat_id, text, metadata={**(thread_metadata(source) or {}), **_INTERIM})

        def on_timeout() -> None:
            asyncio.run_coroutine_threadsafe(announce_timeout(), loop)

        def clarify(questions: Sequence[ClarifyingQuestion]) -> Answers:
            adapter = self._connections.find_adapter(source)
            return self.clarifications.ask(loop, adapter, source, stop, key, questions)

        return Asker(key, source.platform.value, self.questions, notify, stop.is_set, self._judge, on_timeout, clarify)

    def _has_buttons(self, adapter_class: Any) -> bool:
        """Return whether an adapter can show approval buttons."""
        if self._composes_prompts and issubclass(adapter_class, self._adapter_class):
            return bool(adapter_class.supports_exec_approval_buttons())
        return hasattr(adapter_class, "send_exec_approval")

    @property
    def _composes_prompts(self) -> bool:
        """Return whether the base class of adapters composes the prompt, and adapters only draw it."""
        return hasattr(self._adapter_class, "supports_exec_approval_buttons")

    async def _ask(self, adapter: Any, source: Any, request: Mapping[str, Any], is_lasting: bool) -> str | None:
        """Ask for approval with the adapter's buttons, or in a text message without them.

        Returns:
            The ID of the message with the buttons, if there is one.
        """
        metadata = thread_metadata(source)
        behaviour = self._state.behaviour
        if self._has_buttons(type(adapter)):
            more = {"allow_session": is_lasting} if behaviour.session_approvals_offered else {}
            try:
                result = await adapter.send_exec_approval(
                    chat_id=source.chat_id,
                    command=request["command"],
                    session_key=request["session_key"],
                    description=request["description"],
                    metadata=metadata,
                    allow_permanent=is_lasting,
                    smart_denied=not is_lasting,
                    **more,
                )
                if result.success:
                    card: str | None = result.message_id
                    return card
                if self._composes_prompts and result.raw_response is not None:
                    raise self._state.unsupported("read why an adapter could not ask with buttons")
                self._log_failed_buttons(result.error or "unknown error", is_answer=True)
            except HermesSdkError:
                raise
            except Exception as error:
                self._log_failed_buttons(error, is_answer=False)
        prefix = getattr(adapter, "typed_command_prefix", "/")
        text = _format_request(request, prefix, self._state.wording, format_window(self._state), is_lasting=is_lasting)
        if behaviour.approval_prompts_marked:
            metadata = {**(metadata or {}), "is_approval_prompt": True}
        if behaviour.approval_prompts_interim:
            metadata = {**(metadata or {}), **_INTERIM}
        try:
            await adapter.send(source.chat_id, text, metadata=metadata)
        except Exception as error:
            _log.error("Failed to send approval request: %s", error)
        return None

    def _log_failed_buttons(self, error: object, *, is_answer: bool) -> None:
        message = "Button-based approval failed (send returned error), falling back to text"
        if self._composes_prompts:
            _log.warning("Prompt send failed: %s", error)
            _log.warning(message)
        elif is_answer:
            _log.warning("%s: %s", message, error)
        else:
            _log.warning("Button-based approval failed, falling back to text: %s", error)

    def _judge(self, command: str, reason: str) -> str:
        """Ask the model of ``auxiliary.approval`` to approve, deny or escalate a command."""
        wording = self._state.wording
        messages = [
            {"role": role, "content": wording(f"judge.{role}", command=command, reason=reason)}
            for role in ("system", "user")
        ]
        effort = "none" if self._judges_without_reasoning() else None
        try:
            completion = self._model.ask(
                messages,
                provider=None,
                model=None,
                temperature=0,
                extra={},
                task_name="approval",
                reasoning_effort=effort,
            )
        except Exception as error:
            _log.debug("Smart approvals: LLM call failed (%s), escalating", error)
            return "escalate"
        answer = completion.text.strip().upper()
        return {"APPROVE": "approve", "DENY": "deny"}.get(answer, "escalate")

    def _judges_without_reasoning(self) -> bool:
        """Return whether the model that judges commands has reasoning turned off.

        Raises:
            NotSupported: The configuration sets the reasoning of this model.
        """
        if not self._state.behaviour.judges_without_reasoning:
            return False
        auxiliary = self._state.config.read().get("auxiliary")
        settings = auxiliary.get("approval") if isinstance(auxiliary, Mapping) else None
        body = settings.get("extra_body") if isinstance(settings, Mapping) else None
        is_set = isinstance(settings, Mapping) and settings.get("reasoning_effort") not in (None, "")
        if is_set or (isinstance(body, Mapping) and "reasoning" in body):
            raise self._state.unsupported("apply the reasoning settings of `auxiliary.approval`")
        return True

    def parse_answer(self, key: str, text: str) -> str | None:
        """Return the slash command for a text such as ``yes`` if the chat has an open question, or None."""
        return _COMMANDS.get(text.strip().lower()) if self.questions.pending(key) else None

    async def approve(self, event: Any) -> str:
        """Answer ``/approve``."""
        words = event.get_command_args().lower().split()
        scopes = [_SCOPES[word] for word in words if word in _SCOPES]
        choice = "always" if "always" in scopes else scopes[0] if scopes else "once"
        count = self._answer(event.source, choice, every="all" in words)
        if not count:
            return self._state.wording("gateway.approve.no_pending")
        return self._state.wording(f"gateway.approve.{choice}_{_select_plural_form(count)}", count=count)

    async def deny(self, event: Any) -> str:
        """Answer ``/deny``."""
        reason = event.get_command_args().strip()
        every = reason.lower().split()[:1] == ["all"]
        if every:
            reason = reason[3:].strip()
        reason = reason[:_LONGEST_REASON].strip()
        count = self._answer(event.source, "deny", every=every, reason=reason or None)
        if not count:
            return self._state.wording("gateway.deny.no_pending")
        outcome = f"denied{'_reason' if reason else ''}_{_select_plural_form(count)}"
        return self._state.wording(f"gateway.deny.{outcome}", count=count, reason=reason)

    def _answer(self, source: Any, choice: str, **how: Any) -> int:
        count = self.questions.answer(self._sessions.key(source), choice, **how)
        adapter = self._connections.find_adapter(source)
        if count and adapter is not None:
            adapter.resume_typing_for_chat(source.chat_id)
        return count

    def forget(self, key: str) -> None:
        """Forget the questions and approvals of an ended session."""
        self.confirmations.forget(key)
        self._gate.forget(key)


def _select_plural_form(count: int) -> str:
    return "singular" if count == 1 else "plural"


def _format_request(request: Mapping[str, Any], prefix: str, wording: Wording, window: str, *, is_lasting: bool) -> str:
    """Format the question about a command.

    `request` contains the arguments of the approval hooks; `window` is the time to answer; `is_lasting` says whether
    an approval may apply to later commands.
    """
    command = request["command"]
    shown = f"{command[:200]}..." if len(command) > 200 else command
    heading = wording("approval.heading") if is_lasting else "Smart DENY — owner override for one operation:"
    scopes = ("once", "session", "always") if is_lasting else ("once",)
    choices = ", ".join(wording(f"approval.{scope}", prefix=prefix) for scope in scopes)
    return wording(
        "gateway.exec_approval.text_body",
        heading=heading,
        command=shown,
        reason=request["description"],
        choices=f"{choices}, or `{prefix}deny` to cancel.",
        window=window,
    )


class Confirmations:
    """Destructive commands that await confirmation, at most one per chat."""

    def __init__(self, home: Home, sessions: SessionStore, connections: Connections, wording: Wording) -> None:
        self._home = home
        self._wording = wording
        self._sessions = sessions
        self._connections = connections
        self._numbers = itertools.count(1)
        self._waiting: dict[str, tuple[str, Callable[[], Awaitable[Any]]]] = {}

    async def ask(self, event: Any, command: str, effect: str, execute: Callable[[], Awaitable[Any]]) -> str | None:
        """Ask for confirmation; return the question, or None if the adapter showed it with buttons."""
        key = self._sessions.key(event.source)
        adapter = self._connections.find_adapter(event.source)
        prefix = getattr(adapter, "typed_command_prefix", "/")
        message = self._wording("gateway.confirm.destructive_prompt", command=command, detail=effect, prefix=prefix)
        self._waiting[key] = (command, execute)
        result = await adapter.send_slash_confirm(
            chat_id=event.source.chat_id,
            title=f"/{command}",
            message=message,
            session_key=key,
            confirm_id=str(next(self._numbers)),
            metadata=None,
        )
        return None if getattr(result, "success", False) else message

    async def answer(self, event: Any) -> tuple[bool, Any]:
        """Answer a pending confirmation with a message; return whether that is possible, and the reply."""
        key = self._sessions.key(event.source)
        choice = _parse_choice(event) if key in self._waiting else None
        if choice is None:
            return False, None
        command, execute = self._waiting.pop(key)
        if choice == "cancel":
            return True, self._wording("gateway.confirm.cancelled", command=command)
        if choice == "always":
            self._home.update_config({"approvals": {"destructive_slash_confirm": False}})
        result = await execute()
        silenced = self._wording("gateway.confirm.destructive_optout")
        return True, f"{result}{silenced}" if choice == "always" else result

    def forget(self, key: str) -> None:
        """Forget the pending command of a chat."""
        self._waiting.pop(key, None)


def _parse_choice(event: Any) -> str | None:
    command = event.get_command()
    if command in _CHOICES:
        return _CHOICES[command]
    text = event.text.strip().lstrip("!/").lower()
    return _CHOICES.get(text) if text not in _BY_COMMAND_ONLY else None
