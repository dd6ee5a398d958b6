"""A session with its history, tools and lifecycle (D11 to D13)."""

from __future__ import annotations

import copy
import os
import time
import uuid
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from hermes_sdk.hosts.embedded.agent.context_engine import Compressor, Engine, require_length
from hermes_sdk.hosts.embedded.agent.memory import Memory
from hermes_sdk.hosts.embedded.agent.message_rows import MessageRows
from hermes_sdk.hosts.embedded.agent.origin import Origin, StatusChannel
from hermes_sdk.hosts.embedded.agent.provider_tools import list_definitions
from hermes_sdk.hosts.embedded.agent.runtime import Runtime
from hermes_sdk.hosts.embedded.agent.settings import Settings
from hermes_sdk.hosts.embedded.agent.surrogates import replace_surrogates
from hermes_sdk.hosts.embedded.agent.token_estimate import UsageAnchor
from hermes_sdk.hosts.embedded.agent.tool_search import Definition, ListedToolSearch, ToolSearch
from hermes_sdk.hosts.embedded.agent.workers import Workers
from hermes_sdk.hosts.embedded.tools.toolsets import Toolsets

_IDENTITY = "You are an agent that runs in a test."
_DEFERRED = ("computer_use", "cronjob_manage", "image_generate", "process_manage", "session_search", "todo_list")


class TurnIds(NamedTuple):
    """The ids of a turn, in the order in which the host passes them to hooks."""

    session_id: str
    task_id: str
    turn_id: str


class Session:
    """A conversation with the agent.

    Args:
        parent: The session that delegates to this one; its tools are offered except those in `without`.
        without: Names of tools to withhold.
        successor_of: The session before ``/new``, whose memory provider and context engine this one takes over.
        origin: The chat of the session; None outside a gateway.

    Attributes:
        parent_id: The id of the parent; empty without one.
        depth: The number of ancestors.
        history: The messages, in the host's form.
        status: Sends status messages to the chat.
        earlier: Messages from before ``/new``, which a session without messages passes on when it ends.
        turns: The number of turns so far.
        tools: The definitions of the tools offered to the model.
        anchor: The provider's token count for the last request, on releases that use it.
        notes: Additional parts of the system prompt.
        note: A note to the model, added to the next message; empty without one.
        system: The system prompt; empty until the first turn.
        background: Work to run after the turn.
        tool_state: State of built-in tools for the lifetime of the session.
        streams_new_paragraph: Whether the next streamed text starts a paragraph, as after tool calls.
        last_unstreamed_repeat: The monotonic time at which a request was last repeated without streaming.

    Raises:
        AuthError: The selected model provider cannot be used.
        ValueError: The model's context is too short.
    """

    def __init__(
        self,
        runtime: Runtime,
        platform: str,
        *,
        parent: Session | None = None,
        without: frozenset[str] = frozenset(),
        successor_of: Session | None = None,
        origin: Origin | None = None,
    ) -> None:
        before = parent or successor_of
        providers = runtime.registrations.model_providers
        providers.discover(runtime.state.home.path, runtime.state.swallow)
        self.settings: Settings = before.settings if before else Settings(runtime.state, providers.get)
        self.settings.provider.require_usable(runtime.state.contract)
        self.runtime = runtime
        self.behaviour = runtime.behaviour
        self.platform = platform
        self.origin = origin
        self.status = StatusChannel(origin)
        self.id = origin.session_id if origin else f"{time.strftime('%Y%m%d_%H%M%S')}_{uuid.uuid4().hex[:6]}"
        self.parent_id = parent.id if parent else ""
        if not parent:
            os.environ["HERMES_SESSION_ID"] = self.id
        self.depth: int = parent.depth + 1 if parent else 0
        self.history: list[dict[str, Any]] = []
        self.earlier: list[dict[str, Any]] = []
        self.turns = 0
        if successor_of:
            self.search: ToolSearch = successor_of.search
        else:
            available = parent.search.tools if parent else self._list_tools()
            self.search = self._defer_tools([tool for tool in available if tool["function"]["name"] not in without])
        self.memory: Memory | None = None
        self.engine: Engine | None = None
        if successor_of:
            self.memory, self.engine = successor_of.memory, successor_of.engine
            self.earlier = successor_of.history or successor_of.earlier
        elif parent:
            offers_tools = self.behaviour.engines_serve_children
            self.engine = Engine.open(runtime, self.settings, self.id, platform, origin, offers_tools=offers_tools)
        else:
            self.memory = Memory.open(runtime, self.settings, self.id, platform, origin)
            self.engine = Engine.open(runtime, self.settings, self.id, platform, origin)
            if self.engine is None:
                self._require_context()
            if self.memory and self._offers_memory():
                self.memory.collect_schemas()
        self._tool_changes = runtime.registrations.tools.changes
        self.anchor = UsageAnchor(self.behaviour)
        self.compressor = Compressor(self.settings)
        offered = self.search.offered
        schemas = [
            *(self.memory.schemas if self.memory and self._offers_memory() else ()),
            *(self.engine.schemas if self.engine else ()),
        ]
        self.tools = [*offered, *list_definitions(schemas, offered)]
        self.tool_names = frozenset(tool["function"]["name"] for tool in self.tools if "name" in tool["function"])
        self.notes: list[str] = [*origin.notes] if origin else []
        self.system = ""
        self._sections: str | None = None
        if successor_of and not self.behaviour.prompt_sections_renewed:
            self._sections = successor_of._sections
        self.requests = 0
        self.failure_reason = ""
        self.tokens = {"input": 0, "output": 0}
        self.background: list[Callable[[], Any]] = []
        self.tool_state: dict[str, Any] = {}
        self.streams_new_paragraph: bool = successor_of.streams_new_paragraph if successor_of else False
        self.note = ""
        self.last_unstreamed_repeat: float | None = None

    def remake(self, notes: tuple[str, ...], about: Mapping[str, Any]) -> Session:
        """Return the session for the next turn of a chat: a new one if its user, description or tools changed.

        Args:
            notes: The description of the chat, as in `Origin`.
            about: The facts about its user, as in `Origin`.

        Raises:
            NotSupported: The new session would restart its memory provider or context engine.
        """
        assert self.origin is not None
        user = self.origin.sender_id
        has_new_notes = self.origin.notes != notes
        self.origin.notes, self.origin.about = notes, about
        has_changed = has_new_notes or self.origin.sender_id != user
        if not has_changed and self._tool_changes == self.runtime.registrations.tools.changes:
            return self
        if self.memory or self.engine:
            raise self.runtime.state.unsupported(
                "make another agent of a chat whose memory or engine would begin again"
            )
        fresh = Session(self.runtime, self.platform, origin=self.origin)
        fresh.history, fresh.system, fresh.tokens = self.history, self.system, self.tokens
        return fresh

    def _require_context(self) -> None:
        try:
            require_length(self.settings.context_length, self.settings.model, self.runtime.state.wording)
        except ValueError as error:
            if self.origin or self.behaviour.short_contexts_explained:
                raise self.runtime.state.unsupported("report that the model's context is too short") from error
            raise

    def take_note(self) -> str:
        """Return and clear the note for the next message."""
        note, self.note = self.note, ""
        return note

    def _list_tools(self) -> list[Definition]:
        """Return the definitions of the tools in the selected toolsets (C11, C12).

        Raises:
            NotSupported: A plugin brings MCP servers.
        """
        self.runtime.registrations.mcp_servers.require_none()
        registry = self.runtime.registrations.tools
        registry.register_builtins()
        of_plugins = {registry.entries[name].toolset for name in registry.plugin_tools}
        chosen = self.settings.choose_toolsets(self.platform, of_plugins)
        platforms = {one["name"] for _, one in self.runtime.registrations.platforms.entries}
        toolsets = Toolsets(self.runtime.state, registry, platforms)
        return registry.definitions(toolsets.list_tools(sorted(chosen), self.settings.disabled_toolsets))

    def _defer_tools(self, tools: list[Definition]) -> ToolSearch:
        """Defer tools as configured in ``tools.tool_search`` (C15)."""
        setting = self.settings.section("tools").get("tool_search")
        length = self.settings.context_length
        toolset_of = partial(self._find_deferrable_toolset, self._list_deferred_tools(setting))
        if not self.behaviour.searches_listed:
            return ToolSearch(tools, setting, length, toolset_of, self.behaviour)
        state = self.runtime.state
        return ListedToolSearch(
            tools,
            setting,
            length,
            toolset_of,
            self.behaviour,
            registered={*self.runtime.registrations.tools.entries, *state.contract.tools},
            wording=state.wording,
            unsupported=state.unsupported,
        )

    def _list_deferred_tools(self, setting: Any) -> Sequence[str]:
        """Return the names of the core tools to defer."""
        configured = setting.get("defer") if isinstance(setting, Mapping) else None
        if isinstance(configured, list):
            return [str(name).strip() for name in configured]
        if self.behaviour.core_tools_deferred:
            return _DEFERRED
        tools = self.runtime.state.contract.section("default_config")["values"].get("tools", {})
        return list(tools.get("tool_search", {}).get("defer") or ())

    def _find_deferrable_toolset(self, deferred: Collection[str], tool: str) -> str | None:
        registry = self.runtime.registrations.tools
        if tool in deferred and tool in registry.entries:
            return registry.entries[tool].toolset
        deferrable = registry.is_of_plugin(tool) and tool not in self.runtime.state.contract.tools
        return registry.entries[tool].toolset if deferrable else None

    def _offers_memory(self) -> bool:
        """Return whether the memory provider's tools are offered, which requires the ``memory`` tool."""
        return any(tool["function"]["name"] == "memory" for tool in self.search.offered)

    def count_turn(self) -> int:
        """Count a new turn and return its number, including the turns of a restored history."""
        self.turns = (self.turns or sum(one["role"] == "user" for one in self.history)) + 1
        return self.turns

    @property
    def is_stopped(self) -> bool:
        """Return whether the user of the chat has stopped the turn."""
        return self.origin is not None and self.origin.stop.is_set()

    def begin(self) -> None:
        """Build the system prompt and fire ``on_session_start``; later calls do nothing."""
        if not self.system:
            self.system = self._build_prompt()
            if replace_surrogates(self.system) != self.system:
                raise self.runtime.state.unsupported("store a system prompt that no encoding can write")
            model = self.settings.model
            self.runtime.hooks.fire("on_session_start", session_id=self.id, model=model, platform=self.platform)

    def _build_prompt(self) -> str:
        soul = self.runtime.state.home.path / "SOUL.md"
        identity = soul.read_text(encoding="utf-8", errors="replace").strip() if soul.is_file() else ""
        today = time.strftime("%A, %B %d, %Y")
        facts = [f"Conversation started: {today}", f"Model: {self.settings.model}"]
        has_memory_prompt = self._offers_memory() or not self.behaviour.memory_prompt_gated
        memory = [self.memory.build_prompt()] if self.memory and has_memory_prompt else []
        if self._sections is None:
            self._sections = self.runtime.registrations.prompt_sections.render(self._describe())
        parts = [identity or _IDENTITY, *self.notes, *memory, self._sections, "\n".join(facts)]
        return "\n\n".join(filter(None, parts))

    def _describe(self) -> dict[str, str]:
        """Return the facts about the session that prompt sections receive (N78)."""
        return {
            "session_id": self.id,
            "model": self.settings.model,
            "provider": self.settings.provider.name,
            "platform": self.platform,
            "profile_name": "default",
            "cwd": os.environ.get("TERMINAL_CWD") or str(self.runtime.state.cwd),
        }

    def count_usage(self, usage: Mapping[str, int] | None) -> None:
        """Count the tokens of a response, and pass them to the context engine."""
        self.tokens["input"] += (usage or {}).get("input_tokens", 0)
        self.tokens["output"] += (usage or {}).get("output_tokens", 0)
        if self.engine:
            self.engine.count_usage(usage)
        else:
            self.compressor.count_usage(usage)
        if self.behaviour.usage_anchored:
            self.anchor.record(usage or {}, self.history)

    def compress(self, engine: Engine, tokens: int) -> bool:
        """Compress the history of about `tokens` tokens; return whether the host counts it as a compression."""
        if not self.behaviour.compressed_aside:
            return self._compress(engine, tokens)
        with Workers(1, "compress-ctx-timeout") as worker:
            is_compressed: bool = worker.submit(self._compress, engine, tokens).result()
            return is_compressed

    def _compress(self, engine: Engine, tokens: int) -> bool:
        messages = list(self.history)
        status = engine.format_status(
            "compress",
            self.runtime.state.wording("status.compressed"),
            tokens,
            message_count=len(messages),
            model=self.settings.model,
            focus_topic=None,
        )
        if status:
            self.status.tell(status)
        context = self.memory.prepare_compression(messages) if self.memory else ""
        before = copy.deepcopy(messages)
        compressed = engine.compress(messages, tokens, context)
        if status and self.behaviour.compressed_aside:
            self.status.tell(self.runtime.state.wording("status.compression_end"))
        if not compressed or compressed == before:
            # Keep the message objects if they are equal: some may not be stored yet.
            if self.history != before:
                self.history[:] = before
            return False
        if not any(one.get("role") == "user" for one in compressed):
            raise self.runtime.state.unsupported("continue a history without a message of the user")
        if self.behaviour.last_reply_kept and _loses_reply(before, compressed):
            raise self.runtime.state.unsupported("restore the last reply, which a context engine dropped")
        if self.origin and self.origin.reports_compressions:
            raise self.runtime.state.unsupported("call an event hook for session:compress")
        self.anchor.drop()
        self.history[:] = compressed
        MessageRows(self.runtime.state).rewrite(self.history)
        if self.behaviour.engine_lists_tools_again:
            engine.list_tools()
        engine.restart(self.id, messages)
        return True

    def renew(self) -> Session:
        """End this session, and return its successor after ``/new`` (D12)."""
        if self.engine and self.history:
            self.engine.close(self.id, self.history)
        self.finish("session_boundary")
        if self.engine:
            self.engine.reset()
        fresh = Session(self.runtime, self.platform, successor_of=self)
        self.runtime.hooks.fire("on_session_reset", session_id=fresh.id, platform=fresh.platform, reason="new_session")
        if self.memory:
            self.memory.end_and_switch(self.history, self.id, fresh.id)
        return fresh

    def finish(self, reason: str) -> None:
        """End the session; `reason` is ``shutdown`` or ``session_boundary``, as for ``on_session_finalize``."""
        self.runtime.hooks.fire("on_session_finalize", session_id=self.id, platform=self.platform, reason=reason)
        if reason == "shutdown":
            self.close()

    def close(self) -> None:
        """Shut down the memory provider and the context engine."""
        messages = self.history or self.earlier
        if self.memory:
            self.memory.close(messages)
        if self.engine:
            self.engine.close(self.id, messages)


def _loses_reply(messages: Sequence[Mapping[str, Any]], compressed: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether a compression drops the last reply of a history."""

    def list_replies(history: Sequence[Mapping[str, Any]]) -> list[str]:
        replies = (one for one in history if one.get("role") == "assistant" and not one.get("tool_calls"))
        return [text for one in replies if (text := str(one.get("content") or "").strip())]

    replies = list_replies(messages)
    return bool(replies) and replies[-1] not in list_replies(compressed)
