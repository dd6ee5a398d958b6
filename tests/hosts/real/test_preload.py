"""Preloaded servers: their children behave like those of a new server, but start faster."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from hermes_sdk.home import Home
from hermes_sdk.hosts.environments import environment
from hermes_sdk.hosts.real.host import RealHost
from hermes_sdk.hosts.real.servers import Server

pytestmark = pytest.mark.real_host

ASKS = """
    import importlib, ssl, sys

    def register(ctx):
        def ask(line):
            try:
                return repr(eval(line))
            except Exception as error:
                return f"{type(error).__name__}: {error}"
        ctx.register_command("ask", ask)
"""

Asker = Callable[[str], str | None]


@pytest.fixture(params=["0.13.0", "0.22.2"])
def release(request: pytest.FixtureRequest, real_python) -> str:
    real_python(request.param)
    return request.param


@pytest.fixture
def home() -> Iterator[Home]:
    with Home.temporary() as one:
        yield one


@pytest.fixture
def server(release: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    started = Server(environment(release))
    monkeypatch.setattr("hermes_sdk.hosts.real.host.server", lambda *_, **__: started)
    yield started
    started.stop()


@pytest.fixture
def ask(server: Server, home: Home, release: str) -> Asker:
    """Return a function that evaluates an expression in the plugin of a new host."""
    plugin = home.path / "plugins" / "p"
    plugin.mkdir(parents=True)
    (plugin / "plugin.yaml").write_text("name: p\n")
    (plugin / "__init__.py").write_text(dedent(ASKS))
    (plugin / "own.py").write_text("")
    (home.path / "config.yaml").write_text("plugins: {enabled: [p]}\n")

    def evaluate(expression: str) -> str | None:
        with RealHost(home, release) as host:
            return host.command(f"/ask {expression}")

    return evaluate


def test_ssl_context_loads_ca_certificates_on_demand(server: Server, ask: Asker) -> None:
    expression = (
        "len(ssl.create_default_context(cafile=importlib.import_module('certifi').where()).get_ca_certs()) > 50"
    )
    assert ask(expression) == "True"
    of_the_system = ask("len(ssl.create_default_context().get_ca_certs())")
    server.warm("agent")
    assert ask(expression) == "True"
    assert ask("len(ssl.create_default_context().get_ca_certs())") == of_the_system


def test_custom_ca_bundle_is_loaded_immediately(server: Server, ask: Asker, tmp_path: Path) -> None:
    server.warm("agent")
    assert ask(f"ssl.create_default_context(cafile={str(tmp_path / 'none.pem')!r})").startswith("FileNotFoundError")


def test_code_of_installed_modules_is_cached_after_first_import(ask: Asker) -> None:
    kept = "sys.modules['_hermes_sdk_hosts.real.worker.module_code']._kept"
    imported = f"[importlib.import_module(n).__file__ in {kept} for n in ('tabnanny', 'hermes_plugins.p.own')]"
    assert ask(imported) == "[False, False]"
    assert ask(imported) == "[True, False]"


def test_code_of_agent_dataclasses_is_generated_once(server: Server, ask: Asker) -> None:
    written = "len(sys.modules['_hermes_sdk_hosts.real.worker.module_code']._written)"
    assert int(ask(written) or 0) < 200
    server.warm("agent")
    assert int(ask(written) or 0) > 200
    pair = "importlib.import_module('dataclasses').make_dataclass('Pair', ['one', 'other'])(1, 2)"
    assert ask(pair) == "Pair(one=1, other=2)"


def test_code_of_host_dataclasses_is_generated_once_for_all_children(ask: Asker) -> None:
    written = "any('one_of_pair' in text for text in sys.modules['_hermes_sdk_hosts.real.worker.module_code']._written)"
    assert ask(written) == "False"
    assert ask("importlib.import_module('dataclasses').make_dataclass('Pair', ['one_of_pair'])") is not None
    assert ask(written) == "True"
