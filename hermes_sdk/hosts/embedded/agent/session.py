"""A session: its history, its tools, and how it begins and ends (D11 to D13)."""

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

    A session with a `parent` is delegated: it offers the parent's tools except those in `without`. One with
    `successor_of` takes over that session's memory provider and context engine. Outside of a gateway, `origin` is None.

    Attributes:
        parent_id: The session that delegated to this one; empty if none did.
        depth: The number of sessions that delegated before this one.
        history: Its messages, in the host's own form.
        status: Tells the user of a chat what happens in a turn.
        earlier: The messages with which a session without messages ends: those of the last one before ``/new``.
        turns: The number of turns that the user began.
        tools: The definitions of the tools that the model is offered.
        anchor: What the provider counted for the last request, if the release keeps it.
        notes: Additional parts of the system prompt.
        note: What the model is told before the next message; empty if nothing.
        system: The system prompt; empty until the first turn.
        background: Work that waits for the end of the turn.
        tool_state: What built-in tools remember for the lifetime of the session.
        streams_new_paragraph: Whether the next streamed text begins a new paragraph, as after tools.
        repeated_unstreamed: When a request was last repeated without a stream, by the monotonic clock.

    Raises:
        AuthError: The chosen model provider cannot be used.
        ValueError: The context of the model is too short.
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
            granted = parent.search.tools if parent else self._list_tools()
            self.search = self._set_tools_aside([tool for tool in granted if tool["function"]["name"] not in without])
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
        self.repeated_unstreamed: float | None = None

    def remake(self, notes: tuple[str, ...], about: Mapping[str, Any]) -> Session:
        """Return the agent of the next turn of a chat: another one if its user, its description or the tools changed.

        Args:
            notes: The description of the chat, as in `Origin`.
            about: The facts about its user, as in `Origin`.

        Raises:
            NotSupported: It would have another memory provider or context engine.
        """
        assert self.origin is not None
        user = self.origin.sender_id
        is_described_anew = self.origin.notes != notes
        self.origin.notes, self.origin.about = notes, about
        has_changed = is_described_anew or self.origin.sender_id != user
        if not has_changed and self._tool_changes == self.runtime.registrations.tools.changes:
            return self
        if self.memory or self.engine:
            raise self.runtime.state.unsupported(
                "make another agent of a chat whose memory or engine would begin again"
            )
        made = Session(self.runtime, self.platform, origin=self.origin)
        made.history, made.system, made.tokens = self.history, self.system, self.tokens
        return made

    def _require_context(self) -> None:
        try:
            require_length(self.settings.context_length, self.settings.model, self.runtime.state.wording)
        except ValueError as error:
            if self.origin or self.behaviour.short_contexts_explained:
                raise self.runtime.state.unsupported("report that the model's context is too short") from error
            raise

    def take_note(self) -> str:
        """Return the note for the next message, which gets it once."""
        note, self.note = self.note, ""
        return note

    def _list_tools(self) -> list[Definition]:
        """List the tools of the chosen toolsets (C11, C12).

        Raises:
            NotSupported: Some would be tools of MCP servers.
        """
        self.runtime.registrations.mcp_servers.require_none()
        registry = self.runtime.registrations.tools
        registry.register_builtins()
        of_plugins = {registry.entries[name].toolset for name in registry.plugin_tools}
        chosen = self.settings.choose_toolsets(self.platform, of_plugins)
        platforms = {one["name"] for _, one in self.runtime.registrations.platforms.entries}
        toolsets = Toolsets(self.runtime.state, registry, platforms)
        return registry.definitions(toolsets.list_tools(sorted(chosen), self.settings.disabled_toolsets))

    def _set_tools_aside(self, tools: list[Definition]) -> ToolSearch:
        """Defer tools of plugins as the configuration says (C15)."""
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
        """List the core tools that are put aside."""
        given = setting.get("defer") if isinstance(setting, Mapping) else None
        if isinstance(given, list):
            return [str(name).strip() for name in given]
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
        """Return whether the tools of a memory provider are offered, which takes the tool ``memory``."""
        return any(tool["function"]["name"] == "memory" for tool in self.search.offered)

    def count_turn(self) -> int:
        """Count a turn that begins, and return its number; those of a restored history count."""
        self.turns = (self.turns or sum(one["role"] == "user" for one in self.history)) + 1
        return self.turns

    @property
    def is_stopped(self) -> bool:
        """Return whether the user of a chat has stopped its turn."""
        return self.origin is not None and self.origin.stop.is_set()

    def begin(self) -> None:
        """Build the system prompt and start the session; later calls do nothing."""
        if not self.system:
            self.system = self._build_prompt()
            if replace_surrogates(self.system) != self.system:
                raise self.runtime.state.unsupported("store a system prompt that no encoding can write")
            model = self.settings.model
            self.runtime.hooks.fire("on_session_start", session_id=self.id, model=model, platform=self.platform)

    def _build_prompt(self) -> str:
        soul = self.runtime.state.home.path / "SOUL.md"
        identity = soul.read_text(encoding="utf-8", errors="replace").strip() if soul.is_file() else ""
        began = time.strftime("%A, %B %d, %Y")
        facts = [f"Conversation started: {began}", f"Model: {self.settings.model}"]
        is_told = self._offers_memory() or not self.behaviour.memory_prompt_gated
        memory = [self.memory.build_prompt()] if self.memory and is_told else []
        if self._sections is None:
            self._sections = self.runtime.registrations.prompt_sections.render(self._describe())
        parts = [identity or _IDENTITY, *self.notes, *memory, self._sections, "\n".join(facts)]
        return "\n\n".join(filter(None, parts))

    def _describe(self) -> dict[str, str]:
        """Return what sections of the prompt receive about the session (N78)."""
        return {
            "session_id": self.id,
            "model": self.settings.model,
            "provider": self.settings.provider.name,
            "platform": self.platform,
            "profile_name": "default",
            "cwd": os.environ.get("TERMINAL_CWD") or str(self.runtime.state.cwd),
        }

    def count_usage(self, usage: Mapping[str, int] | None) -> None:
        """Count the tokens of an answer, and pass them to the context engine."""
        self.tokens["input"] += (usage or {}).get("input_tokens", 0)
        self.tokens["output"] += (usage or {}).get("output_tokens", 0)
        if self.engine:
            self.engine.count_usage(usage)
        else:
            self.compressor.count_usage(usage)
        if self.behaviour.usage_anchored:
            self.anchor.take(usage or {}, self.history)

    def compress(self, engine: Engine, tokens: int) -> bool:
        """Compress the history, which has about so many tokens; tell whether the host takes it for a compression."""
        if not self.behaviour.compressed_aside:
            return self._compress(engine, tokens)
        with Workers(1, "compress-ctx-timeout") as worker:
            is_compressed: bool = worker.submit(self._compress, engine, tokens).result()
            return is_compressed

    def _compress(self, engine: Engine, tokens: int) -> bool:
        messages = list(self.history)
        told = engine.word_status(
            "compress",
            self.runtime.state.wording("status.compressed"),
            tokens,
            message_count=len(messages),
            model=self.settings.model,
            focus_topic=None,
        )
        if told:
            self.status.tell(told)
        kept = self.memory.prepare_compression(messages) if self.memory else ""
        before = copy.deepcopy(messages)
        compressed = engine.compress(messages, tokens, kept)
        if told and self.behaviour.compressed_aside:
            self.status.tell(self.runtime.state.wording("status.compression_end"))
        if not compressed or compressed == before:
            # Messages that stay as they are may still have to be stored.
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
        """End this session and begin the one that ``/new`` makes (D12)."""
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
        """End the session, for a reason in the host's words: ``shutdown`` or ``session_boundary``."""
        self.runtime.hooks.fire("on_session_finalize", session_id=self.id, platform=self.platform, reason=reason)
        if reason == "shutdown":
            self.close()

    def close(self) -> None:
        """End its memory provider and its context engine."""
        messages = self.history or self.earlier
        if self.memory:
            self.memory.close(messages)
        if self.engine:
            self.engine.close(self.id, messages)


def _loses_reply(messages: Sequence[Mapping[str, Any]], compressed: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether the last reply of a history is not among the compressed messages."""

    def list_replies(of: Sequence[Mapping[str, Any]]) -> list[str]:
        replies = (one for one in of if one.get("role") == "assistant" and not one.get("tool_calls"))
        return [text for one in replies if (text := str(one.get("content") or "").strip())]

    replies = list_replies(messages)
    return bool(replies) and replies[-1] not in list_replies(compressed)
