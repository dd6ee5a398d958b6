"""The files that a text names for an adapter to send."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import on_disk
import pytest

from hermes_sdk.home import Home
from hermes_sdk.hosts.embedded.host import EmbeddedHost

tmp_path = on_disk.tmp_path


@pytest.fixture(scope="module")
def adapter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The class of adapters."""
    with EmbeddedHost(Home(tmp_path_factory.mktemp("home"))):
        from gateway.platforms.base import BasePlatformAdapter

        yield BasePlatformAdapter


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
