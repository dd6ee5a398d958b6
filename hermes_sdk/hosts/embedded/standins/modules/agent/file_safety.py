"""Stands in for ``agent.file_safety``, which tells what files may be read and written; calls are refused."""

from hermes_sdk.hosts.embedded.standins.refused import refused

__all__ = [
    "get_nt_namespace_error",
    "get_read_block_error",
    "get_write_denied_error",
    "is_write_approval_required",
    "raise_if_read_blocked",
]

get_nt_namespace_error = refused(__spec__, "get_nt_namespace_error")
get_read_block_error = refused(__spec__, "get_read_block_error")
get_write_denied_error = refused(__spec__, "get_write_denied_error")
is_write_approval_required = refused(__spec__, "is_write_approval_required")
raise_if_read_blocked = refused(__spec__, "raise_if_read_blocked")
