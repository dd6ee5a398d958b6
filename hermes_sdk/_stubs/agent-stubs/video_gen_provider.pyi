"""Types of ``agent.video_gen_provider``."""

from hermes_sdk.api import VideoGenProvider as VideoGenProvider
from hermes_sdk.hosts.embedded.standins.modules.agent.video_gen_provider import (
    COMMON_ASPECT_RATIOS as COMMON_ASPECT_RATIOS,
    COMMON_RESOLUTIONS as COMMON_RESOLUTIONS,
    DEFAULT_ASPECT_RATIO as DEFAULT_ASPECT_RATIO,
    DEFAULT_RESOLUTION as DEFAULT_RESOLUTION,
    error_response as error_response,
    save_b64_video as save_b64_video,
    save_bytes_video as save_bytes_video,
    save_url_video as save_url_video,
    success_response as success_response,
)
