"""A session: the history that turns share, the tools that it is offered, and how it begins and ends (D11 to D13)."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hermes_sdk.hosts.embedded.agent.context_engine import Engine
from hermes_sdk.hosts.embedded.agent.memory import Memory
from hermes_sdk.hosts.embedded.agent.provider_tools import definitions
from hermes_sdk.hosts.embedded.agent.request import RequestFailed
from hermes_sdk.hosts.embedded.agent.runtime import Runtime
from hermes_sdk.hosts.embedded.agent.turn import Turn
from hermes_sdk.hosts.embedded.agent.workers import Workers
from hermes_sdk.hosts.interface import RawTurn

if TYPE_CHECKING:
    from hermes_sdk.hosts.embedded.agent.origin import Origin
    from hermes_sdk.hosts.embedded.agent.tool_search import ToolSearch
    from hermes_sdk.hosts.embedded.builtins import Turnside
    from hermes_sdk.hosts.embedded.dispatch import ToolCall

_IDENTITY = "You are an agent that runs in a test."


class Session:
    """A conversation with the agent.

    Args:
        runtime: What the sessions of the host share.
        platform: What it runs on, such as ``cli``.
        parent: The session whose turn delegated to this one; its tools are offered here too.
        without: Those of them that are not.
        successor_of: The session whose memory provider and context engine go on in this one.
        origin: The chat that it serves; None outside of a gateway.

    Raises:
        AuthError: The chosen provider of models cannot be used.
        RuntimeError: The same, as releases before 0.19.0 say that a key is missing.

    Attributes:
        id: Its id.
        depth: How many sessions delegated before this one.
        history: Its messages, in the host's own form.
        search: What finds the tools that are put aside.
        memory: The memory provider, if there is one.
        engine: The context engine of a plugin, if one is selected.
        tools: The definitions of the tools that the model is offered.
        tool_names: Their names.
        notes: What the system prompt says besides.
        system: The system prompt; empty until the first turn.
        requests: How many requests it has made.
        tokens: How many tokens went in and out.
        later: Work that waits for the end of the turn.
    """

    def __init__(
        self,
        runtime: Runtime,
        platform: str,
        parent: Session | None = None,
        without: frozenset[str] = frozenset(),
        successor_of: Session | None = None,
        origin: Origin | None = None,
    ) -> None:
        runtime.access.demand(runtime.state.contract)
        self.runtime = runtime
        self.platform = platform
        self.origin = origin
        self.id = origin.session_id if origin else _new_id()
        self.depth: int = 0 if parent is None else parent.depth + 1
        self.history: list[dict[str, Any]] = []
        granted = runtime.offered(platform) if parent is None else parent.search.tools
        self.search: ToolSearch = runtime.search([tool for tool in granted if tool["function"]["name"] not in without])
        self.memory: Memory | None = None
        self.engine: Engine | None = None
        if successor_of is not None:
            self.memory, self.engine = successor_of.memory, successor_of.engine
        elif parent is None:
            self.memory = Memory.opened(runtime, self.id, platform, origin)
            self.engine = Engine.opened(runtime, self.id, platform, origin)
        self.tools = [*self.search.offered, *self._own_tools()]
        self.tool_names = frozenset(tool["function"]["name"] for tool in self.tools if "name" in tool["function"])
        self.notes: list[str] = [*origin.notes] if origin else []
        self.system = ""
        self.requests = 0
        self.tokens = {"input": 0, "output": 0}
        self.later: list[Callable[[], Any]] = []
        self._state: dict[str, Any] = {}

    def _own_tools(self) -> Iterator[dict[str, Any]]:
        """The tools of the memory provider, which come with the host's tool of that name, and of the engine."""
        gated = self.runtime.behaviour.memory_tools_gated
        has_memory = not gated or any(tool["function"]["name"] == "memory" for tool in self.search.offered)
        schemas = self.memory.schemas if self.memory and has_memory else []
        return definitions([*schemas, *(self.engine.schemas if self.engine else ())], self.search.offered)

    def begin(self) -> None:
        """Build the system prompt, which is when a session starts; nothing after that."""
        if not self.system:
            self.system = self._prompt()
            model = self.runtime.model_name
            self.runtime.hooks.fire("on_session_start", session_id=self.id, model=model, platform=self.platform)

    def chat(self, text: str, task_id: str | None = None) -> RawTurn:
        """Take a turn, and do what it left for later.

        Args:
            text: What the user says.
            task_id: The task that the turn belongs to. Default: one of its own.

        Returns:
            What is known of the turn; its events are left to the caller.
        """
        start = len(self.history)
        turn = self.take(text, task_id)
        self._catch_up()
        if self.memory:
            self.memory.settle()
        return {
            "reply": turn.reply,
            "completed": turn.completed,
            "interrupted": turn.interrupted,
            "error": turn.error,
            "messages": [dict(message) for message in self.history],
            "start": min(start, len(self.history)),
            "events": [],
        }

    def take(
        self, text: str, task_id: str | None, notes: str = "", began: Callable[[Turn], Any] = lambda _: None
    ) -> Turn:
        """Take a turn; what it left for later still waits.

        Args:
            text: What the user says.
            task_id: The task that the turn belongs to. Default: one of its own.
            notes: What the model is told beside it.
            began: Called with the turn before it begins.
        """
        turn = Turn(self, text, task_id, notes)
        began(turn)
        try:
            turn.reply = turn.run()
        except RequestFailed as failed:
            turn.reply, turn.error = failed.reply, failed.error
        return turn

    def _catch_up(self) -> None:
        """Do what waits for the end of the turn, on a thread as the host has it, and wait for it: no race in a test."""
        waiting, self.later = self.later, []
        if self.runtime.behaviour.subagent_stop_on_parent_thread:
            for one in waiting:
                one()
        elif waiting:
            with Workers(1, "async-delegate") as workers:
                for work in [workers.submit(one) for one in waiting]:
                    work.result()

    def count(self, usage: Mapping[str, int] | None) -> None:
        """Take note of what an answer cost."""
        self.tokens["input"] += (usage or {}).get("input_tokens", 0)
        self.tokens["output"] += (usage or {}).get("output_tokens", 0)

    def finish(self, reason: str) -> None:
        """End the session.

        Args:
            reason: Why, in the host's words: ``shutdown`` or ``session_boundary``.
        """
        if reason == "shutdown":
            self.close()
        self.runtime.hooks.fire("on_session_finalize", session_id=self.id, platform=self.platform, reason=reason)

    def close(self) -> None:
        """End its memory provider and its context engine."""
        if self.memory:
            self.memory.close(self.history)
        if self.engine:
            self.engine.close(self.id, self.history)

    def succeeded(self) -> Session:
        """End this session and begin the one that ``/new`` makes (D12)."""
        self.finish("session_boundary")
        fresh = Session(self.runtime, self.platform, successor_of=self)
        if not self.runtime.behaviour.session_reset_gateway_only:
            self.runtime.hooks.fire(
                "on_session_reset", session_id=fresh.id, platform=fresh.platform, reason="new_session"
            )
        if self.memory:
            self.memory.switch(self.history, self.id, fresh.id)
        return fresh

    def turnside(self, turn: Turn, call: ToolCall) -> Turnside:
        """What a built-in tool may use when it answers a call of this session."""
        return replace(
            self.runtime.tools,
            task_id=turn.task_id,
            session_id=self.id,
            turn_id=turn.id,
            tool_call_id=call.tool_call_id or "",
            session_state=self._state,
        )

    def _prompt(self) -> str:
        soul = self.runtime.state.home.path / "SOUL.md"
        identity = soul.read_text(encoding="utf-8", errors="replace").strip() if soul.is_file() else ""
        began = time.strftime("%A, %B %d, %Y")
        told = [f"Conversation started: {began}", f"Session ID: {self.id}", f"Model: {self.runtime.model_name}"]
        remembered = [self.memory.prompt()] if self.memory else []
        return "\n\n".join(filter(None, [identity or _IDENTITY, *self.notes, *remembered, "\n".join(told)]))


def _new_id() -> str:
    return f"{time.strftime('%Y%m%d_%H%M%S')}_{uuid.uuid4().hex[:6]}"
