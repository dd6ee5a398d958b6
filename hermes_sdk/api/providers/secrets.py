"""Stores of secrets. All names are those of ``agent.secret_sources.base``."""

from __future__ import annotations

from abc import abstractmethod
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol

from hermes_sdk.api.base import host_dataclass, inherited

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["ErrorKind", "FetchResult", "SecretSource"]


class ErrorKind(StrEnum):
    """Why a store gave nothing. Since 0.18.1."""

    NOT_CONFIGURED = "not_configured"
    BINARY_MISSING = "binary_missing"
    AUTH_FAILED = "auth_failed"
    AUTH_EXPIRED = "auth_expired"
    REF_INVALID = "ref_invalid"
    NETWORK = "network"
    EMPTY_VALUE = "empty_value"
    TIMEOUT = "timeout"
    INTERNAL = "internal"


@host_dataclass
class FetchResult:
    """What a store gave. Since 0.18.1.

    Attributes:
        secrets: The secrets by the environment variable that they are for.
        applied: Left empty by a store.
        skipped: Left empty by a store.
        warnings: What to tell the user.
        error: What went wrong, or None.
        error_kind: Which kind of error it was.
        binary_path: The program that was run, if any.
    """

    secrets: dict[str, str] = {}
    applied: list[str] = []
    skipped: list[str] = []
    warnings: list[str] = []
    error: str | None = None
    error_kind: ErrorKind | None = None
    binary_path: Path | None = None

    @property
    def ok(self) -> bool:
        """Whether nothing went wrong."""
        inherited()

    def fail(self, error: str, kind: ErrorKind) -> FetchResult:
        """Set what went wrong and return the result itself. Since 0.21.3.

        Args:
            error: What went wrong.
            kind: Which kind of error it is.
        """
        inherited()


class SecretSource(Protocol):
    """Fetches secrets; base class ``agent.secret_sources.base.SecretSource``. Since 0.18.1.

    Attributes:
        api_version: The version of the interface; the host refuses another than its own.
        name: What ``secrets.<name>`` enables it by: lower-case letters, digits and ``_``.
        label: Display name.
        shape: ``mapped`` when users name each variable, ``bulk`` when the store decides; a mapped one goes first.
        scheme: The scheme of its references, such as ``op`` for ``op://…``; taken by one store only.
        token_env_key: The key of the block that names the variable with the store's own token. Since 0.21.3.
        default_token_env: The variable with the token where the block names none. Since 0.21.3.
        override_existing_default: What `override_existing` is where the block does not say. Since 0.21.3.
        remediation_hints: What the user can do, by the kind of error. Since 0.21.3.
    """

    api_version: int = 1
    name: str = ""
    label: str = ""
    shape: str = "mapped"
    scheme: str | None = None
    token_env_key: str | None = None
    default_token_env: str = ""
    override_existing_default: bool = False
    remediation_hints: dict[ErrorKind, str] = {}

    @abstractmethod
    def fetch(self, cfg: dict[str, Any], home_path: Path) -> FetchResult:
        """Return the secrets; must neither raise nor ask anybody.

        Args:
            cfg: The block ``secrets.<name>`` of the configuration, as the user wrote it.
            home_path: The path of the HERMES_HOME.
        """
        ...

    def is_enabled(self, cfg: dict[str, Any]) -> bool:
        """Return whether the user wants it; by default ``enabled`` in the block.

        Args:
            cfg: The block ``secrets.<name>`` of the configuration.
        """
        inherited()

    def override_existing(self, cfg: dict[str, Any]) -> bool:
        """Return whether it may replace what the environment has; by default ``override_existing`` in the block.

        Args:
            cfg: The block ``secrets.<name>`` of the configuration.
        """
        inherited()

    def token_env(self, cfg: dict[str, Any]) -> str:
        """Return the variable with the store's own token. Since 0.21.3.

        Args:
            cfg: The block ``secrets.<name>`` of the configuration.
        """
        inherited()

    def remediation(self, kind: ErrorKind | None, cfg: dict[str, Any]) -> str:
        """Return one line on what the user can do after an error, or an empty text. Since 0.19.1.

        Args:
            kind: The kind of error.
            cfg: The block ``secrets.<name>`` of the configuration.
        """
        inherited()

    def protected_env_vars(self, cfg: dict[str, Any]) -> frozenset[str]:
        """Return the variables that no store may replace, such as its own token; none by default.

        Args:
            cfg: The block ``secrets.<name>`` of the configuration.
        """
        inherited()

    def fetch_timeout_seconds(self, cfg: dict[str, Any]) -> float:
        """Return how many seconds `fetch` may take; by default ``timeout_seconds`` in the block, else 120.

        Args:
            cfg: The block ``secrets.<name>`` of the configuration.
        """
        inherited()

    def config_schema(self) -> dict[str, Any]:
        """Return ``description`` and ``default`` for each key of the block, for people; nothing by default."""
        inherited()
