"""Secret sources, such as password managers. All names are those of ``agent.secret_sources.base``."""

from __future__ import annotations

from abc import abstractmethod
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol

from hermes_sdk.api.base import host_dataclass, provided_by_host

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["ErrorKind", "FetchResult", "SecretSource"]


class ErrorKind(StrEnum):
    """Reason why a source returned no secrets. Since 0.18.1."""

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
    """Result of `SecretSource.fetch`. Since 0.18.1.

    Attributes:
        secrets: The secrets, by environment variable.
        applied: Not set by sources.
        skipped: Not set by sources.
        warnings: Warnings for the user.
        error: Error message, or None.
        error_kind: Kind of error, or None.
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
        """True if there was no error."""
        provided_by_host()

    def fail(self, error: str, kind: ErrorKind) -> FetchResult:
        """Set the error and return the result itself. Since 0.21.3.

        Args:
            error: The error message.
            kind: The kind.
        """
        provided_by_host()


class SecretSource(Protocol):
    """Fetches secrets; base class ``agent.secret_sources.base.SecretSource``. Since 0.18.1.

    Attributes:
        api_version: Version of the interface; the host accepts only its own.
        name: Name that enables the source in ``secrets.<name>``: lower-case letters, digits and ``_``.
        label: Display name.
        shape: ``mapped`` if users name each variable, ``bulk`` if the source does; mapped sources go first.
        scheme: Scheme of the references, such as ``op`` for ``op://…``; unique among sources.
        token_env_key: Key of the block with the name of the token's variable. Since 0.21.3.
        default_token_env: That variable by default. Since 0.21.3.
        override_existing_default: Default of `override_existing`. Since 0.21.3.
        remediation_hints: Advice for the user, by kind of error. Since 0.21.3.
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
        """Return the secrets; must neither raise nor prompt.

        Args:
            cfg: The block ``secrets.<name>`` of the configuration.
            home_path: The HERMES_HOME.
        """
        ...

    def is_enabled(self, cfg: dict[str, Any]) -> bool:
        """Return whether the user enabled the source; by default ``enabled`` in the block.

        Args:
            cfg: The block ``secrets.<name>`` of the configuration.
        """
        provided_by_host()

    def override_existing(self, cfg: dict[str, Any]) -> bool:
        """Return whether to override existing variables; by default ``override_existing`` in the block.

        Args:
            cfg: The block ``secrets.<name>`` of the configuration.
        """
        provided_by_host()

    def token_env(self, cfg: dict[str, Any]) -> str:
        """Return the variable with the source's token. Since 0.21.3.

        Args:
            cfg: The block ``secrets.<name>`` of the configuration.
        """
        provided_by_host()

    def remediation(self, kind: ErrorKind | None, cfg: dict[str, Any]) -> str:
        """Return one line of advice after an error, or an empty text. Since 0.19.1.

        Args:
            kind: The kind.
            cfg: The block ``secrets.<name>`` of the configuration.
        """
        provided_by_host()

    def protected_env_vars(self, cfg: dict[str, Any]) -> frozenset[str]:
        """Return variables that no source may override, such as its own token; none by default.

        Args:
            cfg: The block ``secrets.<name>`` of the configuration.
        """
        provided_by_host()

    def fetch_timeout_seconds(self, cfg: dict[str, Any]) -> float:
        """Return the timeout of `fetch`, in seconds; by default ``timeout_seconds`` in the block, else 120.

        Args:
            cfg: The block ``secrets.<name>`` of the configuration.
        """
        provided_by_host()

    def config_schema(self) -> dict[str, Any]:
        """Return ``description`` and ``default`` of each key of the block; empty by default."""
        provided_by_host()
