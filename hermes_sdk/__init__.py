"""Tools for authors of Hermes Agent plugins: typings, test harnesses, templates and a validator.

Importing this package costs nothing: the names below are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

__all__ = ["HermesSdkError", "UnavailableError", "UsageError", "__version__"]

if TYPE_CHECKING:
    from hermes_sdk.errors import HermesSdkError, UnavailableError, UsageError


def __getattr__(name: str) -> Any:
    if name in __all__:
        from hermes_sdk import errors

        return getattr(errors, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
