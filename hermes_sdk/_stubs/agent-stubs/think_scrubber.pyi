"""Types of ``agent.think_scrubber``."""

from hermes_sdk.hosts.embedded.standins.modules.agent.think_scrubber import (
    StreamingThinkScrubber as StreamingThinkScrubber,
)
