"""Loads the certificates of public authorities when they are needed: to read them takes 15 ms for each client.

A host makes several clients for one turn, and its connections stay on this machine, where they are not needed.
"""

from __future__ import annotations

import contextlib
import importlib
import ssl
from collections.abc import Callable
from typing import Any
from weakref import WeakSet

_NEEDED_BY = ("wrap_socket", "wrap_bio", "get_ca_certs", "cert_store_stats")


def load_late() -> None:
    """Load the bundle of `certifi` into a context when something there needs it; without the package do nothing."""
    with contextlib.suppress(ImportError):
        _load_late(importlib.import_module("certifi").where())


def _load_late(bundle: str) -> None:
    waiting: WeakSet[ssl.SSLContext] = WeakSet()
    load = ssl.SSLContext.load_verify_locations

    def load_unless_bundle(context: ssl.SSLContext, cafile: Any = None, capath: Any = None, cadata: Any = None) -> None:
        if cafile == bundle and capath is cadata is None:
            waiting.add(context)
        else:
            load(context, cafile, capath, cadata)

    def load_before(method: Callable[..., Any]) -> Callable[..., Any]:
        def call(context: ssl.SSLContext, *args: Any, **options: Any) -> Any:
            if context in waiting:
                waiting.discard(context)
                load(context, bundle)
            return method(context, *args, **options)

        return call

    replaced = {name: load_before(getattr(ssl.SSLContext, name)) for name in _NEEDED_BY}
    for name, method in {**replaced, "load_verify_locations": load_unless_bundle}.items():
        setattr(ssl.SSLContext, name, method)
