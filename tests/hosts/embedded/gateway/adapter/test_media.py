"""Media files that an adapter finds in a text."""

from __future__ import annotations

import json
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
    """Return the base class of adapters."""
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
def test_media_tags_are_not_shown(adapter: Any, text: str, shown: str) -> None:
    assert adapter.strip_media_directives_for_display(text) == shown


@pytest.mark.parametrize(
    "path", ["relative.png", "", "~nobody/a.png", "/dev/null", "/no/such/file.png", "/etc/passwd", "a\0b"]
)
def test_secret_files_are_not_sent(adapter: Any, path: str) -> None:
    assert adapter.validate_media_delivery_path(path) is None


def test_existing_files_are_found_outside_code(adapter: Any, tmp_path: Path) -> None:
    (tmp_path / "report.pdf").write_text("report")
    assert adapter.validate_media_delivery_path(str(tmp_path / "report.pdf")) == str(tmp_path / "report.pdf")
    paths, left = adapter.extract_local_files(f"done: {tmp_path}/report.pdf, `{tmp_path}/report.pdf`, /no/such.pdf")
    assert paths == [str(tmp_path / "report.pdf")]
    assert "/no/such.pdf" in left


TEXTS = json.loads(Path(__file__).with_name("media_texts.json").read_text(encoding="utf-8"))
"""Texts, with ``{d}`` for the directory of the files -> release -> the files, the remaining and the shown text."""


@pytest.mark.parametrize("release", ["0.19.0", "0.20.2", "0.22.2"])
def test_media_tags_are_parsed_like_real_hosts(release: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "files"
    for name in TEXTS["files"]:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x")
    (tmp_path / "home").mkdir()
    with EmbeddedHost(Home(tmp_path / "home"), release=release):
        from gateway.platforms.base import BasePlatformAdapter as Adapter

        monkeypatch.setenv("HOME", str(folder))
        different = []
        for one in TEXTS["texts"]:
            text = one["text"].replace("{d}", str(folder))
            shown = [*Adapter.extract_media(text), Adapter.strip_media_directives_for_display(text)]
            if json.dumps(shown).replace(str(folder), "{d}") != json.dumps(one[min(release, "0.20.2")]):
                different.append((one["text"], shown))
        assert not different
