"""Tools for authors of Hermes Agent plugins: typings, test harnesses, templates and a validator.

Importing this package costs nothing: the names below are loaded when they are first used. Pytest finds the word
PYTEST_DONT_REWRITE here and does not warn that the package is imported already when it starts.
"""

from __future__ import annotations

# Set here because the import of `typing` would cost as much as the start of Python does; type checkers know the name.
TYPE_CHECKING = False

__version__ = "0.1.0"

__all__ = ["HermesSdkError", "UnavailableError", "UsageError", "__version__"]

if TYPE_CHECKING:
    from hermes_sdk.errors import HermesSdkError, UnavailableError, UsageError


def __getattr__(name: str) -> type[Exception]:
    if name in __all__:
        from hermes_sdk import errors

        found: type[Exception] = getattr(errors, name)
        return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
