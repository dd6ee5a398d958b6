"""Stands in for ``agent.think_scrubber``, which takes the thoughts out of a model's stream; calls are refused."""

from hermes_sdk.hosts.embedded.standins.refused import refused

__all__ = ["StreamingThinkScrubber"]

StreamingThinkScrubber = refused(__spec__, "StreamingThinkScrubber", members=("feed", "flush", "reset"))
