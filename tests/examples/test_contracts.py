"""The examples fulfil their contracts on either host (`--hermes-host real`)."""

from pathlib import Path
from typing import ClassVar

import pytest
from examples.irc_network import IrcTransport
from examples.irc_plugin import plain_irc
from examples.pigeon_service import PigeonTransport

from hermes_sdk import contract
from hermes_sdk.home import Home
from hermes_sdk.hosts import open_host
from hermes_sdk.testing import (
    ContextEngineContract,
    ImageGenProviderContract,
    MemoryProviderContract,
    ModelProviderContract,
    PlatformContract,
    PluginContract,
)

pytestmark = pytest.mark.filterwarnings("error")


class TestSqliteMemory(MemoryProviderContract):
    plugin = "tests/examples/sqlite_memory"


def test_memory_setup_is_used_in_next_session(pytestconfig: pytest.Config):
    kind = pytestconfig.getoption("--hermes-host") or "embedded"
    release = pytestconfig.getoption("--hermes-release") or contract.DEFAULT
    with Home.temporary() as home:
        home.plugins_dir.mkdir(exist_ok=True)
        (home.plugins_dir / "sqlite_memory").symlink_to(Path(__file__).parent / "sqlite_memory")
        with open_host(kind, release, home) as host:
            done = host.memory.setup({"language": "de", "key": "k-1"})
            assert (done.exit_code, done.stderr) == (0, "")
            host.llm.script("Hallo.")
            host.chat("Hallo")
            assert "kept in de" in host.llm.requests[0].system_text
            assert home.env == {"SQLITE_MEMORY_KEY": "k-1"}
            assert "k-1" not in home.config_path.read_text()


class TestWindowEngine(ContextEngineContract):
    plugin = "tests/examples/window_engine"


class TestTileImages(ImageGenProviderContract):
    plugin = "tests/examples/tile_images"


class TestLocalModels(ModelProviderContract):
    plugin = "tests/examples/local_models"
    environment: ClassVar = {"LOCAL_MODELS_KEY": "key-of-the-tests"}


class TestPlainIrc(PlatformContract):
    plugin = str(plain_irc())
    transport = IrcTransport


class TestPigeon(PlatformContract):
    plugin = "tests/examples/pigeon"
    transport = PigeonTransport


class TestWordCount(PluginContract):
    plugin = "tests/examples/word_count"


class TestWindowEngineAsAPlugin(PluginContract):
    plugin = "tests/examples/window_engine"
    config: ClassVar = {"context": {"engine": "window_engine"}}


class TestPlainIrcAsAPlugin(PluginContract):
    plugin = str(plain_irc())


class TestTileImagesAsAPlugin(PluginContract):
    plugin = "tests/examples/tile_images"
