"""A session with the host's agent, opened, continued and ended as in ``hermes chat``."""

from __future__ import annotations

import importlib
import inspect
import os
from pathlib import Path
from typing import Any

from . import retry_delays

_NO_SESSION: dict[str, Any] = {"agent": None, "session_id": None, "conversation_history": [], "_session_db": None}

# Seconds that a memory provider gets to end what it does in the background.
_MEMORY_LIMIT = 5


class Conversation:
    """One agent and the history of its session.

    It differs from ``hermes chat`` in two ways that only save time: there is no pause between tool calls, and none
    before the host asks the model again after an error. It is quiet, and nobody can be asked for an approval. The model
    is offered the given toolsets of the plugins unless ``platform_toolsets.cli`` says which.
    """

    def __init__(self, toolsets: set[str]) -> None:
        os.environ["TERMINAL_CWD"] = str(Path.cwd())
        run_agent = importlib.import_module("run_agent")
        retry_delays.skip_agent_delays()
        config = importlib.import_module("hermes_cli.config").load_config()
        self.history: list[dict[str, Any]] = []
        self._database = importlib.import_module("hermes_state").SessionDB()
        self._agent = run_agent.AIAgent(
            **_resolve_model(config),
            **_read_limit(config),
            enabled_toolsets=_choose_toolsets(config, toolsets),
            disabled_toolsets=(config.get("agent") or {}).get("disabled_toolsets") or [],
            quiet_mode=True,
            platform="cli",
            session_db=self._database,
            tool_delay=0,
        )

    def chat(self, text: str) -> dict[str, Any]:
        """Say something, let the agent finish its turn, and return a `RawTurn` without its events."""
        start = len(self.history)
        result = self._agent.run_conversation(text, conversation_history=self.history or None)
        self.history = result["messages"]
        self._let_memory_finish()
        return {
            "reply": result.get("final_response"),
            "completed": bool(result.get("completed")),
            "interrupted": bool(result.get("interrupted")),
            "error": result.get("error"),
            "messages": self.history,
            "start": start,
        }

    def interrupt(self, *_: object) -> None:
        """Stop the turn, as a user does; this is a signal handler."""
        self._agent.interrupt()

    def end(self, reason: dict[str, str]) -> None:
        """End the session; `reason` is ``{"reason": "shutdown"}`` where the release passes one, else empty."""
        self._let_memory_finish()
        plugins = importlib.import_module("hermes_cli.plugins")
        plugins.invoke_hook("on_session_finalize", session_id=self._agent.session_id, platform="cli", **reason)
        self._agent.shutdown_memory_provider(getattr(self._agent, "_session_messages", None) or [])
        self._agent.close()
        self._database.close()

    def renew(self, shell: Any) -> None:
        """Begin the next session with a shell that gets the state of this one."""
        vars(shell).update(
            agent=self._agent,
            session_id=self._agent.session_id,
            conversation_history=self.history,
            model=self._agent.model,
            max_turns=self._agent.max_iterations,
            _session_db=self._database,
        )
        shell.new_session()
        self.history = []
        self._let_memory_finish()

    def _let_memory_finish(self) -> None:
        """Wait for the background work of a memory provider, so that it belongs to the turn that caused it."""
        manager: Any = getattr(self._agent, "_memory_manager", None)
        if hasattr(manager, "flush_pending"):
            manager.flush_pending(timeout=_MEMORY_LIMIT)


def new_session(conversation: Conversation | None) -> None:
    """Do what ``/new`` does in ``hermes chat``, by the host's own method; without a conversation, no session is open.

    The method belongs to the class behind the terminal. An object of that class is made without its initialisation,
    which needs a terminal, and gets the attributes that the method uses.
    """
    shell = object.__new__(importlib.import_module("cli").HermesCLI)
    vars(shell).update(_NO_SESSION)
    if conversation is None:
        shell.new_session()
    else:
        conversation.renew(shell)


def be_stateless() -> None:
    """Let tasks that the agent delegates end within its turn, as where no later message could bring their results.

    Releases before 0.18.0 always do so.
    """
    context = importlib.import_module("gateway.session_context")
    if hasattr(context, "declare_stateless_channel"):
        context.declare_stateless_channel()
    elif "async_delivery" in inspect.signature(context.set_session_vars).parameters:
        context.set_session_vars(async_delivery=False)


def _resolve_model(config: dict[str, Any]) -> dict[str, Any]:
    """Return the model and how to reach it, as arguments of the agent."""
    model = config.get("model")
    name = model.get("default") if isinstance(model, dict) else model
    resolve = importlib.import_module("hermes_cli.runtime_provider").resolve_runtime_provider
    found = resolve(requested=None, target_model=name)
    kept = ("api_key", "base_url", "provider", "api_mode", "credential_pool")
    return {"model": name, **{key: found.get(key) for key in kept}}


def _read_limit(config: dict[str, Any]) -> dict[str, int]:
    """Return how many requests one turn may take, when the configuration says so."""
    agent = config.get("agent")
    wanted = agent.get("max_turns") if isinstance(agent, dict) else None
    return {"max_iterations": wanted} if isinstance(wanted, int) else {}


def _find_selected_toolsets(config: dict[str, Any]) -> set[str]:
    """Return the toolsets that a configured memory provider or context engine of a plugin adds."""
    wanted = (("memory", "provider", "memory"), ("context", "engine", "context_engine"))
    builtin = (None, "", "compressor")
    return {toolset for section, key, toolset in wanted if (config.get(section) or {}).get(key) not in builtin}


def _choose_toolsets(config: dict[str, Any], toolsets: set[str]) -> list[str]:
    listed = config.get("platform_toolsets")
    if not isinstance(listed, dict) or "cli" not in listed:
        return sorted(toolsets | _find_selected_toolsets(config))
    chosen = importlib.import_module("hermes_cli.tools_config")._get_platform_tools(config, "cli")
    return sorted(chosen)
