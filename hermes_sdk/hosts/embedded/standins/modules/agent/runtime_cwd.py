"""Stands in for ``agent.runtime_cwd``, which tells the agent's working directory; calls are refused."""

from hermes_sdk.hosts.embedded.standins.refused import refused

__all__ = [
    "clear_session_cwd",
    "resolve_agent_cwd",
    "resolve_context_cwd",
    "set_session_cwd",
]

clear_session_cwd = refused(__spec__, "clear_session_cwd")
resolve_agent_cwd = refused(__spec__, "resolve_agent_cwd")
resolve_context_cwd = refused(__spec__, "resolve_context_cwd")
set_session_cwd = refused(__spec__, "set_session_cwd")
