"""Stands in for ``agent.runtime_cwd``: the agent's working directory. Calls are not supported."""

from hermes_sdk.hosts.embedded.standins.placeholders import make_placeholder

__all__ = [
    "clear_session_cwd",
    "resolve_agent_cwd",
    "resolve_context_cwd",
    "set_session_cwd",
]

clear_session_cwd = make_placeholder(__spec__, "clear_session_cwd")
resolve_agent_cwd = make_placeholder(__spec__, "resolve_agent_cwd")
resolve_context_cwd = make_placeholder(__spec__, "resolve_context_cwd")
set_session_cwd = make_placeholder(__spec__, "set_session_cwd")
