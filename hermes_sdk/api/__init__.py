"""Types of the Hermes plugin API: ``ctx``, hooks, providers, platform adapters and messages.

A plugin needs this package for type checking only::

    if TYPE_CHECKING:
        from hermes_sdk.api import PluginContext

    def register(ctx: PluginContext) -> None: ...

The types describe Hermes 0.22.2. ``Since`` marks names that older releases lack; tests compare each mark with the
contract of every release. To use a member of a newer release, check ``hasattr(ctx, …)`` and continue with
``later: Any = ctx``.

A class with the name of a host class represents it during type checking; at run time, import the host's own.

The package imports only the standard library, and its own modules only when a name is first used.
"""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hermes_sdk.api._names import *
else:

    def __getattr__(name: str) -> Any:
        """Import every public name when the first one is used, since most plugins use them for type checking only."""
        if "__all__" not in globals():
            names = vars(import_module(f"{__name__}._names"))
            public = {key: value for key, value in names.items() if key[0] != "_" and not isinstance(value, ModuleType)}
            globals().update(public, __all__=sorted(public))
        if name not in globals():
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return globals()[name]

    def __dir__() -> list[str]:
        return __getattr__("__all__")
