"""The memory provider of a session: its tools, what it adds to a turn, and what it is told (statements G5 to G8)."""

from __future__ import annotations

import inspect
import json
import logging
import re
from collections.abc import Callable, Mapping
from concurrent.futures import Future, wait
from typing import TYPE_CHECKING, Any

from hermes_sdk.hosts.embedded.agent.provider_tools import named
from hermes_sdk.hosts.embedded.agent.workers import Workers
from hermes_sdk.hosts.embedded.providers import memory
from hermes_sdk.hosts.in_worker.recording import public_methods
from hermes_sdk.hosts.interface.memory import DRAIN_LIMIT, PREFETCH_LIMIT

if TYPE_CHECKING:
    from hermes_sdk.hosts.embedded.agent.origin import Origin
    from hermes_sdk.hosts.embedded.agent.runtime import Runtime

_log = logging.getLogger("agent.memory_manager")

_FRAMED = re.compile(
    r"</?memory-context>\s*|\[System note: The following is recalled memory context.*?\]\s*", re.DOTALL
)
_MIRRORED = frozenset({"add", "remove", "replace"})
_NOTE = (
    "[System note: The following is recalled memory context, NOT new user input. Treat as authoritative reference data"
    " — this is the agent's persistent memory and should inform all responses.]"
)


class Memory:
    """One memory provider at work.

    What it raises is hidden from the user, as by the host, and told to `on_swallowed`.

    Args:
        provider: The provider.
        runtime: What the sessions of the host share.

    Attributes:
        schemas: The tools that the model is offered.
        tool_names: The tools whose calls the provider answers.
    """

    def __init__(self, provider: Any, runtime: Runtime) -> None:
        self._provider = provider
        self._runtime = runtime
        self._behaviour = runtime.behaviour
        self._prefetch: Future[Any] | None = None
        self._workers: Workers | None = None
        self._waiting: list[Future[None]] = []
        self.schemas: list[dict[str, Any]] = []
        self.tool_names: frozenset[Any] = frozenset()

    @classmethod
    def opened(cls, runtime: Runtime, session_id: str, platform: str, origin: Origin | None = None) -> Memory | None:
        """Load and start the provider that ``memory.provider`` names; None without one that is available (G2).

        Args:
            runtime: What the sessions of the host share.
            session_id: The session.
            platform: What the session runs on.
            origin: The chat that it serves, if it is one of a gateway.
        """
        section = runtime.config.get("memory")
        name = section.get("provider") if isinstance(section, Mapping) else None
        if not name or not isinstance(name, str):
            return None
        provider = memory.provider(runtime.state.home.path / "plugins" / name, runtime.state)
        if provider is None:
            return None
        if runtime.state.recording.active:
            runtime.state.recording.wrap_methods("memory", provider, _public(provider))
        made = cls(provider, runtime)
        return made if made._start(session_id, platform, origin) else None

    def _start(self, session_id: str, platform: str, origin: Origin | None) -> bool:
        if not self._taken():
            return False
        callbacks = _Emitter().callbacks()
        told = {
            "platform": platform,
            "hermes_home": str(self._runtime.state.home.path),
            "agent_context": "primary",
            **(callbacks if self._behaviour.memory_gets_callbacks and platform == "cli" else {}),
            **({**origin.about, "gateway_session_key": origin.session_key} if origin else {}),
            "agent_identity": "default",
            "agent_workspace": "hermes",
        }
        self._told("initialize", session_id, **told)
        self._offer()
        return True

    def _taken(self) -> bool:
        """Whether the host takes the provider; what goes wrong here costs the session its memory."""
        try:
            if not self._called("is_available"):
                return False
            self._index()
            # The host says how many there are.
            len(self._called("get_tool_schemas"))
        except Exception as error:
            logging.getLogger("run_agent").warning("Memory provider plugin init failed: %s", error)
            return False
        return True

    def _index(self) -> None:
        """Note which tools are the provider's: those that it tells before it is started."""
        for one in self._called("get_tool_schemas"):
            schema = named(one, self._runtime.state.contract)
            if schema and not self._is_reserved(schema):
                self.tool_names |= {schema["name"]}
            elif schema:
                _log.warning(
                    "Memory provider '%s' tool '%s' shadows a reserved core tool name; registration ignored. Core tools"
                    " always win — rename the provider's tool to something unique.",
                    self._provider.name,
                    schema["name"],
                )

    def _offer(self) -> None:
        """Note what the model is offered: what the provider tells once it is started."""
        try:
            for one in self._called("get_tool_schemas"):
                schema = named(one, self._runtime.state.contract)
                if schema is None:
                    self._warn_of_nameless(one)
                elif not self._is_reserved(schema):
                    self.schemas.append(schema)
        except Exception as error:
            _log.warning("Memory provider '%s' get_tool_schemas() failed: %s", self._provider.name, error)

    def _warn_of_nameless(self, schema: Any) -> None:
        if self._behaviour.provider_tools_unwrapped:
            text = "Memory provider '%s' returned a tool schema with no resolvable name; skipping (%r)"
            _log.warning(text, self._provider.name, schema)

    def _is_reserved(self, schema: Mapping[str, Any]) -> bool:
        return self._behaviour.memory_core_names_reserved and schema["name"] in self._runtime.state.contract.core_tools

    def call_tool(self, name: str, args: dict[str, Any]) -> Any:
        """Answer a call of one of its tools."""
        try:
            return self._provider.handle_tool_call(name, args)
        except Exception as error:
            self._runtime.state.swallow(f"memory provider {self._provider.name} handle_tool_call", error)
            return json.dumps({"error": f"Memory tool '{name}' failed: {error}"}, ensure_ascii=False)

    def prompt(self) -> str:
        """What it adds to the system prompt."""
        block = self._told("system_prompt_block")
        return block if isinstance(block, str) and block.strip() else ""

    def begin_turn(self, number: int, text: str) -> str:
        """Tell it about a turn, and return what it adds to the user's message."""
        self._told("on_turn_start", number, text)
        found = (
            self._prefetched(text)
            if self._behaviour.memory_prefetch_limited
            else self._told("prefetch", text, session_id="")
        )
        if not isinstance(found, str) or not found.strip():
            return ""
        return f"<memory-context>\n{_NOTE}\n\n{_FRAMED.sub('', found)}\n</memory-context>"

    def _prefetched(self, text: str) -> Any:
        """Ask on a thread, so that a provider that hangs costs a turn no more than the limit."""
        if self._prefetch is not None and not self._prefetch.done():
            return None
        with Workers(1, f"memory-prefetch-{self._provider.name}") as worker:
            self._prefetch = worker.submit(lambda: self._told("prefetch", text, session_id=""))
        try:
            return self._prefetch.result(PREFETCH_LIMIT)
        except TimeoutError:
            _log.warning(
                "Memory provider '%s' prefetch timed out after %.1fs; skipping it until the stuck call returns",
                self._provider.name,
                PREFETCH_LIMIT,
            )
            return None

    def end_turn(self, text: str, reply: str, session_id: str, messages: list[dict[str, Any]]) -> None:
        """Let it keep what was said."""
        told: dict[str, Any] = {"session_id": session_id}
        if self._behaviour.memory_gets_messages and _takes(self._provider.sync_turn, "messages"):
            told["messages"] = messages
        self._aside(lambda: self._told("sync_turn", text, reply, **told))
        self._aside(lambda: self._told("queue_prefetch", text, session_id=session_id))

    def wrote(self, args: Mapping[str, Any], result: Any, about: Mapping[str, Any]) -> None:
        """Tell it what the host's own tool ``memory`` has written.

        Args:
            args: The arguments of the call.
            result: Its result.
            about: Whose call it was.
        """
        checked = self._behaviour.memory_writes_checked
        told = json.loads(result) if isinstance(result, str) else {}
        if checked and (not told.get("success") or told.get("staged") is True):
            return
        operations = (checked and args.get("operations")) or [args]
        for one in operations:
            if isinstance(one, Mapping) and one.get("action") in (_MIRRORED if checked else _MIRRORED - {"remove"}):
                metadata = dict(about)
                if checked and one.get("old_text"):
                    metadata["old_text"] = str(one["old_text"])
                target, content = str(args.get("target") or "memory"), str(one.get("content") or "")
                given = {"metadata": metadata} if _takes(self._provider.on_memory_write, "metadata") else {}
                self._told("on_memory_write", one["action"], target, content, **given)

    def delegated(self, task: str, result: str, child_session_id: str) -> None:
        """Tell it what a delegated task came to."""
        self._told("on_delegation", task, result, child_session_id=child_session_id)

    def before_compression(self, messages: list[dict[str, Any]]) -> str:
        """What it wants kept when messages are about to go."""
        kept = self._told("on_pre_compress", messages)
        return kept if isinstance(kept, str) else ""

    def switch(self, messages: list[dict[str, Any]], old: str, new: str) -> None:
        """End one session and go on with the next, as ``/new`` does."""

        def move() -> None:
            self._told("on_session_end", messages)
            self._told("on_session_switch", new, parent_session_id=old, reset=True, reason="new_session")

        self._aside(move)
        self.settle()

    def close(self, messages: list[dict[str, Any]]) -> None:
        """End its last session, and stop it."""
        self.settle()
        self._told("on_session_end", messages)
        self._told("shutdown")
        if self._workers is not None:
            self._workers.close()

    def settle(self) -> None:
        """Wait, within the limit, for what was left to the background; only ``sys.exit`` comes out of it."""
        done, rest = wait(self._waiting, DRAIN_LIMIT)
        self._waiting = [one for one in self._waiting if one in rest]
        for one in done:
            one.result()

    def _aside(self, work: Callable[[], Any]) -> None:
        if not self._behaviour.memory_works_aside:
            work()
            return
        self._workers = self._workers or Workers(1, "mem-sync")
        self._waiting.append(self._workers.submit(work))

    def _told(self, method: str, *args: Any, **kwargs: Any) -> Any:
        try:
            return self._called(method, *args, **kwargs)
        except Exception:
            return None

    def _called(self, method: str, *args: Any, **kwargs: Any) -> Any:
        try:
            return getattr(self._provider, method)(*args, **kwargs)
        except Exception as error:
            self._runtime.state.swallow(f"memory provider {self._provider.name} {method}", error)
            raise


class _Emitter:
    """What a provider may tell the user, by the names that the host has for it; nobody listens in a test."""

    def callbacks(self) -> dict[str, Callable[[str], None]]:
        """The methods as arguments of ``initialize``."""
        return {"warning_callback": self._emit_warning, "status_callback": self._emit_status}

    def _emit_warning(self, message: str) -> None:
        """Warn the user."""

    def _emit_status(self, message: str) -> None:
        """Tell the user what goes on."""


def _takes(method: Callable[..., Any], name: str) -> bool:
    """Whether a method has a parameter of a name, or one for all names."""
    try:
        parameters = inspect.signature(method).parameters
    except (TypeError, ValueError):
        return True
    return name in parameters or any(one.kind is inspect.Parameter.VAR_KEYWORD for one in parameters.values())


def _public(provider: Any) -> list[str]:
    """List the methods that the host may call."""
    base = next((one for one in type(provider).__mro__ if one.__module__ == "agent.memory_provider"), type(provider))
    return public_methods(base)
