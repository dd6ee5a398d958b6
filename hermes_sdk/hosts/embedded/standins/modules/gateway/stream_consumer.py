"""Stands in for ``gateway.stream_consumer``: display of streamed answers. Creating a consumer is not supported."""

from hermes_sdk.hosts.embedded.standins.placeholders import make_placeholder

__all__ = ["GatewayStreamConsumer", "StreamConsumerConfig"]

GatewayStreamConsumer = make_placeholder(__spec__, "GatewayStreamConsumer", members=["_reset_segment_state"])
StreamConsumerConfig = make_placeholder(__spec__, "StreamConsumerConfig")
