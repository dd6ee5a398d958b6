"""Stands in for ``gateway.stream_consumer``, which shows an answer while it grows; making one is refused."""

from hermes_sdk.hosts.embedded.standins.refused import refused

__all__ = ["GatewayStreamConsumer", "StreamConsumerConfig"]

GatewayStreamConsumer = refused(__spec__, "GatewayStreamConsumer", members=["_reset_segment_state"])
StreamConsumerConfig = refused(__spec__, "StreamConsumerConfig")
