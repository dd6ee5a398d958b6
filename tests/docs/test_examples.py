"""The examples of the reference pages pass on the embedded host."""

from __future__ import annotations

from pathlib import Path

import pytest
from docs.blocks import ROOT
from docs.running import Page

EXAMPLES = Path(__file__).parent / "examples"
MANIFESTS = {"gateway_events": ("HOOK.yaml", "handler.py", "name: gateway_events\nevents: ['command:*']\n")}
"""Example that is not a plugin -> names of its manifest and module, and text of the manifest."""


def write_example(example: Path, folder: Path) -> None:
    """Write an example as a plugin and a test of it."""
    manifest, module, content = MANIFESTS.get(example.stem, ("plugin.yaml", "__init__.py", f"name: {example.stem}\n"))
    plugin = folder / example.stem
    plugin.mkdir()
    (plugin / manifest).write_text(content, encoding="utf-8")
    code, mark, test = example.read_text(encoding="utf-8").partition("\n\n\ndef test_")
    (plugin / module).write_text(code + "\n", encoding="utf-8")
    head = (
        f"import pytest\nfrom hermes_sdk.testing import *\n\npytestmark = pytest.mark.hermes(plugin={example.stem!r})"
    )
    (folder / f"test_{example.stem}.py").write_text(head + mark + test, encoding="utf-8")


@pytest.mark.parametrize("page", ["context", "hooks"])
def test_examples_of_page_pass(page: str, tmp_path: Path) -> None:
    reader = Page(tmp_path)
    for example in sorted((EXAMPLES / page).glob("*.py")):
        write_example(example, reader.here)
    code, output = reader.command("pytest -q -p no:cacheprovider -W error --hermes-host embedded")
    assert code == 0, output


@pytest.mark.parametrize("page", ["context", "hooks"])
def test_each_example_is_on_a_page(page: str) -> None:
    pages = (f"{page}.md", *["gateway-events.md"] * (page == "hooks"))
    texts = "".join((ROOT / "docs" / "reference" / one).read_text(encoding="utf-8") for one in pages)
    assert [one.name for one in (EXAMPLES / page).glob("*.py") if one.read_text(encoding="utf-8") not in texts] == []
