"""Stands in for ``agent.auxiliary_client``: requests to the user's model outside the conversation."""

from hermes_sdk.hosts.embedded.standins.placeholders import make_placeholder
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager

__all__ = [
    "async_call_llm",
    "call_llm",
    "extract_content_or_reasoning",
    "get_async_text_auxiliary_client",
    "get_text_auxiliary_client",
]

_client = find_plugin_manager(__spec__).registrations.plugin_llm.client
call_llm = _client.call
async_call_llm = _client.call_async
extract_content_or_reasoning = make_placeholder(__spec__, "extract_content_or_reasoning")
get_async_text_auxiliary_client = make_placeholder(__spec__, "get_async_text_auxiliary_client")
get_text_auxiliary_client = make_placeholder(__spec__, "get_text_auxiliary_client")
