"""Types of ``agent.file_safety``."""

from hermes_sdk.hosts.embedded.standins.modules.agent.file_safety import (
    get_nt_namespace_error as get_nt_namespace_error,
    get_read_block_error as get_read_block_error,
    get_write_denied_error as get_write_denied_error,
    is_write_approval_required as is_write_approval_required,
    raise_if_read_blocked as raise_if_read_blocked,
)
