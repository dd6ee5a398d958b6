"""Costs of the stand-ins for modules of the host before any is imported."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from time import process_time

from bench.measure import Figure, least_time
from hermes_sdk.home import Home
from hermes_sdk.hosts.embedded.host import EmbeddedHost
from hermes_sdk.hosts.embedded.loading.hidden_modules import HiddenModules
from hermes_sdk.hosts.embedded.loading.plugin_imports import PluginImports
from hermes_sdk.hosts.embedded.loading.standin_loader import Standins

ROUNDS = 200


def figures() -> Iterator[Figure]:
    """Measure the costs in a process that has opened a host before."""
    with Home.temporary() as home:

        def importing(*modules: str) -> None:
            with EmbeddedHost(home):
                for name in modules:
                    importlib.import_module(name)

        with EmbeddedHost(home) as host:
            state, hidden, own = host._state, HiddenModules(frozenset()), host._plugins.imports._own
            standins = Standins(host._plugins, state, hidden)
            finders = list(sys.meta_path)

            def install() -> None:
                PluginImports(state, standins, own, hidden).install()
                sys.meta_path[:] = finders

            yield Figure("finder of stand-ins, installed", 1000 * _least(install), 0.01, "ms")
        nothing = _least(importing)
        for name, limit in (
            ("agent.memory_provider", 0.9),
            ("hermes_cli.config", 0.8),
            ("gateway.platforms.base", 1.75),
        ):
            over = _least(lambda name=name: importing(name)) - nothing
            yield Figure(f"stand-in {name}, imported", 1000 * over, limit, "ms")


def _least(act: Callable[[], None]) -> float:
    return least_time(act, ROUNDS, process_time)
