"""Which memory provider a plugin brings."""

from __future__ import annotations

import pytest

EXCLUSIVE = "name: p\nkind: exclusive\n"
PROVIDER = """
# register_memory_provider
class Provider:
    name = "remembers"
def register(ctx):
    ctx.register_tool("any", thing=1)
    ctx.register_hook("any", None)
    ctx.register_cli_command("any")
    ctx.register_memory_provider(Provider())
"""


def test_the_memory_loader_names_the_provider_of_a_plugin_that_discovery_skips(start) -> None:
    report = start(PROVIDER, manifest=EXCLUSIVE).report()
    assert (report["status"], report["memory_provider"]) == ("skipped", "remembers")
    assert report["tools"] == report["hooks"] == []


@pytest.mark.parametrize(
    "body",
    [
        "def register(ctx): ctx.anything()\n",
        "# MemoryProvider\ndef register(ctx): pass\n",
        "# MemoryProvider\n1 / 0\n",
        "# MemoryProvider\n",
        "#" * 8192 + PROVIDER,
    ],
    ids=["word missing", "none registered", "raises", "no register", "word too late"],
)
def test_without_a_provider_there_is_no_name(body: str, start) -> None:
    assert start(body, manifest=EXCLUSIVE).report()["memory_provider"] is None


def test_modules_beside_the_provider_are_there_before_it_and_may_fail(start) -> None:
    files = {"helper.py": "NAME = 'helped'\n", "spoilt.py": "1 / 0\n"}
    find = "import sys\nNAME = sys.modules[__name__ + '.helper'].NAME\n"
    body = PROVIDER.replace("class", find + "class").replace('"remembers"', "NAME")
    assert start(body, manifest=EXCLUSIVE, files=files).report()["memory_provider"] == "helped"


def test_the_main_module_is_executed_once(start) -> None:
    count = "with open(__file__ + '.count', 'a') as file: file.write('x')\n"
    host = start(count + PROVIDER, manifest=EXCLUSIVE)
    host.report()
    assert (host.home / "plugins" / "p" / "__init__.py.count").read_text() == "x"


def test_what_it_imports_in_vain_is_reported(start) -> None:
    body = "# MemoryProvider\nimport agent.memory_manager\n"
    report = start(body, manifest=EXCLUSIVE).report()
    assert report["status"] == "unsupported"
    assert "agent" in str(report["error"])
