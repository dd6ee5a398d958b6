"""Stands in for the package ``hermes_cli.dashboard_auth``, which re-exports its module ``base``."""

import contextlib
from importlib import import_module

with contextlib.suppress(ModuleNotFoundError):  # Some releases have the package, but not the module.
    _base = import_module("hermes_cli.dashboard_auth.base")
    globals().update({name: getattr(_base, name) for name in _base.__all__ if hasattr(_base, name)})
