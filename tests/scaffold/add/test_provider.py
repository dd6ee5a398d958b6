"""`add tool` in memory providers, whose class declares and runs the tools."""

from pathlib import Path

import pytest
from scaffold.add.open_plugin import plugin, snapshot
from scaffold.add.test_add import run_tests

from hermes_sdk.errors import UsageError
from hermes_sdk.scaffold.add.engine import add
from hermes_sdk.scaffold.new import new

MANIFEST = 'name: notes\nversion: "1.0.0"\ndescription: "Notes"\nauthor: "Ada"\nkind: exclusive\n'
PROVIDER = '''\
"""Notes."""

from agent.memory_provider import MemoryProvider


class Notes(MemoryProvider):
    @property
    def name(self):
        return "notes"

    def is_available(self):
        return True

    def initialize(self, session_id, **kwargs):
        pass

    def get_tool_schemas(self):
        {offers}

    def handle_tool_call(self, tool, arguments, **kwargs):
        return "{{}}"


def register(ctx):
    ctx.register_memory_provider(Notes())
'''
LISTS = {
    "empty": "return []",
    "one": 'return [{"name": "a", "description": "A.", "parameters": {"type": "object", "properties": {}}}]',
    "a comma at the end": 'return [{"name": "a", "description": "A.", "parameters": {"type": "object"}},]',
    "lines": 'return [\n            {"name": "a", "description": "A.", "parameters": {"type": "object"}},\n        ]',
}


def test_tool_is_added_to_generated_project(tmp_path: Path) -> None:
    project = new("memory-provider", tmp_path, name="Team Notes")
    added = add("tool", "fetch_page", project)
    added.changes.write()

    assert added.changes.created == ("tests/test_tools.py",)
    assert add("tool", "fetch_page", project).existing.startswith("team_notes/provider.py:")
    (project / "tests/test_memory.py").unlink()
    (project / "tests/test_contract.py").unlink()
    assert run_tests(project).startswith("1 passed")


@pytest.mark.parametrize("form", LISTS)
def test_tool_is_added_to_hand_written_provider(tmp_path: Path, form: str) -> None:
    source = PROVIDER.format(offers=LISTS[form])
    path = plugin(tmp_path / "notes", source, MANIFEST)

    add("tool", "fetch_page", path).changes.write()

    text = (path / "__init__.py").read_text()
    assert 'if tool == "fetch_page":\n            return fetch_page(arguments)\n' in text
    assert run_tests(path).startswith("1 passed")


@pytest.mark.parametrize(
    ("offers", "message"),
    [
        ("return list(TOOLS)", "does not return a list literal"),
        ("if self:\n            return []\n        return []", "does not return a list literal"),
        ("return [\n            dict()]", "does not have one item per line"),
    ],
)
def test_unsupported_tool_list_is_rejected_with_code_to_add(tmp_path: Path, offers: str, message: str) -> None:
    path = plugin(tmp_path / "notes", PROVIDER.format(offers=offers), MANIFEST)
    before = snapshot(tmp_path)
    with pytest.raises(UsageError, match=message) as refused:
        add("tool", "fetch_page", path)
    assert "FETCH_PAGE" in refused.value.fix
    assert snapshot(tmp_path) == before


def test_provider_without_tool_methods_is_rejected(tmp_path: Path) -> None:
    path = plugin(tmp_path / "notes", "class MemoryProvider:\n    pass\n", MANIFEST)
    with pytest.raises(UsageError, match="expected one class with get_tool_schemas and handle_tool_call, found 0"):
        add("tool", "fetch_page", path)


@pytest.mark.parametrize("kind", ["hook", "command", "skill"])
def test_addition_that_hermes_ignores_is_rejected(tmp_path: Path, kind: str) -> None:
    path = plugin(tmp_path / "notes", PROVIDER.format(offers="return []"), MANIFEST)
    with pytest.raises(UsageError, match="from which Hermes takes only the provider's tools"):
        add(kind, "pre_llm_call", path)
