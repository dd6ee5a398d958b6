"""Reading a configuration, whatever is in it; what comes of it is held against the real host in `tests/conformance`."""

from __future__ import annotations

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
def test_every_content_gives_a_configuration(release: str, contents: list[bytes], tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.unlink(missing_ok=True)
    config = HostConfig(file, contract.load(release).behaviour)
    assert config.read() == {}
    for content in contents:
        file.write_bytes(content)
        assert isinstance(config.read(), dict)


def test_a_directory_in_the_place_of_the_file_is_an_empty_configuration(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").mkdir()
    assert HostConfig(tmp_path / "config.yaml", contract.load("0.19.0").behaviour).read() == {}
