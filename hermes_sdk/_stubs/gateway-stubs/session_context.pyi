"""Types of ``gateway.session_context``."""

from hermes_sdk.hosts.embedded.standins.modules.gateway.session_context import (
    clear_session_vars as clear_session_vars,
    get_session_env as get_session_env,
    reset_session_vars as reset_session_vars,
    set_current_session_id as set_current_session_id,
    set_session_vars as set_session_vars,
)
