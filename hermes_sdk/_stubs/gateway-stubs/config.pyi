"""Types of ``gateway.config``."""

from typing import Any

from hermes_sdk.api import (
    HomeChannel as HomeChannel,
    Platform as Platform,
    PlatformConfig as PlatformConfig,
)

class ChannelOverride:
    """Settings of one channel, which override those of its platform."""

    model: str | None
    provider: str | None
    system_prompt: str | None
    def __init__(
        self, model: str | None = None, provider: str | None = None, system_prompt: str | None = None
    ) -> None: ...
    def to_dict(self) -> dict[str, Any]: ...
    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> ChannelOverride: ...
