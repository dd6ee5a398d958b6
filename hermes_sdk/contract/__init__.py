"""What each release of Hermes promises to plugins: data that is generated from the release, and its loader.

`load("0.19.0")` gives a `Contract`; the release ``documented`` is what the public documents promise. The embedded host
is proven for `releases`, and not for `unverified`; the facts of `api_releases` were read from the host. Must not import
anything of ours but `errors`. Importing this package costs nothing: names are loaded when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hermes_sdk.contract.behaviour import Behaviour
    from hermes_sdk.contract.loader import DEFAULT, DOCUMENTED, api_releases, load, releases, titled, unverified
    from hermes_sdk.contract.model import Contract, HookFact, Member, Parameter
    from hermes_sdk.contract.ordering import parse_release

_MODULES = {
    "DEFAULT": "loader",
    "DOCUMENTED": "loader",
    "Behaviour": "behaviour",
    "Contract": "model",
    "HookFact": "model",
    "Member": "model",
    "Parameter": "model",
    "api_releases": "loader",
    "load": "loader",
    "parse_release": "ordering",
    "releases": "loader",
    "titled": "loader",
    "unverified": "loader",
}

__all__ = [
    "DEFAULT",
    "DOCUMENTED",
    "Behaviour",
    "Contract",
    "HookFact",
    "Member",
    "Parameter",
    "api_releases",
    "load",
    "parse_release",
    "releases",
    "titled",
    "unverified",
]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
