"""The command ``hermes memory`` of a host, for memory providers in its home."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hermes_sdk.errors import UsageError
from hermes_sdk.home import Home
from hermes_sdk.manifest import guessed_kind

if TYPE_CHECKING:
    from hermes_sdk.hosts.interface.values import CliResult

PREFETCH_LIMIT = 8.0
"""Seconds that a turn waits for the ``prefetch`` of a memory provider."""

DRAIN_LIMIT = 5.0
"""Seconds that the end of a turn or session waits for a memory provider's background work."""

SetUp = Callable[[str, dict[str, str]], "CliResult"]
ListFields = Callable[[str], list[dict[str, Any]]]


class MemoryCommand:
    """The command ``hermes memory`` of a host.

    Args:
        home: The HERMES_HOME that the setup configures.
        set_up: Runs the host's setup for a provider's directory, with the answers to its prompts.
        list_fields: Returns the fields that the setup asks for.
    """

    def __init__(self, home: Path, set_up: SetUp, list_fields: ListFields) -> None:
        self._home = home
        self._set_up = set_up
        self._list_fields = list_fields

    def setup(self, values: Mapping[str, str] | None = None, *, provider: str | None = None) -> CliResult:
        """Run ``hermes memory setup``: select a provider, answer the prompts of its ``get_config_schema``, and save.

        The new values in ``.env`` and ``config.yaml`` apply from the next session on; `Host.finish` ends an open one.
        Packages of ``pip_dependencies`` are not installed.

        Args:
            values: Key of a field -> the typed or selected answer. Omitted fields keep their defaults, as if the user
                had pressed Enter.
            provider: The provider's directory. Default: ``memory.provider`` in ``config.yaml``, otherwise the home's
                only provider.

        Returns:
            The output, without the typed input; the exit code is 1 if the provider raised an exception.

        Raises:
            UsageError: The setup does not ask for a value, the value is not one of the field's choices, or it is not
                clear which provider to use. Nothing was saved.
        """
        typed: dict[str, Any] = dict(values or {})
        for key, value in typed.items():
            if not isinstance(value, str) or value != value.strip() or "\n" in value or "\r" in value:
                raise UsageError(
                    f"memory.setup: {value!r} is not a valid answer for {key!r}",
                    fix="Pass what a user types at the prompt: one line of text without leading or trailing spaces.",
                )
        return self._set_up(provider or self._choose_provider(), typed)

    def fields(self, *, provider: str | None = None) -> list[dict[str, Any]]:
        """Return the fields that the setup asks for, as the provider's ``get_config_schema`` describes them.

        Args:
            provider: As in `setup`.

        Raises:
            UsageError: The setup does not offer the provider, the provider raises an exception or has its own prompts,
                or it is not clear which provider to use.
        """
        return self._list_fields(provider or self._choose_provider())

    def _choose_provider(self) -> str:
        section = Home(self._home).config.get("memory")
        configured = section.get("provider") if isinstance(section, Mapping) else None
        if isinstance(configured, str) and configured:
            return configured
        names = provider_names(self._home)
        if len(names) != 1:
            raise UsageError(
                f"memory.setup: expected one provider in the home, but found: {', '.join(names) or 'none'}.",
                fix="Pass `provider=` with the name of the provider's directory in `plugins`.",
            )
        return names[0]


def provider_names(home: Path) -> list[str]:
    """Return the directory names of a home's memory providers, sorted, without the host's own providers."""
    folder = home / "plugins"
    places = folder.iterdir() if folder.is_dir() else ()
    return sorted(place.name for place in places if place.name[:1] not in ("_", ".") and is_provider(place))


def is_provider(directory: Path) -> bool:
    """Return whether the host recognizes a directory as a memory provider (G1)."""
    return (directory / "__init__.py").is_file() and guessed_kind(directory) == "exclusive"
