"""Generated pages are up to date."""

from __future__ import annotations

import re
import runpy
import sys
from pathlib import Path

import pytest
from docs.blocks import ROOT

from hermes_sdk import contract

DOCS = ROOT / "docs"
SCRIPTS = [
    "cli",
    "cli_help",
    "context",
    "documents",
    "formats",
    "gateway_events",
    "hooks",
    "limits",
    "manifest",
    "providers",
    "quality",
    "report",
    "safety",
    "surfaces",
    "testing",
]


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch):
    """Return a function that runs a script of the documentation as `python docs` does, and returns its globals."""
    # The scripts import a helper module from their directory.
    monkeypatch.syspath_prepend(str(DOCS))
    monkeypatch.setattr(sys, "path", list(sys.path))
    return lambda name: runpy.run_path(str(DOCS / f"{name}.py"))


@pytest.mark.parametrize("name", SCRIPTS)
def test_page_is_up_to_date(name: str, script) -> None:
    names = script(name)
    page: Path = names["PAGE"]
    assert page.read_text(encoding="utf-8") == names["page"]().rstrip() + "\n", "`python docs` writes it anew"


def test_page_about_layers_and_hostile_plugins_is_up_to_date(script) -> None:
    names = script("safety")
    page: Path = names["ATTACKS_PAGE"]
    assert page.read_text(encoding="utf-8") == names["attacks_page"](), "`python docs` writes it"


def test_pages_about_providers_are_up_to_date(script) -> None:
    pages = script("providers")["kinds"]()
    assert {*pages} == {*(DOCS / "reference").glob("providers-*.md")}
    for path, text in pages.items():
        assert path.read_text(encoding="utf-8") == text.rstrip() + "\n", "`python docs` writes it"


def headings(page: str) -> set[str]:
    text = (DOCS / "reference" / page).read_text("utf-8")
    return set(re.findall(r"^#+ `([^`(]+)", text, re.MULTILINE))


def test_pages_contain_each_hook_and_member_of_the_default_release() -> None:
    newest = contract.load(contract.DEFAULT)

    assert headings("hooks.md") >= {*newest.hooks, *newest.middleware_kinds}
    assert headings("context.md") >= {f"ctx.{name}" for name in newest.context if name[0] != "_"}


@pytest.mark.parametrize("name", ["layers", "turn"])
def test_drawing_is_up_to_date(name: str, script) -> None:
    drawings = script("drawings")
    assert (drawings["FOLDER"] / f"{name}.svg").read_text(encoding="utf-8") == drawings["DRAWINGS"][name]()


def test_texts_fit_their_boxes_in_the_drawing_of_layers(script) -> None:
    box = r'<rect class="box" x="(\d+)" y="\d+" width="(\d+)".*?<text class="quiet" x="(\d+)" y="\d+">([^<]*)<'
    boxes = re.findall(box, script("drawings")["layers"](), re.DOTALL)
    assert boxes
    # A letter of the drawing is about seven units wide.
    assert not [words for left, width, x, words in boxes if int(x) + 7 * len(words) > int(left) + int(width)]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the check tells of layers of isolation that only Linux has")
@pytest.mark.parametrize("name", ["start", "check", "show", "trace", "compat", "plugins"])
def test_picture_is_up_to_date(name: str, script) -> None:
    shots = script("pictures")
    assert (shots["FOLDER"] / f"{name}.svg").read_text(encoding="utf-8") == shots["draw"](name)


def describe_hook(name: str, page: str) -> str:
    """Return the section of a hook, including that of the hook with which it shares its arguments."""
    section = page.partition(f"### `{name}`")[2].partition("\n### ")[0]
    base = re.search(r"those of \[`(\w+)`\]", section)
    return section + describe_hook(base[1], page) if base else section


def test_reference_describes_each_member_and_hook(script) -> None:
    newest = contract.load("0.19.0")
    context = script("context")["page"]()
    hooks = script("hooks")["page"]()
    for name in (name for name in newest.context if not name.startswith("_")):
        assert f"`ctx.{name}" in context
    for name, hook in newest.hooks.items():
        section = describe_hook(name, hooks)
        assert all(f"`{argument}`" in section for argument in (*hook.always, *hook.sometimes)), name
