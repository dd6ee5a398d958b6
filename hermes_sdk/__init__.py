"""Tools for authors of Hermes Agent plugins: typings, test harnesses, templates and a validator.

Importing this package is cheap: the names below are loaded lazily. PYTEST_DONT_REWRITE in this docstring keeps pytest
from warning that the package was imported before pytest started.
"""

from __future__ import annotations

# Defined here because importing `typing` would take as long as starting Python; type checkers know the name.
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
