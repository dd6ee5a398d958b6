"""Providers of images and videos."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Protocol

from hermes_sdk.api.base import provided_by_host

__all__ = ["ImageGenProvider", "VideoGenProvider"]


class _VisualProvider(Protocol):
    """Members that both kinds of provider have; the host defines them twice."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Name that selects the provider in the configuration: lower case, without spaces."""
        ...

    @property
    def display_name(self) -> str:
        """Display name; by default ``name`` in title case."""
        provided_by_host()

    def is_available(self) -> bool:
        """Return whether the provider is available; must neither use the network nor raise. True by default."""
        provided_by_host()

    def list_models(self) -> list[dict[str, Any]]:
        """Return the models; none by default.

        Each has ``id`` and, for users, ``display``, and ``speed`` and ``price`` (images) or ``languages`` (speech).
        """
        provided_by_host()

    def get_setup_schema(self) -> dict[str, Any]:
        """Return the row of ``hermes tools``: ``name``, ``badge``, ``tag``, and ``env_vars`` to ask for.

        Each of ``env_vars``, by default none, is a mapping with ``key``, ``prompt`` and ``url``.
        """
        provided_by_host()

    def default_model(self) -> str | None:
        """Return the id of the model to use if none is selected; by default the first of `list_models`."""
        provided_by_host()


class ImageGenProvider(_VisualProvider, Protocol):
    """Generates images; base class ``agent.image_gen_provider.ImageGenProvider``.

    ``image_gen.provider`` selects it by its ``name``.
    """

    def capabilities(self) -> dict[str, Any]:
        """Return ``modalities`` (``text``, ``image``) and ``max_reference_images``; default: text. Since 0.17.0."""
        provided_by_host()

    @abstractmethod
    def generate(
        self,
        prompt: str,
        aspect_ratio: str = "landscape",
        *,
        image_url: str | None = None,
        reference_image_urls: list[str] | None = None,
        **kwargs: Any,
    ) -> dict[str, Any]:
        """Generate an image from a text, or edit one.

        An exception reaches the model as the error ``provider_exception``, another result as ``provider_contract``.

        Args:
            prompt: Description of the image.
            aspect_ratio: ``landscape``, ``square`` or ``portrait``; the host does not check it.
            image_url: The image to edit. Since 0.17.0.
            reference_image_urls: Images to follow in style or composition. Since 0.17.0.
            **kwargs: ``model``, if one is configured.

        Returns:
            ``success``, ``image`` (a path or a URL), ``model``, ``prompt``, ``aspect_ratio`` and ``provider``; or
            ``success`` false, ``image`` None, ``error`` and ``error_type``.
        """
        ...


class VideoGenProvider(_VisualProvider, Protocol):
    """Generates videos; base class ``agent.video_gen_provider.VideoGenProvider``.

    ``video_gen.provider`` selects it by its ``name``.
    """

    def capabilities(self) -> dict[str, Any]:
        """Return the capabilities, which the host describes to the model.

        ``modalities``, ``aspect_ratios``, ``resolutions``, ``max_duration`` and ``min_duration`` in seconds,
        ``supports_audio``, ``supports_negative_prompt`` and ``max_reference_images``. By default text only.
        """
        provided_by_host()

    @abstractmethod
    def generate(
        self,
        prompt: str,
        *,
        model: str | None = None,
        image_url: str | None = None,
        reference_image_urls: list[str] | None = None,
        duration: int | None = None,
        aspect_ratio: str = "16:9",
        resolution: str = "720p",
        negative_prompt: str | None = None,
        audio: bool | None = None,
        seed: int | None = None,
        **kwargs: Any,
    ) -> dict[str, Any]:
        """Generate a video from a text or from an image.

        Args:
            prompt: Description of the video.
            model: The model that the user or the model chose.
            image_url: The image to animate.
            reference_image_urls: Images to follow.
            duration: In seconds.
            aspect_ratio: Such as ``9:16``.
            resolution: Such as ``1080p``.
            negative_prompt: Content to avoid.
            audio: Whether the video should have sound.
            seed: Makes the result repeatable.
            **kwargs: From 0.16.0, the host always passes an additional argument.

        Returns:
            ``success``, ``video`` (a path or a URL), ``model``, ``prompt``, ``modality``, ``aspect_ratio``,
            ``duration`` and ``provider``; or ``success`` false, ``video`` None, ``error`` and ``error_type``.
        """
        ...
