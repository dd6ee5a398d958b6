"""Sessions with the host's agent, as in ``hermes chat``."""

from __future__ import annotations

import importlib
import inspect
import os
from pathlib import Path
from typing import Any

from . import retry_delays

_NO_SESSION: dict[str, Any] = {"agent": None, "session_id": None, "conversation_history": [], "_session_db": None}

# Seconds to wait for the background work of a memory provider.
_MEMORY_LIMIT = 5


class Conversation:
    """An agent and the history of its session.

    To save time, it differs from ``hermes chat`` in two ways: there are no pauses between tool calls and before retries
    of failed requests. It prints nothing and cannot ask for approvals. The model is offered the given toolsets of the
    plugins, unless ``platform_toolsets.cli`` is set.
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
        """Send a message, wait until the agent's turn ends, and return a `RawTurn` without its events."""
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
        """Interrupt the turn as a user does; this is a signal handler."""
        self._agent.interrupt()

    def end(self, reason: dict[str, str]) -> None:
        """End the session; `reason` is ``{"reason": "shutdown"}`` if the release passes a reason, otherwise empty."""
        self._let_memory_finish()
        plugins = importlib.import_module("hermes_cli.plugins")
        plugins.invoke_hook("on_session_finalize", session_id=self._agent.session_id, platform="cli", **reason)
        self._agent.shutdown_memory_provider(getattr(self._agent, "_session_messages", None) or [])
        self._agent.close()
        self._database.close()

    def renew(self, shell: Any) -> None:
        """Begin the next session with a method of the host's shell, which needs the state of this session."""
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
    """Run ``/new`` as in ``hermes chat``, by the host's own method; if `conversation` is None, no session is open.

    The method belongs to the class of the terminal. Its initialization needs a terminal, so an uninitialized object is
    created and gets the attributes that the method uses.
    """
    shell = object.__new__(importlib.import_module("cli").HermesCLI)
    vars(shell).update(_NO_SESSION)
    if conversation is None:
        shell.new_session()
    else:
        conversation.renew(shell)


def be_stateless() -> None:
    """Make delegated tasks end within the turn, as in clients that cannot receive their results later.

    Releases before 0.18.0 always do so.
    """
    context = importlib.import_module("gateway.session_context")
    if hasattr(context, "declare_stateless_channel"):
        context.declare_stateless_channel()
    elif "async_delivery" in inspect.signature(context.set_session_vars).parameters:
        context.set_session_vars(async_delivery=False)


def _resolve_model(config: dict[str, Any]) -> dict[str, Any]:
    """Return the agent's arguments with the model and its connection."""
    model = config.get("model")
    name = model.get("default") if isinstance(model, dict) else model
    resolve = importlib.import_module("hermes_cli.runtime_provider").resolve_runtime_provider
    found = resolve(requested=None, target_model=name)
    kept = ("api_key", "base_url", "provider", "api_mode", "credential_pool")
    return {"model": name, **{key: found.get(key) for key in kept}}


def _read_limit(config: dict[str, Any]) -> dict[str, int]:
    """Return the configured limit of requests per turn as an argument of the agent, if any."""
    agent = config.get("agent")
    wanted = agent.get("max_turns") if isinstance(agent, dict) else None
    return {"max_iterations": wanted} if isinstance(wanted, int) else {}


def _find_selected_toolsets(config: dict[str, Any]) -> set[str]:
    """Return the toolsets of the configured memory provider and context engine, if plugins provide them."""
    wanted = (("memory", "provider", "memory"), ("context", "engine", "context_engine"))
    builtin = (None, "", "compressor")
    return {toolset for section, key, toolset in wanted if (config.get(section) or {}).get(key) not in builtin}


def _choose_toolsets(config: dict[str, Any], toolsets: set[str]) -> list[str]:
    listed = config.get("platform_toolsets")
    if not isinstance(listed, dict) or "cli" not in listed:
        return sorted(toolsets | _find_selected_toolsets(config))
    chosen = importlib.import_module("hermes_cli.tools_config")._get_platform_tools(config, "cli")
    return sorted(chosen)
