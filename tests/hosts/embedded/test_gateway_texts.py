"""What an adapter makes of a text: parts that its platform takes, and the files that it names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_sdk.home import Home
from hermes_sdk.hosts.embedded.gateway.adapter import chunks
from hermes_sdk.hosts.embedded.host import EmbeddedHost

WORDS = st.lists(st.text("abcxyz😀", min_size=1, max_size=12), max_size=60).map(" ".join)


def in_utf16(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


@pytest.fixture(scope="module")
def adapter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The class of adapters."""
    with EmbeddedHost(Home(tmp_path_factory.mktemp("home"))):
        from gateway.platforms.base import BasePlatformAdapter

        yield BasePlatformAdapter


@given(WORDS, st.integers(40, 200), st.sampled_from([len, in_utf16]))
def test_parts_fit_and_leave_no_word_out(text: str, limit: int, length: Callable[[str], int]) -> None:
    parts = chunks.parts(text, limit, length)
    assert all(length(part) <= limit for part in parts)
    bodies = [part.rpartition(" (")[0] for part in parts] if len(parts) > 1 else parts
    assert "".join(bodies).replace(" ", "") == text.replace(" ", "")


@given(
    st.lists(st.sampled_from(["a", "`", "```", "```py\n", "\n", " ", "word", "\\`"])).map("".join), st.integers(20, 60)
)
def test_splitting_comes_to_an_end(text: str, limit: int) -> None:
    assert chunks.parts(text, limit)


def test_a_block_of_code_stays_one_in_every_part() -> None:
    parts = chunks.parts("```python\n" + "x = 1\n" * 30 + "```\nafter", 80)
    assert all(part.startswith("```python\n") for part in parts)
    assert all(part.count("```") == 2 for part in parts)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("see MEDIA:/tmp/a.png", "see"),
        ("MEDIA:~nobody/unknown.kind \n\n", "MEDIA:~nobody/unknown.kind"),
        ("[[audio_as_voice]]hello", "hello"),
        ("nothing \n", "nothing \n"),
    ],
)
def test_tags_are_not_shown(adapter: Any, text: str, shown: str) -> None:
    assert adapter.strip_media_directives_for_display(text) == shown


def test_what_follows_a_tag_stays_as_it_was_written(adapter: Any) -> None:
    files, _ = adapter.extract_media("MEDIA:/tmp/a.png ![x](https://a.b/c.png")
    assert files == [("/tmp/a.png ![x](https://a.b/c.png", False)]


@pytest.mark.parametrize(
    "path", ["relative.png", "", "~nobody/a.png", "/dev/null", "/no/such/file.png", "/etc/passwd", "a\0b"]
)
def test_what_may_not_leave_the_machine(adapter: Any, path: str) -> None:
    assert adapter.validate_media_delivery_path(path) is None


def test_files_that_are_there_are_found_outside_of_code(adapter: Any, tmp_path: Path) -> None:
    (tmp_path / "report.pdf").write_text("report")
    assert adapter.validate_media_delivery_path(str(tmp_path / "report.pdf")) == str(tmp_path / "report.pdf")
    paths, left = adapter.extract_local_files(f"done: {tmp_path}/report.pdf, `{tmp_path}/report.pdf`, /no/such.pdf")
    assert paths == [str(tmp_path / "report.pdf")]
    assert "/no/such.pdf" in left
