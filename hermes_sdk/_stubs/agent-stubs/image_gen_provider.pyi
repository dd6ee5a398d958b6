"""Types of ``agent.image_gen_provider``."""

from hermes_sdk.api import ImageGenProvider as ImageGenProvider
from hermes_sdk.hosts.embedded.standins.modules.agent.image_gen_provider import (
    DEFAULT_ASPECT_RATIO as DEFAULT_ASPECT_RATIO,
    VALID_ASPECT_RATIOS as VALID_ASPECT_RATIOS,
    error_response as error_response,
    normalize_reference_images as normalize_reference_images,
    resolve_aspect_ratio as resolve_aspect_ratio,
    save_b64_image as save_b64_image,
    save_url_image as save_url_image,
    success_response as success_response,
)
