"""Stands in for ``agent.message_content``: the text of multimodal messages."""

from hermes_sdk.hosts.embedded.helpers.texts import flatten_message_text

__all__ = ["flatten_message_text"]
