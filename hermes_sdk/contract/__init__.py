"""Contracts of the releases of Hermes: data extracted from each release, and its loader.

`load("0.19.0")` returns a `Contract`. The embedded host models `modelled_releases` and is proven for `releases`; the
facts of `api_releases` were read from the host. Must not import anything of ours but `errors`. Importing this package
is cheap: names are loaded lazily.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hermes_sdk.contract.behaviour import Behaviour
    from hermes_sdk.contract.loader import (
        API_ONLY,
        DEFAULT,
        OLDEST_MODELLED,
        api_releases,
        find_nearest,
        format_release,
        grade,
        is_modelled,
        is_proven,
        known_releases,
        load,
        load_closest,
        load_modelled,
        modelled_releases,
        order_releases,
        releases,
        split_location,
    )
    from hermes_sdk.contract.model import Contract, HookFact, Member, Parameter
    from hermes_sdk.contract.ordering import parse_release

_MODULES = {
    "DEFAULT": "loader",
    "API_ONLY": "loader",
    "OLDEST_MODELLED": "loader",
    "Behaviour": "behaviour",
    "Contract": "model",
    "HookFact": "model",
    "Member": "model",
    "Parameter": "model",
    "api_releases": "loader",
    "grade": "loader",
    "is_modelled": "loader",
    "is_proven": "loader",
    "known_releases": "loader",
    "load": "loader",
    "load_closest": "loader",
    "load_modelled": "loader",
    "modelled_releases": "loader",
    "order_releases": "loader",
    "parse_release": "ordering",
    "releases": "loader",
    "find_nearest": "loader",
    "format_release": "loader",
    "split_location": "loader",
}

__all__ = [
    "API_ONLY",
    "DEFAULT",
    "OLDEST_MODELLED",
    "Behaviour",
    "Contract",
    "HookFact",
    "Member",
    "Parameter",
    "api_releases",
    "find_nearest",
    "format_release",
    "grade",
    "is_modelled",
    "is_proven",
    "known_releases",
    "load",
    "load_closest",
    "load_modelled",
    "modelled_releases",
    "order_releases",
    "parse_release",
    "releases",
    "split_location",
]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
