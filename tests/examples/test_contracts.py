"""The examples hold the contracts of what they are, on either host (`--hermes-host real`)."""

from typing import ClassVar

import pytest

from hermes_sdk.testing import (
    ContextEngineContract,
    ImageGenProviderContract,
    MemoryProviderContract,
    ModelProviderContract,
    PluginContract,
)

pytestmark = pytest.mark.filterwarnings("error")


class TestSqliteMemory(MemoryProviderContract):
    plugin = "tests/examples/sqlite_memory"


class TestWindowEngine(ContextEngineContract):
    plugin = "tests/examples/window_engine"


class TestTileImages(ImageGenProviderContract):
    plugin = "tests/examples/tile_images"


class TestLocalModels(ModelProviderContract):
    plugin = "tests/examples/local_models"


class TestWordCount(PluginContract):
    plugin = "tests/examples/word_count"


class TestWindowEngineAsAPlugin(PluginContract):
    plugin = "tests/examples/window_engine"
    config: ClassVar = {"context": {"engine": "window_engine"}}


class TestTileImagesAsAPlugin(PluginContract):
    plugin = "tests/examples/tile_images"
