"""`hermes-sdk schema`."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from hermes_sdk.cli.schema import command
from hermes_sdk.manifest.schema import schema


def test_schema_is_printed() -> None:
    result = CliRunner().invoke(command, [])
    assert result.exit_code == 0
    assert json.loads(result.output) == schema()


def test_schema_is_written_to_a_file(tmp_path: Path) -> None:
    file = tmp_path / "plugin.schema.json"
    result = CliRunner().invoke(command, ["-o", str(file)])
    assert (result.exit_code, result.output) == (0, "")
    assert json.loads(file.read_text(encoding="utf-8")) == schema()


def test_unwritable_file_is_a_usage_error(tmp_path: Path) -> None:
    assert CliRunner().invoke(command, ["-o", str(tmp_path)]).exit_code == 2
    assert CliRunner().invoke(command, ["-o", str(tmp_path / "none" / "x.json")]).exit_code == 2
