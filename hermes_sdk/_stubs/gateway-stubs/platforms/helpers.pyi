"""Types of ``gateway.platforms.helpers``."""

from typing import Any

from hermes_sdk.hosts.embedded.standins.modules.gateway.platforms.helpers import (
    MessageDeduplicator as MessageDeduplicator,
    ThreadParticipationTracker as ThreadParticipationTracker,
    convert_table_to_bullets as convert_table_to_bullets,
    is_table_row as is_table_row,
    redact_phone as redact_phone,
    split_markdown_table_row as split_markdown_table_row,
    strip_markdown as strip_markdown,
)

class TextBatchAggregator(Any):  # type: ignore[misc]
    """Merges texts that arrive in quick succession; its members have no types here."""
