"""The address of the repository is defined in one place, and optional."""

from __future__ import annotations

import re
import runpy
from collections.abc import Callable
from typing import Any

import pytest
from docs.blocks import PAGES, ROOT
from mkdocs.config.defaults import MkDocsConfig

REPOSITORY = runpy.run_path(str(ROOT / "docs" / "repository.py"))
HOOKS = runpy.run_path(str(ROOT / "hatch_build.py"))
ADDRESS = "https://github.com/ada/hermes-sdk"
PLACEHOLDER = re.compile(r"\b[A-Z]{3,}/hermes-sdk\b|github\.com/[^)\s]*[A-Z]{4,}|<this repository>")

fill: Callable[[str, str], str] = REPOSITORY["fill"]


def metadata(address: str) -> dict[str, Any]:
    """Return the metadata of the package that depends on the address."""
    found: dict[str, Any] = {"version": "1.2.3"}
    HOOKS["LinkHook"](str(ROOT), {"repository": address}).update(found)
    return found


def test_pages_use_the_address_of_the_repository() -> None:
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        assert text == fill(text, REPOSITORY["ADDRESS"]), f"{page}: `python docs` writes it"


def test_conditional_parts_are_used_and_closed() -> None:
    texts = [page.read_text(encoding="utf-8") for page in PAGES]
    begun = re.findall(r"<!-- repository: (.+) -->", "\n".join(texts))
    assert set(begun) == {*REPOSITORY["PUBLISHED"]}
    assert len(begun) == sum(text.count("<!-- end of repository -->") for text in texts)


@pytest.mark.parametrize("address", ["", ADDRESS])
def test_published_texts_have_no_placeholder(address: str) -> None:
    others = [ROOT / name for name in ("CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "action.yml", "mkdocs.yml")]
    for page in [*PAGES, *others]:
        assert not PLACEHOLDER.search(fill(page.read_text(encoding="utf-8"), address)), page


@pytest.mark.parametrize(
    "text", ["https://github.com/OWNER/hermes-sdk", "uses: OWNER/hermes-sdk@v1", "git clone <this repository>"]
)
def test_placeholder_is_reported(text: str) -> None:
    assert PLACEHOLDER.search(text)


def test_conditional_parts_of_pages_can_be_rewritten() -> None:
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        unpublished = fill(text, "")
        assert fill(fill(text, ADDRESS), "") == unpublished
        assert "/hermes-sdk" not in "".join(re.findall(r"(?:https://|uses: |--repo )\S+", unpublished))


def test_published_pages_install_from_the_index() -> None:
    page = "<!-- repository: install -->\n<!-- end of repository -->\n"
    assert "pip install 'hermes-sdk[test]'" in fill(page, ADDRESS)
    assert "pip install './hermes-sdk[test]'      # beside a clone of hermes-sdk" in fill(page, "")


def test_readme_of_package_without_an_address_has_no_links_to_files() -> None:
    found = metadata("")
    assert found["urls"] == {}
    links = re.findall(r"\]\(([^)]+)\)", found["readme"]["text"])
    assert [link for link in links if not link.startswith(("https://", "#"))] == []
    assert "![" not in found["readme"]["text"]


def test_readme_of_package_links_to_files_of_its_version() -> None:
    found = metadata(ADDRESS)
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    files = re.findall(r"(!?)\[[^\]]*\]\((?!https?:)([^)#]+)", text)
    assert files
    for picture, name in files:
        assert (ROOT / name).is_file(), name
        assert f"({ADDRESS}/blob/v1.2.3/{name}{'?raw=true' if picture else ''}" in found["readme"]["text"]
    assert found["urls"] == {
        "Repository": ADDRESS,
        "Documentation": f"{ADDRESS}/blob/v1.2.3/docs/index.md",
        "Changelog": f"{ADDRESS}/blob/v1.2.3/CHANGELOG.md",
    }


@pytest.mark.parametrize(("address", "shown"), [("", None), (ADDRESS, ADDRESS)])
def test_site_links_to_the_repository_if_it_has_an_address(
    address: str, shown: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_config = REPOSITORY["on_config"]
    monkeypatch.setitem(on_config.__globals__, "ADDRESS", address)
    assert on_config(MkDocsConfig()).repo_url == shown
