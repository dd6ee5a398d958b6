"""Stands in for ``agent.file_safety``: rules for reading and writing files. Calls are not supported."""

from hermes_sdk.hosts.embedded.standins.placeholders import make_placeholder

__all__ = [
    "get_nt_namespace_error",
    "get_read_block_error",
    "get_write_denied_error",
    "is_write_approval_required",
    "raise_if_read_blocked",
]

get_nt_namespace_error = make_placeholder(__spec__, "get_nt_namespace_error")
get_read_block_error = make_placeholder(__spec__, "get_read_block_error")
get_write_denied_error = make_placeholder(__spec__, "get_write_denied_error")
is_write_approval_required = make_placeholder(__spec__, "is_write_approval_required")
raise_if_read_blocked = make_placeholder(__spec__, "raise_if_read_blocked")
