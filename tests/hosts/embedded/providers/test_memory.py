"""Memory providers of plugins."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_sdk.home import Home
from hermes_sdk.hosts.interface import NotSupported

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


def test_memory_loader_names_provider_of_skipped_plugin(start) -> None:
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
def test_name_of_memory_provider_is_none_without_provider(body: str, start) -> None:
    assert start(body, manifest=EXCLUSIVE).report()["memory_provider"] is None


def test_sibling_modules_are_loaded_first_and_may_fail(start) -> None:
    files = {"helper.py": "NAME = 'helped'\n", "spoilt.py": "1 / 0\n"}
    find = "import sys\nNAME = sys.modules[__name__ + '.helper'].NAME\n"
    body = PROVIDER.replace("class", find + "class").replace('"remembers"', "NAME")
    assert start(body, manifest=EXCLUSIVE, files=files).report()["memory_provider"] == "helped"


def test_main_module_is_executed_once(start) -> None:
    count = "with open(__file__ + '.count', 'a') as file: file.write('x')\n"
    host = start(count + PROVIDER, manifest=EXCLUSIVE)
    host.report()
    assert (host.home / "plugins" / "p" / "__init__.py.count").read_text() == "x"


def test_failed_imports_of_provider_are_reported(start) -> None:
    body = "# MemoryProvider\nimport agent.memory_manager\n"
    report = start(body, manifest=EXCLUSIVE).report()
    assert report["status"] == "unsupported"
    assert "agent" in str(report["error"])


REMEMBERING = """
from agent.memory_provider import MemoryProvider
class Provider(MemoryProvider):
    name = "remembers"
    def is_available(self): return True
    def initialize(self, session_id, **kwargs): pass
    def get_tool_schemas(self): return []
    def system_prompt_block(self): return "from %s"
def register(ctx):
    ctx.register_memory_provider(Provider())
"""


@pytest.mark.parametrize(("release", "found"), [("0.19.0", False), ("0.20.2", True)])
def test_provider_of_installed_package_is_loaded_by_entry_point(
    release: str, found: bool, start, tmp_path: Path
) -> None:
    metadata = tmp_path / "memo-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Name: memo\nVersion: 1.0\n", encoding="utf-8")
    (metadata / "entry_points.txt").write_text("[hermes_agent.memory_providers]\nmemo = memo_one\n", encoding="utf-8")
    (tmp_path / "memo_one.py").write_text(REMEMBERING % "the package", encoding="utf-8")
    host = start(release=release, pythonpath=[tmp_path])
    Home(host.home).update_config({"memory": {"provider": "memo"}})
    host.llm.script("one")
    host.chat("first question")
    assert ("from the package" in host.llm.requests[0].system_text) is found


def test_class_in_importable_package_is_reloaded_for_each_host(
    start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site"
    metadata = site / "memo-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Name: memo\nVersion: 1.0\n", encoding="utf-8")
    named = "[hermes_agent.memory_providers]\nmemo = memo_class:Provider\n"
    (metadata / "entry_points.txt").write_text(named, encoding="utf-8")
    # As after `pip install -e`, Python can import the package without the host.
    (tmp_path / "memo_class.py").write_text(REMEMBERING % "the class", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    for _ in range(2):
        host = start(release="0.22.2", pythonpath=[site])
        Home(host.home).update_config({"memory": {"provider": "memo"}})
        host.llm.script("one")
        host.chat("first question")
        assert "from the class" in host.llm.requests[0].system_text
        host.close()


def test_provider_of_project_is_not_supported_when_hosts_load_it(start, tmp_path: Path) -> None:
    directory = tmp_path / ".hermes" / "plugins" / "memo"
    directory.mkdir(parents=True)
    (directory / "__init__.py").write_text(REMEMBERING % "the project", encoding="utf-8")
    host = start(release="0.20.2", cwd=tmp_path, environment={"HERMES_ENABLE_PROJECT_PLUGINS": "1"})
    Home(host.home).update_config({"memory": {"provider": "memo"}})
    host.llm.script("one")
    with pytest.raises(NotSupported, match="memory provider 'memo' of a project"):
        host.chat("first question")


@pytest.mark.parametrize("release", ["0.19.0", "0.22.2"])
def test_provider_with_name_of_builtin_one_is_not_loaded(release: str, start) -> None:
    manifest, files = EXCLUSIVE.replace("p", "byterover", 1), {"../byterover/__init__.py": PROVIDER + "1 / 0\n"}
    files["../byterover/plugin.yaml"] = manifest
    host = start(release=release, files=files, enable=["byterover"])
    assert host.report("byterover")["memory_provider"] == "byterover"
    assert host.swallowed == []
    Home(host.home).update_config({"memory": {"provider": "byterover"}})
    host.llm.script("one")
    with pytest.raises(NotSupported, match="load the memory provider 'byterover', which comes with the host"):
        host.chat("first")
