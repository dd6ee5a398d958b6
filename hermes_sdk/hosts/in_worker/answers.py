"""Scripted answers to the prompts of ``hermes memory setup``, for both hosts."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from typing import Any


class Unanswerable(BaseException):
    """Raised if an answer does not match a prompt of the setup.

    It is not an Exception, so that the host does not treat it as an exception of the provider.
    """


class Answers:
    """A scripted user who selects a provider and fills in the fields of its ``get_config_schema``.

    Fields without an answer keep their defaults, as if the user had pressed Enter.

    Args:
        provider: The provider's directory.
        values: Key of a field -> the typed or selected answer.
    """

    def __init__(self, provider: str, values: Mapping[str, str]) -> None:
        self._provider = provider
        self._values = values
        self._field: Any = None
        self._given: set[str] = set()

    def follow_provider(self, offered: Iterable[tuple[str, str, Any]]) -> list[tuple[str, str, Any]]:
        """Wrap the selected provider in the list of tuples (name, hint, provider), to track its current field.

        Raises:
            Unanswerable: The provider is not in the list, or has its own prompts.
        """
        found = list(offered)
        for number, (name, hint, provider) in enumerate(found):
            if name == self._provider:
                if self._values:
                    _refuse_own_prompts(name, provider)
                found[number] = (name, hint, _Followed(provider, self._follow))
                return found
        raise _not_offered(self._provider)

    @property
    def asking(self) -> bool:
        """Return whether the setup has reached a field."""
        return self._field is not None

    def answer_field(self) -> str:
        """Return the answer to the current field."""
        self._given.add(self._field)
        return self._values.get(self._field, "")

    def pick(self, choices: Sequence[Any], default: int) -> int:
        """Return the index of the answer in the choices: the provider before the first field, later the field's value.

        Raises:
            Unanswerable: The field's value is not one of the choices.
        """
        self._given.add(self._field)
        wanted = self._provider if self._field is None else self._values.get(self._field)
        if wanted is None:
            return default
        if wanted not in choices:
            raise Unanswerable(f"{self._field!r} must be one of {', '.join(map(repr, choices))}, not {wanted!r}")
        return choices.index(wanted)

    def _follow(self, schema: Any) -> Any:
        fields = schema if isinstance(schema, (list, tuple)) else ()
        known = [field["key"] for field in fields if isinstance(field, Mapping) and "key" in field]
        if unknown := [key for key in self._values if key not in known]:
            asks = ", ".join(map(repr, known)) or "none"
            raise Unanswerable(
                f"{self._provider!r} has no field {', '.join(map(repr, unknown))}; its fields are: {asks}"
            )
        return _Fields(fields, self._walk) if fields else schema

    def _walk(self, fields: Iterable[Any]) -> Generator[Any]:
        """Yield the fields, and track the current one."""
        for field in fields:
            self._field = field.get("key") if isinstance(field, Mapping) else None
            yield field
        self._field = None
        if passed := [key for key in self._values if key not in self._given]:
            raise Unanswerable(
                f"the setup skipped {', '.join(map(repr, passed))}, because its `when` condition was not met"
            )


def read_fields(provider: str, offer: Callable[[], Iterable[tuple[str, str, Any]]]) -> list[dict[str, Any]]:
    """Return the fields of a provider, as JSON values.

    Args:
        provider: The provider's directory.
        offer: Returns the offered providers as tuples (name, hint, provider).

    Raises:
        Unanswerable: The provider is not offered, raises an exception, or has its own prompts.
    """
    try:
        found: Any = next((one for name, _, one in offer() if name == provider), None)
        schema = found.get_config_schema() if hasattr(found, "get_config_schema") else []
    except Exception as error:
        raise Unanswerable(f"the setup cannot ask for the fields: {type(error).__name__}: {error}") from None
    if found is None:
        raise _not_offered(provider)
    _refuse_own_prompts(provider, found)
    fields = schema if isinstance(schema, (list, tuple)) else ()
    known = [field for field in fields if isinstance(field, Mapping) and "key" in field]
    return [{str(key): json.loads(json.dumps(value, default=str)) for key, value in field.items()} for field in known]


def _not_offered(name: str) -> Unanswerable:
    return Unanswerable(f"the setup does not offer {name!r}, because no provider could be loaded from it")


def _refuse_own_prompts(name: str, provider: Any) -> None:
    if hasattr(provider, "post_setup"):
        raise Unanswerable(f"{name!r} has a post_setup with prompts of its own, which cannot be scripted")


class _Followed:
    """Wrapper of a provider that tracks its current field."""

    def __init__(self, provider: Any, follow: Any) -> None:
        self._provider = provider
        self._follow = follow

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._provider, name)
        return (lambda: self._follow(found())) if name == "get_config_schema" else found


class _Fields(list[Any]):
    """A list of fields that tracks the iteration of the setup."""

    def __init__(self, fields: Iterable[Any], walk: Any) -> None:
        super().__init__(fields)
        self._walk = walk

    def __iter__(self) -> Any:
        return self._walk(super().__iter__())
