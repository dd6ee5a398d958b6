"""The verified range, and writing it to the manifest."""

from __future__ import annotations

from pathlib import Path

import pytest
from compat.matrices import make_matrix

from hermes_sdk.compat.floor import true_range, write_floor
from hermes_sdk.errors import HermesSdkError, UsageError
from hermes_sdk.manifest import locate

OLD = {"real:0.15.0": "fails", "real:0.16.0": "lacks", "real:0.17.0": "passes", "real:0.18.0": "passes"}


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
def test_verified_range_is_computed_from_the_cells(verdicts, requires, expected):
    assert true_range(make_matrix(verdicts, requires)) == expected


@pytest.mark.parametrize(
    ("real", "not_run", "expected"),
    [
        ((), ("0.17.0", "0.18.2"), ">=0.19.0"),
        (("0.18.2",), ("0.17.0",), ">=0.18.2"),
        (("0.17.0",), ("0.18.2",), ">=0.19.0"),
        (("0.17.0", "0.18.2"), (), ">=0.17.0"),
    ],
)
def test_only_real_hosts_verify_releases_before_the_first_modelled_one(real, not_run, expected):
    verdicts = {**{f"real:{release}": "passes" for release in real}, "0.19.0": "passes", "0.22.2": "passes"}
    assert true_range(make_matrix(verdicts, ">=0.13", not_run=dict.fromkeys(not_run, ()))) == expected


def test_unavailable_real_host_does_not_lower_the_minimum_version():
    verdicts = {"real:0.17.0": "passes", "real:0.18.2": "unknown", "0.19.0": "passes"}
    assert true_range(make_matrix(verdicts)) == ">=0.19.0"


@pytest.mark.parametrize(
    ("missing", "reason"),
    [((), "0.18.2 was not run: add --real all"), (("hook pre_verify",), "0.18.2 lacks hook pre_verify")],
)
def test_reason_describes_a_release_that_did_not_run(missing, reason, tmp_path):
    plugin(tmp_path, MANIFEST)
    done = write_floor(locate(tmp_path), make_matrix({"0.19.0": "passes"}, ">=0.13", not_run={"0.18.2": missing}))
    assert (done.after, done.reason) == (">=0.19.0", reason)


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


def test_range_is_written_and_the_rest_is_unchanged(tmp_path):
    file = plugin(tmp_path, MANIFEST)
    done = write_floor(locate(tmp_path), make_matrix(OLD, ">=0.13"))
    assert file.read_text() == MANIFEST.replace('">=0.13"', "'>=0.17.0'")
    assert (done.before, done.after, done.reason) == (">=0.13", ">=0.17.0", "0.16.0 lacks hook pre_verify")


def test_missing_range_is_added(tmp_path):
    file = plugin(tmp_path, "name: mine # so\n")
    assert write_floor(locate(tmp_path), make_matrix(OLD)).before is None
    assert file.read_text() == "name: mine # so\nrequires_hermes: '>=0.17.0'\n"


def test_correct_range_is_unchanged(tmp_path):
    file = plugin(tmp_path, "requires_hermes: '>=0.17.0'\nname: mine\n")
    before = file.stat()
    write_floor(locate(tmp_path), make_matrix(OLD, ">=0.17.0"))
    assert file.stat() == before


def test_manifest_is_unchanged_if_no_release_passes(tmp_path):
    file = plugin(tmp_path, MANIFEST)
    with pytest.raises(HermesSdkError, match="does not pass on any release") as caught:
        write_floor(locate(tmp_path), make_matrix({"0.19.0": "fails"}))
    assert caught.value.exit_code == 1
    assert file.read_text() == MANIFEST


@pytest.mark.parametrize("manifest", ["{name: mine\n", "- a list\n", "name: &a mine\nrequires_hermes: *a\n"])
def test_manifest_that_cannot_be_edited_safely_is_unchanged(manifest, tmp_path):
    file = plugin(tmp_path, manifest)
    with pytest.raises(UsageError) as caught:
        write_floor(locate(tmp_path), make_matrix(OLD))
    assert (caught.value.where, file.read_text()) == (str(file), manifest)


def test_plugin_without_a_manifest_is_unchanged(tmp_path):
    file = tmp_path / "tool.py"
    file.write_text("from tools.registry import registry\nregistry.register(name='a')\n")
    with pytest.raises(UsageError, match=r"no plugin\.yaml"):
        write_floor(locate(file), make_matrix(OLD))
