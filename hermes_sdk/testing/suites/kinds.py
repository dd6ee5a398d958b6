"""The contract suites, one class for each kind of plugin."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, ClassVar

from hermes_sdk.hosts.interface import ALLOW_ALL
from hermes_sdk.hosts.interface.memory import DRAIN_LIMIT, PREFETCH_LIMIT
from hermes_sdk.manifest import MEMORY_GROUP
from hermes_sdk.testing.suites.contract import Contract, find_secrets

if TYPE_CHECKING:
    from hermes_sdk.testing.suites.transport import Transport


class PluginContract(Contract):
    """Rules of the host for every plugin; see `Contract` for the attributes of all suites."""

    suite = "plugin"


class MemoryProviderContract(Contract):
    """Rules of the host for a memory provider; see `Contract` for the attributes of all suites.

    Attributes:
        turn: A message of the user and the answer of the model, for the provider to store.
        question: A later message of the user.
        answer: Text that ``prefetch`` must return for that question.
        patience: Seconds until a turn is stored, for providers that store it in the background.
    """

    suite = "memory"
    group = MEMORY_GROUP
    turn: ClassVar[tuple[str, str]] = ("My cat is called Zarathustra.", "A fine name for a cat.")
    question: ClassVar[str] = "What is my cat called?"
    answer: ClassVar[str] = "Zarathustra"
    patience: ClassVar[float] = 1.0

    @classmethod
    def select_config(cls, name: str) -> dict[str, Any]:
        """Return the configuration that selects the provider."""
        return {"memory": {"provider": name}}

    @classmethod
    def settings(cls, name: str) -> dict[str, Any]:  # noqa: ARG003
        """Return the turn to store, the question with its answer, and the time limits of the host."""
        return {
            "turn": list(cls.turn),
            "question": cls.question,
            "answer": cls.answer,
            "patience": cls.patience,
            "prefetch_limit": PREFETCH_LIMIT,
            "drain_limit": DRAIN_LIMIT,
        }


class ContextEngineContract(Contract):
    """Rules of the host for a context engine; see `Contract` for the attributes of all suites.

    Attributes:
        engine: Name of the engine in ``context.engine``. Default: the name of the plugin's directory.
    """

    suite = "engine"
    engine: ClassVar[str] = ""

    @classmethod
    def settings(cls, name: str) -> dict[str, Any]:
        """Return the name of the engine."""
        return {"engine": cls.engine or name}

    @classmethod
    def select_config(cls, name: str) -> dict[str, Any]:
        """Return the configuration that selects the engine."""
        return {"context": {"engine": cls.engine or name}}


class ImageGenProviderContract(Contract):
    """Rules of the host for an image backend; see `Contract` for the attributes of all suites.

    Attributes:
        backend: Name of the backend in ``image_gen.provider``. Default: the name of the plugin's directory.
    """

    suite = "image"
    backend: ClassVar[str] = ""

    @classmethod
    def settings(cls, name: str) -> dict[str, Any]:
        """Return the name of the backend."""
        return {"backend": cls.backend or name}

    @classmethod
    def select_config(cls, name: str) -> dict[str, Any]:
        """Return the configuration that selects the backend."""
        return {"image_gen": {"provider": cls.backend or name}}


class ModelProviderContract(Contract):
    """Rules of the host for a model provider; see `Contract` for the attributes of all suites.

    The plugin is installed in ``plugins/model-providers`` of the home, the only place where the host looks for such
    providers. The host needs an API key for a turn, so set a variable of the profile's ``env_vars`` in `environment`.

    Attributes:
        provider: Name of the provider in ``model.provider``. Default: the name of the directory.
    """

    suite = "model"
    group = ""
    folder = "model-providers"
    provider: ClassVar[str] = ""

    @classmethod
    def select_config(cls, name: str) -> dict[str, Any]:
        """Return the configuration that selects the provider."""
        return {"model": {"provider": cls.provider or name}}


class PlatformContract(Contract):
    """Rules of the host for a platform and its adapter; see `Contract` for the attributes of all suites.

    Attributes:
        platform: The platform under test. Default: the only one that the plugin registers.
        transport: Class of the server that the adapter connects to; without it, rules about a connection are skipped.
        patience: Seconds that a message or a new connection may take.
    """

    suite = "platform"
    platform: ClassVar[str] = ""
    transport: ClassVar[type[Transport] | None] = None
    patience: ClassVar[float] = 2.0

    @classmethod
    def beside(cls, stack: ExitStack) -> tuple[Mapping[str, str], Mapping[str, Any]]:
        """Start the transport; return its variables and its settings for the rules."""
        from hermes_sdk.testing.suites.transport import Served

        if cls.transport is None:
            return ALLOW_ALL, {"variables": sorted(cls.environment), "transport": None}
        transport = cls.transport()
        stack.callback(transport.close)
        served = stack.enter_context(Served(transport))
        variables = {**transport.environment, **cls.environment}
        settings = {
            **served.settings,
            "chats": list(transport.chats),
            "nowhere": transport.nowhere,
            "secrets": sorted({*transport.secrets, *find_secrets(variables)}),
            "limit": transport.limit,
        }
        return {**ALLOW_ALL, **variables}, {"variables": sorted(variables), "transport": settings}

    @classmethod
    def settings(cls, name: str) -> dict[str, Any]:  # noqa: ARG003
        """Return the platform to test, its configuration, and how long to wait."""
        blocks = [cls.config.get("gateway", {}).get("platforms", {}), cls.config.get("platforms", {})]
        configured = {name: block for one in blocks for name, block in one.items()}
        return {"platform": cls.platform, "configured": configured, "patience": cls.patience}
