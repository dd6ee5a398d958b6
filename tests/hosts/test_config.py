"""Reading of arbitrary configurations; `tests/conformance` compares the results with the real host."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hermes_sdk import contract
from hermes_sdk.hosts.config import HostConfig

CONTENTS = st.binary(max_size=20) | st.sampled_from(
    [b"[", b"5", b"- a", b"a: ${HOME}", b"plugins: {enabled: [p]}", b""]
)


@pytest.mark.parametrize("release", ["0.13.0", "0.19.0"])
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(contents=st.lists(CONTENTS, max_size=3))
def test_any_content_results_in_configuration(release: str, contents: list[bytes], tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.unlink(missing_ok=True)
    config = HostConfig(file, contract.load(release).behaviour)
    assert config.read() == {}
    for content in contents:
        file.write_bytes(content)
        assert isinstance(config.read(), dict)


def test_directory_instead_of_file_is_empty_configuration(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").mkdir()
    assert HostConfig(tmp_path / "config.yaml", contract.load("0.19.0").behaviour).read() == {}


@pytest.fixture
def age_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make all files appear one minute older than they are."""
    now = time.time_ns
    monkeypatch.setattr("time.time_ns", lambda: now() + 60_000_000_000)


@pytest.mark.usefixtures("age_files")
def test_unchanged_file_is_parsed_once(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    config = HostConfig(file, contract.load("0.22.2").behaviour)
    assert config.view() == {}
    for text, expected in (("a: 1", {"a": 1}), ("a: 12", {"a": 12}), ("[", {"a": 12}), ("a: 3", {"a": 3})):
        file.write_text(text)
        assert config.view() == expected
    assert config.view() is config.view()
    file.unlink()
    assert config.view() == {}


def test_recently_changed_file_is_parsed_on_each_call(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    config = HostConfig(file, contract.load("0.22.2").behaviour)
    for number in range(50):
        file.write_text(f"a: {number % 10}")
        assert config.view() == {"a": number % 10}


@pytest.mark.usefixtures("age_files")
def test_variables_and_administrator_file_are_read_on_each_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "config.yaml"
    config = HostConfig(file, contract.load("0.22.2").behaviour)
    file.write_text("a: ${PLACE}")
    for place in ("here", "there"):
        monkeypatch.setenv("PLACE", place)
        assert config.view() == {"a": place}
    file.write_text("a: 1")
    assert config.view() == {"a": 1}
    monkeypatch.setenv("HERMES_MANAGED_DIR", str(tmp_path / "managed"))
    assert config.view() == {"a": 1}
    (tmp_path / "managed").mkdir()
    (tmp_path / "managed" / "config.yaml").write_text("b: 2")
    assert config.view() == {"a": 1, "b": 2}


@pytest.mark.usefixtures("age_files")
def test_change_of_copy_does_not_affect_configuration(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("a: [1]")
    config = HostConfig(tmp_path / "config.yaml", contract.load("0.22.2").behaviour)
    config.read()["a"].append(2)
    assert config.read() == {"a": [1]}
