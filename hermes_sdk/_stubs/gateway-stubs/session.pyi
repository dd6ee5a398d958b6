"""Types of ``gateway.session``."""

from hermes_sdk.api import SessionSource as SessionSource

def build_session_key(
    source: SessionSource,
    group_sessions_per_user: bool = True,
    thread_sessions_per_user: bool = False,
    profile: str | None = None,
) -> str: ...
