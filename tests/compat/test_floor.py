"""The true range, and how it gets into the manifest."""

from __future__ import annotations

from pathlib import Path

import pytest
from compat.matrices import made

from hermes_sdk.compat.floor import true_range, write_floor
from hermes_sdk.errors import HermesSdkError, UsageError
from hermes_sdk.manifest import locate

OLD = {"0.15.0": "fails", "0.16.0": "lacks", "0.17.0": "passes", "0.18.0": "passes"}


@pytest.mark.parametrize(
    ("verdicts", "requires", "expected"),
    [
        (OLD, None, ">=0.17.0"),
        (OLD, "0.13", ">=0.17.0"),
        (OLD, ">=0.13, <0.20, !=0.18.1", ">=0.17.0, <0.20, !=0.18.1"),
        ({**OLD, "0.19.0": "fails"}, ">=0.13", ">=0.17.0, <0.19.0"),
        ({**OLD, "0.19.0": "fails"}, ">=0.13, <0.19", ">=0.17.0, <0.19"),
        ({**OLD, "0.19.0": "unknown"}, None, ">=0.17.0"),
        ({"0.19.0": "fails"}, None, None),
    ],
)
def test_the_true_range(verdicts, requires, expected):
    assert true_range(made(verdicts, requires)) == expected


MANIFEST = """\
# What this is.
name: mine   # the name
kind: standalone

requires_hermes: ">=0.13"  # guessed
provides_tools:
  # the first
  - a
"""


def plugin(folder: Path, manifest: str) -> Path:
    (folder / "plugin.yaml").write_text(manifest)
    (folder / "__init__.py").write_text("def register(ctx): ...\n")
    return folder / "plugin.yaml"


def test_it_is_written_and_all_else_stays(tmp_path):
    file = plugin(tmp_path, MANIFEST)
    done = write_floor(locate(tmp_path), made(OLD, ">=0.13"))
    assert file.read_text() == MANIFEST.replace('">=0.13"', "'>=0.17.0'")
    assert (done.before, done.after, done.reason) == (">=0.13", ">=0.17.0", "0.16.0 lacks hook pre_verify")


def test_it_is_added_where_it_was_not(tmp_path):
    file = plugin(tmp_path, "name: mine # so\n")
    assert write_floor(locate(tmp_path), made(OLD)).before is None
    assert file.read_text() == "name: mine # so\nrequires_hermes: '>=0.17.0'\n"


def test_what_is_true_is_left_as_it_is(tmp_path):
    file = plugin(tmp_path, "requires_hermes: '>=0.17.0'\nname: mine\n")
    before = file.stat()
    write_floor(locate(tmp_path), made(OLD, ">=0.17.0"))
    assert file.stat() == before


def test_a_plugin_that_passes_nowhere_is_left_as_it_is(tmp_path):
    file = plugin(tmp_path, MANIFEST)
    with pytest.raises(HermesSdkError, match="does not pass on any release") as caught:
        write_floor(locate(tmp_path), made({"0.19.0": "fails"}))
    assert caught.value.exit_code == 1
    assert file.read_text() == MANIFEST


@pytest.mark.parametrize("manifest", ["{name: mine\n", "- a list\n", "name: &a mine\nrequires_hermes: *a\n"])
def test_a_manifest_that_cannot_be_changed_at_one_place_is_left_as_it_is(manifest, tmp_path):
    file = plugin(tmp_path, manifest)
    with pytest.raises(UsageError) as caught:
        write_floor(locate(tmp_path), made(OLD))
    assert (caught.value.where, file.read_text()) == (str(file), manifest)


def test_a_plugin_without_a_manifest_has_no_place_for_it(tmp_path):
    file = tmp_path / "tool.py"
    file.write_text("from tools.registry import registry\nregistry.register(name='a')\n")
    with pytest.raises(UsageError, match=r"no plugin\.yaml"):
        write_floor(locate(file), made(OLD))
