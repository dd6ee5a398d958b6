"""Stands in for ``gateway.platforms.helpers``: classes for adapters."""

from hermes_sdk.hosts.embedded.gateway.adapter.tracking import MessageDeduplicator, ThreadParticipationTracker
from hermes_sdk.hosts.embedded.helpers.texts import redact_phone
from hermes_sdk.hosts.embedded.host_classes import derive_class
from hermes_sdk.hosts.embedded.standins.placeholders import make_placeholder
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager

__all__ = [
    "MessageDeduplicator",
    "TextBatchAggregator",
    "ThreadParticipationTracker",
    "convert_table_to_bullets",
    "is_table_row",
    "redact_phone",
    "split_markdown_table_row",
    "strip_markdown",
]

_home = find_plugin_manager(__spec__).state.home_path
globals()["ThreadParticipationTracker"] = derive_class(ThreadParticipationTracker, _home=staticmethod(_home))
TextBatchAggregator = make_placeholder(__spec__, "TextBatchAggregator")
convert_table_to_bullets = make_placeholder(__spec__, "convert_table_to_bullets")
is_table_row = make_placeholder(__spec__, "is_table_row")
split_markdown_table_row = make_placeholder(__spec__, "split_markdown_table_row")
strip_markdown = make_placeholder(__spec__, "strip_markdown")
