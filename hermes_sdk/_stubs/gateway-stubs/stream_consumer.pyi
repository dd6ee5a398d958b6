"""Types of ``gateway.stream_consumer``."""

from hermes_sdk.hosts.embedded.standins.modules.gateway.stream_consumer import (
    GatewayStreamConsumer as GatewayStreamConsumer,
    StreamConsumerConfig as StreamConsumerConfig,
)
