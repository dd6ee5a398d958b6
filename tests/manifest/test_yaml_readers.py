"""YAML readers return the same values as the hosts, as recorded in `yaml_outcomes.json`.

A row has a text and the result of `utils.fast_safe_load` on all hosts, or three results where hosts differ: of PyYAML
with libyaml (Hermes 0.19.0 to 0.21.5), of PyYAML in Python, and of ruamel.yaml (0.22.2).
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import get_args

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from manifest.yaml_outcomes import describe

from hermes_sdk import contract
from hermes_sdk.manifest.load import YamlReader, choose_reader, load_yaml, read_plain
from hermes_sdk.manifest.safe_loader import Dumper

HERE = Path(__file__).parent
ROWS = json.loads((HERE / "yaml_outcomes.json").read_text(encoding="utf-8"))
TEXTS = [row[0] for row in ROWS]
READERS: tuple[YamlReader, ...] = get_args(YamlReader)
RELEASES = ("0.19.0", "0.20.2", "0.20.6", "0.21.0", "0.21.3", "0.21.4", "0.21.5", "0.22.2")


def find_outcomes(reader: YamlReader) -> dict[str, str]:
    return {text: outcomes[READERS.index(reader) if len(outcomes) > 1 else 0] for text, *outcomes in ROWS}


@pytest.mark.parametrize("reader", READERS)
def test_reader_returns_the_values_of_the_hosts(reader: YamlReader) -> None:
    assert {text: describe(partial(load_yaml, reader=reader), text) for text in TEXTS} == find_outcomes(reader)


def test_readers_differ_for_many_texts() -> None:
    assert sum(find_outcomes("libyaml")[text] != find_outcomes("ruamel")[text] for text in TEXTS) > 100


@pytest.mark.parametrize("text", [text for text in TEXTS if read_plain(text) is not None])
def test_plain_text_has_the_same_value_in_each_reader(text: str) -> None:
    assert {find_outcomes(reader)[text] for reader in READERS} == {repr(read_plain(text))}


@pytest.mark.parametrize("reader", READERS)
def test_reading_causes_no_warnings(reader: YamlReader, recwarn: pytest.WarningsRecorder) -> None:
    assert load_yaml("a: 1e3\nb: &x 1\n", reader)
    assert not recwarn.list


@given(st.text("yYnN018eE+-._:x~", max_size=6))
def test_dumped_text_is_read_as_text_by_each_reader(text: str) -> None:
    dumped = yaml.dump({text: [text]}, Dumper=Dumper)

    assert all(load_yaml(dumped, reader) == {text: [text]} for reader in READERS)


@pytest.mark.slow
@pytest.mark.real_host
@pytest.mark.parametrize("release", RELEASES)
def test_real_host_still_matches_recorded_outcomes(
    release: str, real_python: Callable[[str], Path], tmp_path: Path
) -> None:
    asked = subprocess.run(
        [real_python(release), "-B", HERE / "yaml_outcomes.py"],
        input=json.dumps(TEXTS),
        env={"HOME": str(tmp_path), "HERMES_HOME": str(tmp_path / "home")},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )

    given = dict(zip(TEXTS, json.loads(asked.stdout), strict=True))
    assert given == find_outcomes(choose_reader(contract.load(release).behaviour))
