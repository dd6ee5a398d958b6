"""The part of ``ctx`` that registers providers: what does the work behind a feature of the host."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from typing import Any

    from hermes_sdk.api import providers
    from hermes_sdk.api.services import PluginRegistration


class ProviderRegistration(Protocol):
    """Registers providers. An object that does not inherit from the host's own class is ignored with a warning.

    Of two providers of one kind and name the later one wins, where nothing else is said.
    """

    def register_context_engine(self, engine: providers.ContextEngine) -> PluginRegistration | None:
        """Offer a way to compress long conversations, for users who select its ``name`` in ``context.engine``.

        Only one is accepted; a second one is ignored with a warning. From 0.18.0 each agent gets a deep copy of it.

        Args:
            engine: The engine.
        """

    def register_image_gen_provider(self, provider: providers.ImageGenProvider) -> PluginRegistration | None:
        """Offer a generator of images, for users who select its ``name`` in ``image_gen.provider``.

        Args:
            provider: The generator.
        """

    def register_video_gen_provider(self, provider: providers.VideoGenProvider) -> PluginRegistration | None:
        """Offer a generator of videos, for users who select its ``name`` in ``video_gen.provider``.

        Args:
            provider: The generator.
        """

    def register_web_search_provider(self, provider: providers.WebSearchProvider) -> PluginRegistration | None:
        """Offer a web search, for users who select its ``name`` in ``web.backend``.

        ``web.search_backend`` and ``web.extract_backend`` select it for one of the two purposes.

        Args:
            provider: The search.
        """

    def register_browser_provider(self, provider: providers.BrowserProvider) -> PluginRegistration | None:
        """Offer a browser in the cloud, for users who select its ``name`` in ``browser.cloud_provider``. Since 0.15.0.

        Args:
            provider: The browser.
        """

    def register_tts_provider(self, provider: providers.TTSProvider) -> PluginRegistration | None:
        """Offer a voice, for users who select its ``name`` in ``tts.provider``. Since 0.15.0.

        The name of a built-in provider is refused with a warning; a command in ``tts.providers`` wins over a plugin.

        Args:
            provider: The voice.
        """

    def register_transcription_provider(self, provider: providers.TranscriptionProvider) -> PluginRegistration | None:
        """Offer speech recognition, for users who select its ``name`` in ``stt.provider``. Since 0.15.0.

        The name of a built-in provider is refused with a warning; a command in ``stt.providers`` wins over a plugin.

        Args:
            provider: The recognition.
        """

    def register_dashboard_auth_provider(self, provider: providers.DashboardAuthProvider) -> PluginRegistration | None:
        """Offer a way to sign in to the dashboard. Since 0.15.0.

        A taken name is rejected with a warning.

        Args:
            provider: The way to sign in.

        Raises:
            ModuleNotFoundError: Always in 0.15.0 to 0.15.2, which lack the module behind it.
        """

    def register_secret_source(self, source: providers.SecretSource) -> PluginRegistration | None:
        """Offer a store of secrets, for users who enable it under ``secrets.<name>``. Since 0.18.1.

        Stores are read when a process starts, before its plugins load: a plugin's store serves the processes that the
        host starts afterwards. A name or scheme that is taken is refused with a warning.

        Args:
            source: The store.
        """

    def register_terminal_environment_provider(self, provider: Any) -> PluginRegistration | None:
        """Offer an environment to run commands in, for users who select it in ``terminal.backend``. Since 0.20.6.

        Args:
            provider: A ``TerminalEnvironmentProvider`` of ``agent.terminal_environment_provider``.
        """

    def register_memory_provider(self, provider: providers.MemoryProvider) -> None:
        """Check the class, and register nothing: memory has its own loader, see `MemoryPluginContext`. Since 0.20.1.

        Args:
            provider: The provider.
        """
