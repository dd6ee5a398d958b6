"""Members of ``ctx`` that register providers, which implement features of the host."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from typing import Any

    from hermes_sdk.api import providers
    from hermes_sdk.api.services import PluginRegistration


class ProviderRegistration(Protocol):
    """Registration of providers. An object that does not inherit from the host's class is ignored with a warning.

    Unless a method says otherwise, the later of two providers with the same kind and name wins.
    """

    def register_context_engine(self, engine: providers.ContextEngine) -> PluginRegistration | None:
        """Register an engine that compresses long conversations.

        A second one is ignored with a warning. From 0.18.0 each agent gets a deep copy.

        Args:
            engine: The engine.
        """

    def register_image_gen_provider(self, provider: providers.ImageGenProvider) -> PluginRegistration | None:
        """Register an image generator.

        Args:
            provider: The generator.
        """

    def register_video_gen_provider(self, provider: providers.VideoGenProvider) -> PluginRegistration | None:
        """Register a video generator.

        Args:
            provider: The generator.
        """

    def register_web_search_provider(self, provider: providers.WebSearchProvider) -> PluginRegistration | None:
        """Register a web search provider.

        Args:
            provider: The provider.
        """

    def register_browser_provider(self, provider: providers.BrowserProvider) -> PluginRegistration | None:
        """Register a cloud browser. Since 0.15.0.

        Args:
            provider: The browser.
        """

    def register_tts_provider(self, provider: providers.TTSProvider) -> PluginRegistration | None:
        """Register a text-to-speech provider. Since 0.15.0.

        The name of a built-in provider is rejected with a warning; a command in ``tts.providers`` overrides a plugin.

        Args:
            provider: The provider.
        """

    def register_transcription_provider(self, provider: providers.TranscriptionProvider) -> PluginRegistration | None:
        """Register a speech-to-text provider. Since 0.15.0.

        The name of a built-in provider is rejected with a warning; a command in ``stt.providers`` overrides a plugin.

        Args:
            provider: The provider.
        """

    def register_dashboard_auth_provider(self, provider: providers.DashboardAuthProvider) -> PluginRegistration | None:
        """Register a sign-in provider for the dashboard. Since 0.15.0.

        A registered name is rejected with a warning.

        Args:
            provider: The provider.

        Raises:
            ModuleNotFoundError: Always in 0.15.0 to 0.15.2, which lack the module.
        """

    def register_secret_source(self, source: providers.SecretSource) -> PluginRegistration | None:
        """Register a secret source. Users enable it under ``secrets.<name>``. Since 0.18.1.

        A process reads its sources before it loads plugins, so the source only serves processes that the host starts
        later. A registered name or scheme is rejected with a warning.

        Args:
            source: The source.
        """

    def register_terminal_environment_provider(self, provider: Any) -> PluginRegistration | None:
        """Register an environment that runs commands. Users select it in ``terminal.backend``. Since 0.20.6.

        Args:
            provider: A ``TerminalEnvironmentProvider`` of ``agent.terminal_environment_provider``.
        """

    def register_memory_provider(self, provider: providers.MemoryProvider) -> None:
        """Check the class of a memory provider. Only the loader of `MemoryPluginContext` registers it. Since 0.20.1.

        Args:
            provider: The provider.
        """
