"""Types of ``agent.runtime_cwd``."""

from hermes_sdk.hosts.embedded.standins.modules.agent.runtime_cwd import (
    clear_session_cwd as clear_session_cwd,
    resolve_agent_cwd as resolve_agent_cwd,
    resolve_context_cwd as resolve_context_cwd,
    set_session_cwd as set_session_cwd,
)
