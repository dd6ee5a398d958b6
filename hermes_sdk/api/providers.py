"""Providers: the least that an object must have for the host to work with it.

Each provider inherits from the host's class of the same name, which brings the rest; the host ignores any other object
with a warning. The host passes arguments by the names given here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from pathlib import Path


class ContextEngine(Protocol):
    """Shortens long conversations. Inherit from ``agent.context_engine.ContextEngine``."""

    @property
    def name(self) -> str:
        """What ``context.engine`` selects it by."""
        ...

    def update_from_response(self, usage: dict[str, Any]) -> None:
        """Take note of the tokens that a response used."""
        ...

    def should_compress(self, prompt_tokens: int | None = None) -> bool:
        """Whether the conversation is too long now."""
        ...

    def compress(
        self,
        messages: list[dict[str, Any]],
        current_tokens: int | None = None,
        focus_topic: str | None = None,
    ) -> list[dict[str, Any]]:
        """Return the messages that replace the conversation.

        An engine may also take ``force: bool = False``, sent from 0.15.0, and ``memory_context: str = ""``, sent from
        0.19.0.
        """
        ...


class ImageGenProvider(Protocol):
    """Generates images. Inherit from ``agent.image_gen_provider.ImageGenProvider``."""

    @property
    def name(self) -> str:
        """What ``image_gen.provider`` selects it by."""
        ...

    def generate(self, prompt: str, aspect_ratio: str = "landscape", **kwargs: Any) -> dict[str, Any]:
        """Generate an image, or from 0.17.0 edit one: then ``image_url`` or ``reference_image_urls`` are sent too."""
        ...


class VideoGenProvider(Protocol):
    """Generates videos. Inherit from ``agent.video_gen_provider.VideoGenProvider``."""

    @property
    def name(self) -> str:
        """What ``video_gen.provider`` selects it by."""
        ...

    def generate(self, prompt: str, **kwargs: Any) -> dict[str, Any]:
        """Generate a video. From 0.16.0 the host always sends a keyword of its own, so ``**kwargs`` must be there."""
        ...


class WebSearchProvider(Protocol):
    """Searches the web or extracts pages. Inherit from ``agent.web_search_provider.WebSearchProvider``."""

    @property
    def name(self) -> str:
        """What ``web.backend`` selects it by."""
        ...

    def is_available(self) -> bool:
        """Whether it can be used now, without a request to the network."""
        ...


class BrowserProvider(Protocol):
    """Runs browsers in the cloud. Inherit from ``agent.browser_provider.BrowserProvider``."""

    @property
    def name(self) -> str:
        """What ``browser.cloud_provider`` selects it by."""
        ...

    def is_available(self) -> bool:
        """Whether it can be used now, without a request to the network."""
        ...

    def create_session(self, task_id: str) -> dict[str, object]:
        """Start a browser for a run of the agent."""
        ...

    def close_session(self, session_id: str) -> bool:
        """Stop a browser, and say whether that worked."""
        ...

    def emergency_cleanup(self, session_id: str) -> None:
        """Stop a browser while the process ends; must not raise."""
        ...


class TTSProvider(Protocol):
    """Turns text into speech. Inherit from ``agent.tts_provider.TTSProvider``."""

    @property
    def name(self) -> str:
        """What ``tts.provider`` selects it by."""
        ...

    def synthesize(
        self,
        text: str,
        output_path: str,
        *,
        voice: str | None = None,
        model: str | None = None,
        speed: float | None = None,
        format: str = "mp3",
        **extra: Any,
    ) -> str:
        """Write the speech to a file and return the path of the file."""
        ...


class TranscriptionProvider(Protocol):
    """Turns speech into text. Inherit from ``agent.transcription_provider.TranscriptionProvider``."""

    @property
    def name(self) -> str:
        """What ``stt.provider`` selects it by."""
        ...

    def transcribe(
        self, file_path: str, *, model: str | None = None, language: str | None = None, **extra: Any
    ) -> dict[str, Any]:
        """Return what is said in a file."""
        ...


class DashboardAuthProvider(Protocol):
    """Signs people in to the dashboard. Inherit from ``hermes_cli.dashboard_auth.DashboardAuthProvider``.

    The results are the host's ``LoginStart`` and ``Session``, of the same module.

    Attributes:
        name: Identifies it.
        display_name: Its name for people.
    """

    name: str
    display_name: str

    def start_login(self, *, redirect_uri: str) -> Any:
        """Return where to send the person, as a ``LoginStart``."""
        ...

    def complete_login(self, *, code: str, state: str, code_verifier: str, redirect_uri: str) -> Any:
        """Return the ``Session`` of a person who came back."""
        ...

    def verify_session(self, *, access_token: str) -> Any | None:
        """Return the ``Session`` behind a token, or None when it is not valid."""
        ...

    def refresh_session(self, *, refresh_token: str) -> Any:
        """Return a new ``Session`` for one that ran out."""
        ...

    def revoke_session(self, *, refresh_token: str) -> None:
        """End a session."""
        ...


class SecretSource(Protocol):
    """Fetches secrets. Inherit from ``agent.secret_sources.base.SecretSource``.

    Attributes:
        api_version: The version of the interface; the host refuses another than its own.
        name: What ``secrets.<name>`` enables it by: lower-case letters, digits and ``_``.
        shape: ``mapped`` when users name each variable, ``bulk`` when the store decides.
    """

    api_version: int
    name: str
    shape: Literal["mapped", "bulk"]

    def fetch(self, cfg: dict[str, Any], home_path: Path) -> Any:
        """Return a ``FetchResult`` of the same module; must neither raise nor ask anybody.

        Args:
            cfg: The block ``secrets.<name>`` of the configuration.
            home_path: The home of the host.
        """
        ...
