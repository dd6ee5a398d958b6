"""Loads the certificates of public authorities when they are needed: to read them takes 15 ms for each client.

A host makes several clients for one turn, and its connections stay on this machine, where they are not needed.
"""

from __future__ import annotations

import contextlib
import importlib
import ssl
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

Load = Callable[[ssl.SSLContext], None]

_NEEDED_BY = ("wrap_socket", "wrap_bio", "get_ca_certs", "cert_store_stats")


def load_late() -> None:
    """Load the bundle of `certifi` and that of the system into a context when something there needs them."""
    bundle = None
    with contextlib.suppress(ImportError):
        bundle = importlib.import_module("certifi").where()
    waiting: WeakKeyDictionary[ssl.SSLContext, list[Load]] = WeakKeyDictionary()
    load, load_default = ssl.SSLContext.load_verify_locations, ssl.SSLContext.set_default_verify_paths

    def load_unless_bundle(context: ssl.SSLContext, cafile: Any = None, capath: Any = None, cadata: Any = None) -> None:
        if cafile is not None and cafile == bundle and capath is cadata is None:
            waiting.setdefault(context, []).append(lambda context: load(context, bundle))
        else:
            load(context, cafile, capath, cadata)

    def load_default_late(context: ssl.SSLContext) -> None:
        waiting.setdefault(context, []).append(load_default)

    def load_before(method: Callable[..., Any]) -> Callable[..., Any]:
        def call(context: ssl.SSLContext, *args: Any, **options: Any) -> Any:
            for load_now in waiting.pop(context, ()):
                load_now(context)
            return method(context, *args, **options)

        return call

    replaced = {name: load_before(getattr(ssl.SSLContext, name)) for name in _NEEDED_BY}
    replaced |= {"load_verify_locations": load_unless_bundle, "set_default_verify_paths": load_default_late}
    for name, method in replaced.items():
        setattr(ssl.SSLContext, name, method)
