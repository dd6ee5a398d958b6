"""`hermes-sdk docs`: search results, and printed pages and sections."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import markdown
import pytest

from hermes_sdk import documentation
from hermes_sdk.cli.main import run
from hermes_sdk.documentation import find_section, find_subsections, make_anchor, read_pages, read_sections, search
from hermes_sdk.errors import UsageError

SCHEMA = json.loads((files("hermes_sdk.cli") / "docs.schema.json").read_text(encoding="utf-8"))
QUESTIONS = {
    "mock ctx": "how-to/migrate-fakes",
    "test slash command": "reference/testing#Host-command",
    "hook not firing": "how-to/troubleshooting#hook-never-called",
    "requires_env missing": "reference/manifest#requires_env",
    "async tool handler": "reference/rules-tools#hs302-async-handler-without-is_asynctrue",
    "memory provider prefetch": "reference/providers-memory#MemoryProvider-prefetch",
    "test against my own Hermes": "how-to/your-own-hermes",
    "works in tests but not in Hermes": "how-to/troubleshooting#works-in-tests-but-not-in-hermes",
    "NixOS extraPlugins": "reference/nix#serviceshermes-agentextraplugins",
    "plugin not loading": "how-to/troubleshooting#plugin-not-loading",
    "register_tool": "reference/context#ctx-register_tool",
    "kwargs": "how-to/recipes#why-callbacks-take-kwargs",
    "on_session_end called every turn": "how-to/troubleshooting#on_session_end-called-every-turn",
    "test HTTP requests": "how-to/test-http#answer-without-a-server",
    "GitHub Actions CI": "how-to/check#use-it-in-other-tools",
    "pytest-asyncio / async test": "how-to/recipes#async-tests-with-pytest-asyncio-or-anyio",
    "debugger / breakpoint": "how-to/recipes#stop-in-a-debugger-breakpoint-and-pdb",
    "inject_message, dispatch_tool": "how-to/recipes#start-a-turn-with-ctxinject_message",
    "publish to PyPI": "how-to/ship#as-a-package",
    "tool not visible to model": "how-to/troubleshooting#tool-not-offered",
}
"""Question of an author -> section that answers it."""


def output(capsys: pytest.CaptureFixture[str], *argv: str, code: int = 0) -> str:
    with pytest.raises(SystemExit) as stop:
        run(["docs", *argv])
    printed = capsys.readouterr()
    assert stop.value.code == code, printed.err
    return printed.out + printed.err


def document(capsys: pytest.CaptureFixture[str], *argv: str, code: int = 0) -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads(output(capsys, *argv, "--json", code=code))
    jsonschema.validate(found, SCHEMA)
    return found


SYMPTOMS = {
    "plugin not listed": "plugin-not-listed",
    "plugin listed but not enabled": "plugin-listed-but-not-enabled",
    "entry point ignored": "entry-point-ignored",
    "hook never called": "hook-never-called",
    "plugin loaded but tool not offered": "tool-not-offered",
    "tool offered but never called": "tool-offered-but-never-called",
    "tool_result_contract": "tool-returns-tool_result_contract-or-another-error",
    "slash command not found": "slash-command-not-found",
    "memory provider inert": "memory-provider-does-nothing",
    "works on my Hermes only": "works-on-my-hermes-only",
    "script has no answer": "the-script-has-no-answer",
    "slow start": "hermes-starts-slowly",
}
"""Symptom -> section of the troubleshooting page."""


@pytest.mark.parametrize(
    ("question", "place"),
    [*QUESTIONS.items(), *((words, f"how-to/troubleshooting#{anchor}") for words, anchor in SYMPTOMS.items())],
)
def test_question_is_answered_by_first_or_second_result(question: str, place: str) -> None:
    assert place in [section.place for section in search(question)[:2]]


def test_messages_name_existing_sections() -> None:
    package = Path(documentation.__file__).parent
    texts = [path.read_text(encoding="utf-8") for path in package.rglob("*.py")]
    named = {place for text in texts for place in re.findall(r"\b(?:how-to/)?troubleshooting#[a-z-]+", text)}
    assert named
    for place in named:
        assert find_section(place)


def test_sections_have_the_same_anchors_as_the_site() -> None:
    for page, text in read_pages().items():
        converter = markdown.Markdown(
            extensions=["toc", "attr_list", "md_in_html", "pymdownx.superfences"],
            extension_configs={"toc": {"slugify": make_anchor}},
        )
        converter.convert(text)
        tokens: Sequence[Mapping[str, Any]] = converter.toc_tokens  # type: ignore[attr-defined]
        ours = [section.anchor for section in read_sections() if section.page == page]
        assert [one for one in ours if one] == list(find_anchors(tokens)), page


def find_anchors(tokens: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the anchors of all headings except titles."""
    for token in tokens:
        if token["level"] > 1:
            yield token["id"]
        yield from find_anchors(token["children"])


def test_page_or_section_is_found_by_its_place() -> None:
    for section in read_sections():
        assert find_section(section.place) is section


@pytest.mark.parametrize("name", ["check#fix-findings", "check.md#fix-findings", "../how-to/check.md#fix-findings"])
def test_section_is_found_by_a_link_target(name: str) -> None:
    found = find_section(name)
    assert found is not None
    assert found.place == "how-to/check#fix-findings"


def test_ambiguous_page_name_is_treated_as_a_query() -> None:
    assert find_section("compat") is None


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("nowhere#it", "There is no page 'nowhere'"),
        ("compat#grades", "Name one of how-to/compat, reference/compat"),
        ("check#it", "Its sections are: what-it-runs, "),
    ],
)
def test_unknown_section_is_an_error_with_suggestions(name: str, problem: str) -> None:
    with pytest.raises(UsageError) as raised:
        find_section(name)
    assert problem in str(raised.value)


def test_best_section_is_printed_with_names_of_others(capsys: pytest.CaptureFixture[str]) -> None:
    out = output(capsys, "test", "http", "requests")
    assert out.startswith("how-to/test-http#answer-without-a-server\n\n## Answer without a server")
    assert "\nOther sections (print one with `hermes-sdk docs`):\n  reference/testing#" in out
    assert len(out) < 8_000


def test_page_is_printed_with_names_of_its_sections(capsys: pytest.CaptureFixture[str]) -> None:
    out = output(capsys, "how-to/check")
    assert "\nSubsections (print one with `hermes-sdk docs`):\n  how-to/check#what-it-runs\n" in out
    assert "<!--" not in out
    page = find_section("how-to/check")
    assert page is not None
    assert [one.anchor for one in find_subsections(page)][-1] == "use-it-in-other-tools"


def test_list_prints_the_pages(capsys: pytest.CaptureFixture[str]) -> None:
    listed = document(capsys, "--list")["pages"]
    assert [one["page"] for one in listed] == list(read_pages())
    lines = output(capsys, "--list").splitlines()
    assert lines == [f"{one['page']}: {one['title']}" for one in listed]


def test_section_is_printed_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "pre_tool_call")
    assert found["section"]["place"] == "reference/hooks#pre_tool_call"
    assert found["section"]["text"].startswith("### `pre_tool_call`\n")
    assert len(found["others"]) == 4


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ([], "Nothing to look up."),
        (["--list", "hooks"], "--list takes no QUERY."),
        (["xyzzy"], "No section of the documentation contains any word of 'xyzzy'."),
    ],
)
def test_call_without_a_result_is_an_error(
    capsys: pytest.CaptureFixture[str], argv: Sequence[str], message: str
) -> None:
    assert document(capsys, *argv, code=2)["error"]["message"] == message


def test_pages_are_read_from_the_archive_in_a_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from zipfile import ZipFile

    with ZipFile(tmp_path / "documentation.zip", "w") as archive:
        archive.writestr("how-to/check.md", "# Check\n\nText.\n")
    monkeypatch.setattr(documentation, "_ARCHIVE", tmp_path / "documentation.zip")
    assert dict(read_pages.__wrapped__()) == {"how-to/check": "# Check\n\nText.\n"}
