"""Types of ``agent.file_safety``."""

from hermes_sdk.hosts.embedded.standins.modules.agent.file_safety import (
    get_read_block_error as get_read_block_error,
    raise_if_read_blocked as raise_if_read_blocked,
)
