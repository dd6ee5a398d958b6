"""Stands in for ``agent.think_scrubber``: removal of thoughts from a model's stream. Calls are not supported."""

from hermes_sdk.hosts.embedded.standins.placeholders import make_placeholder

__all__ = ["StreamingThinkScrubber"]

StreamingThinkScrubber = make_placeholder(__spec__, "StreamingThinkScrubber", members=("feed", "flush", "reset"))
